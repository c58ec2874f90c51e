"""Lists input files and writes results on any file system of Hadoop. Only the driver can use these."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from .arguments import ENDINGS
from .inputs import InputError, InputFile, is_hidden, report_name

# The mark of a complete result, as other jobs of Spark write it.
SUCCESS = "_SUCCESS"

# Where files are until all of them have been copied.
TEMPORARY = "_sundown_temporary"

# Everything that a job may leave in its folder.
OWN_NAMES = {SUCCESS, TEMPORARY} | {
    f"{command}.{ending}" for command, endings in ENDINGS.items() for ending in ["partial", *endings.values()]
}


class Storage:
    """The file systems that a Spark context can reach."""

    def __init__(self, context: Any) -> None:
        """Uses the configuration of a Spark context."""
        self._hadoop = context._jvm.org.apache.hadoop
        self._configuration = context._jsc.hadoopConfiguration()

    def _path(self, text: str) -> Any:
        return self._hadoop.fs.Path(text)

    def _system(self, path: Any) -> Any:
        return path.getFileSystem(self._configuration)

    def list_files(self, inputs: Iterable[str], base: str | None) -> tuple[list[InputFile], int]:
        """The files that the user names, each once, and the number of hidden files in folders."""
        absolute_base = self.qualify(base) if base is not None else None
        found: dict[str, InputFile] = {}
        hidden = 0
        for text in inputs:
            path = self._path(text)
            system = self._system(path)
            for status in self._matches(system, path, text):
                root = status.getPath().toString()
                for file in self._below(system, status):
                    is_named = status.isFile()
                    address = file.getPath().toString()
                    if is_hidden(address, root):
                        hidden += 1
                        continue
                    if is_named and file.getPath().getName().startswith((".", "_")):
                        raise InputError(
                            f"--input: Spark does not read files whose names begin with a dot or an underscore: {text}"
                        )
                    name = report_name(address, absolute_base)
                    known = found.get(address)
                    is_named = is_named or (known is not None and known.is_named)
                    found[address] = InputFile(address, file.getLen(), is_named, name)
        return sorted(found.values(), key=lambda file: file.path), hidden

    def _matches(self, system: Any, path: Any, text: str) -> list[Any]:
        matches = list(system.globStatus(path) or [])
        if not matches:
            raise InputError(f"--input: nothing is at {text}")
        return matches

    @staticmethod
    def _below(system: Any, status: Any) -> Iterator[Any]:
        if status.isFile():
            yield status
            return
        files = system.listFiles(status.getPath(), True)
        while files.hasNext():
            yield files.next()

    def qualify(self, text: str) -> str:
        """The whole address of a path."""
        path = self._path(text)
        return str(self._system(path).makeQualified(path).toString())

    def check_output(self, folder: str, *, overwrite: bool) -> None:
        """Raises an error if there is something in a folder, and it is not to be replaced or not the result of a job."""
        path = self._path(folder)
        system = self._system(path)
        if not system.exists(path):
            return
        if not system.getFileStatus(path).isDirectory():
            raise InputError(f"--output: {folder} is a file; name a folder")
        names = {status.getPath().getName() for status in system.listStatus(path)}
        if names and not overwrite:
            raise InputError(f"--output: {folder} is not empty; name another folder, or replace its result with --overwrite")
        others = sorted(names - OWN_NAMES)
        if others:
            raise InputError(f"--output: {folder} has files that no job has written, such as {others[0]}; name another folder")

    def publish(self, folder: str, files: Iterable[Path]) -> None:
        """Puts files into a folder, in the place of an earlier result.

        That is removed when all files have been copied. Only a folder with a mark has a complete result, so the mark is removed
        first and written last.
        """
        path, temporary = self._path(folder), self._path(f"{folder}/{TEMPORARY}")
        system = self._system(path)
        system.delete(temporary, True)
        system.mkdirs(temporary)
        files = list(files)
        for file in files:
            system.copyFromLocalFile(False, True, self._path(f"file://{file}"), self._path(f"{folder}/{TEMPORARY}/{file.name}"))
        for name in [SUCCESS, *sorted(OWN_NAMES - {SUCCESS, TEMPORARY})]:
            system.delete(self._path(f"{folder}/{name}"), False)
        for file in files:
            if not system.rename(self._path(f"{folder}/{TEMPORARY}/{file.name}"), self._path(f"{folder}/{file.name}")):
                raise InputError(f"--output: {folder}/{TEMPORARY}/{file.name} cannot be renamed; the result is not complete")
        system.delete(temporary, True)
        system.create(self._path(f"{folder}/{SUCCESS}"), True).close()
