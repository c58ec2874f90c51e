"""What tasks do on the executors: scan files, and merge partial results."""

import contextlib
import io
import itertools
import os
import shlex
import subprocess
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .inputs import InputFile
from .program import MOST_MESSAGE, Program, SundownError, find_program

# Contents are passed on in pieces of about this size.
PIECE = 1 << 20


@dataclass(frozen=True)
class Kit:
    """Everything that a task needs; it is sent once to each executor."""

    command: str
    arguments: list[str]
    # The name of the program, if it is among the files of the job.
    program_name: str
    # The project's folder, as a zip archive.
    project: bytes | None
    # The secret for hashes of callers, if they are hashed.
    secret: bytes | None
    cat: str | None

    @contextlib.contextmanager
    def program(self) -> Iterator[Program]:
        """The program in a folder of its own with the files of the project, which is removed at the end."""
        with tempfile.TemporaryDirectory(prefix="sundown-") as folder:
            if self.project is not None:
                zipfile.ZipFile(io.BytesIO(self.project)).extractall(folder)
            path = find_program(sent_path(self.program_name), folder)
            yield Program(path, folder, self.secret)

    def scan(self, program: Program, file: InputFile, source: Any) -> bytes:
        """Scans a file, and returns the partial result."""
        arguments = [self.command, "-", *file.scan_arguments(), f"--threads={processors()}", *self.arguments]
        return program.run_for_partial(arguments, source, file.name, keyed=self.secret is not None)


class Merger:
    """Merges partial results as they come, so that memory does not grow with their number."""

    def __init__(self, program: Program) -> None:
        """Merges with this program."""
        self.program = program

    def merge(self, partials: Iterable[bytes]) -> Iterator[bytes]:
        """The sum of all partial results; nothing if there are none."""
        rest = iter(partials)
        first = next(rest, None)
        if first is None:
            return
        second = next(rest, None)
        if second is None:
            yield first
            return
        yield self.program.run_for_partial(["merge", "-"], itertools.chain([first, second], rest), "merging partial results")


def scan_files(kit: Kit) -> Callable[[Iterable[list[InputFile]]], Iterator[bytes]]:
    """Scans files that this machine opens by their paths."""

    def task(bins: Iterable[list[InputFile]]) -> Iterator[bytes]:
        with kit.program() as program:
            yield from Merger(program).merge(scan_local(kit, program, file) for files in bins for file in files)

    return task


def scan_local(kit: Kit, program: Program, file: InputFile) -> bytes:
    """Scans a file on this machine; the program reads it directly."""
    if file.local_path is None:
        assert file.size == 0
        return kit.scan(program, file, [])
    try:
        source = open(file.local_path, "rb")
    except OSError as error:
        raise SundownError(f"{file.name} cannot be opened on this executor: {error.strerror}") from None
    with source:
        return kit.scan(program, file, source)


def scan_piped(kit: Kit) -> Callable[[Iterable[list[InputFile]]], Iterator[bytes]]:
    """Scans files that a command writes."""

    def task(bins: Iterable[list[InputFile]]) -> Iterator[bytes]:
        with kit.program() as program:
            yield from Merger(program).merge(scan_from_command(kit, program, file) for files in bins for file in files)

    return task


def scan_from_command(kit: Kit, program: Program, file: InputFile) -> bytes:
    """Scans what a command writes. A file that it does not write to its end fails the task."""
    command = [*shlex.split(kit.cat or ""), file.path]
    with tempfile.TemporaryFile() as errors:
        try:
            writer = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors)
        except OSError as error:
            raise SundownError(f"--cat: {command[0]} cannot be run: {error.strerror}") from None
        try:
            assert writer.stdout is not None
            with writer.stdout as source:
                partial = kit.scan(program, file, source)
                # The program ends before its input does if there is nothing for it to check in the file.
                is_read = not source.read(1)
            if is_read and writer.wait() != 0:
                errors.seek(0)
                message = errors.read()[-MOST_MESSAGE:].decode("utf-8", "replace").strip()
                end = f"ended with exit code {writer.returncode} for {file.name}"
                raise SundownError(f"--cat: {command[0]} {end}: {message}")
        finally:
            writer.kill()
            writer.wait()
    return partial


def scan_contents(kit: Kit, files: dict[str, InputFile]) -> Callable[[Iterable[tuple[str, bytes]]], Iterator[bytes]]:
    """Scans files that Spark has read into memory."""

    def task(rows: Iterable[tuple[str, bytes]]) -> Iterator[bytes]:
        with kit.program() as program:
            yield from Merger(program).merge(
                kit.scan(program, files[path], pieces_of(memoryview(content))) for path, content in rows
            )

    return task


def pieces_of(content: memoryview) -> Iterator[bytes]:
    """Content in pieces."""
    for at in range(0, len(content), PIECE):
        yield bytes(content[at : at + PIECE])


def merge_partials(kit: Kit) -> Callable[[Iterable[tuple[int, bytes]]], Iterator[bytes]]:
    """Merges partial results that other tasks have made."""

    def task(partials: Iterable[tuple[int, bytes]]) -> Iterator[bytes]:
        with kit.program() as program:
            yield from Merger(program).merge(partial for _, partial in partials)

    return task


def sent_path(name: str) -> str:
    """The path of a file, if it was sent with the job."""
    from pyspark import SparkFiles

    return str(SparkFiles.get(name))


def processors() -> int:
    """The number of processors of a task."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return max(1, context.cpus()) if context else 1


def zip_folder(folder: str, most: int = 64 << 20) -> bytes:
    """Packs a project's folder, without what is not for this tool."""
    archive = io.BytesIO()
    size = 0
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for parent, folders, names in os.walk(folder):
            folders[:] = sorted(name for name in folders if name not in {".git", "node_modules", "target"})
            for name in sorted(names):
                path = Path(parent) / name
                size += path.stat().st_size
                if size > most:
                    raise SundownError(
                        f"--project: {folder} has more than {most >> 20} MB; name one with only the configuration and the rules"
                    )
                file.write(path, path.relative_to(folder))
    return archive.getvalue()
