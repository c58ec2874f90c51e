"""What tasks do on the executors: scan objects, and merge partial results."""

import contextlib
import io
import itertools
import re
import shlex
import subprocess
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from .program import MOST_MESSAGE, Finished, Program, SundownError, find_program
from .rows import rows_of

# How a scan gives its result, by command, and how the last line of a whole result begins.
RESULTS = {"usage": (["--partial", "-"], b'{"end":'), "check": (["--format", "ndjson"], b'{"type":"summary",')}


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
    # The command that writes a large object.
    cat: str | None
    # The folder to which names are relative.
    base: str | None

    @contextlib.contextmanager
    def program(self) -> Iterator[Program]:
        """The program in a folder of its own with the files of the project, which is removed at the end."""
        from pyspark import SparkFiles

        with tempfile.TemporaryDirectory(prefix="sundown-") as folder:
            if self.project is not None:
                zipfile.ZipFile(io.BytesIO(self.project)).extractall(folder)
            yield Program(find_program(str(SparkFiles.get(self.program_name))), folder, self.secret)

    def scan(self, program: Program, path: str, source: Iterable[bytes]) -> Finished:
        """Scans an object, and returns the whole result."""
        from pyspark import TaskContext

        result, end = RESULTS[self.command]
        context = TaskContext.get()
        own = [f"--stdin-filename={report_name(path, self.base)}", f"--threads={max(1, context.cpus()) if context else 1}"]
        arguments = [self.command, "-", "--skip-unrelated", *own, *self.arguments, *result]
        return program.run_whole(arguments, end, source, report_name(path, self.base))

    def results(self, program: Program, scans: Iterable[tuple[str, Finished]]) -> Iterator[Any]:
        """The results of scans: their rows, or the sum of their partial results."""
        if self.command == "usage":
            yield from merge(program, (finished.output for _, finished in scans))
        else:
            names = ((report_name(path, self.base), finished) for path, finished in scans)
            yield from itertools.chain.from_iterable(itertools.starmap(rows_of, names))


def report_name(path: str, base: str | None) -> str:
    """The name of an object in reports: below the base, or its address, without a password.

    The name before `@` is part of an address in some schemes (abfss).
    """
    plain, base = [re.sub(r"^file:(//)?(?=/)", "", text) for text in [path, f"{base}".rstrip("/")]]
    if plain.startswith(f"{base}/"):
        return plain[len(base) + 1 :]
    return re.sub(r"^([a-z][a-z0-9+.-]*://[^/:@]*):[^/@]*@", r"\1@", plain, flags=re.IGNORECASE)


def merge(program: Program, partials: Iterable[bytes]) -> Iterator[bytes]:
    """The sum of all partial results, as they come, so that memory does not grow with their number; nothing if there are none."""
    rest = iter(partials)
    first = list(itertools.islice(rest, 2))
    if len(first) < 2:
        yield from first
        return
    result, end = RESULTS["usage"]
    yield program.run_whole(["merge", "-", *result], end, itertools.chain(first, rest), "merging partial results").output


def scan_contents(kit: Kit) -> Callable[[Iterable[tuple[str, bytes]]], Iterator[Any]]:
    """Scans objects that Spark has read into memory."""

    def task(rows: Iterable[tuple[str, bytes]]) -> Iterator[Any]:
        with kit.program() as program:
            yield from kit.results(program, ((path, kit.scan(program, path, [content])) for path, content in rows))

    return task


def scan_piped(kit: Kit) -> Callable[[Iterable[str]], Iterator[Any]]:
    """Scans objects that a command writes."""

    def task(paths: Iterable[str]) -> Iterator[Any]:
        with kit.program() as program:
            yield from kit.results(program, ((path, scan_from_command(kit, program, path)) for path in paths))

    return task


def scan_from_command(kit: Kit, program: Program, path: str) -> Finished:
    """Scans what a command writes. An object that it does not write to its end fails the task."""
    command = [*shlex.split(kit.cat or ""), path]
    with tempfile.TemporaryFile() as errors:
        try:
            writer = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors)
        except OSError as error:
            raise SundownError(f"--cat: {command[0]} cannot be run: {error.strerror}") from None
        try:
            assert writer.stdout is not None
            with writer.stdout as source:
                finished = kit.scan(program, path, iter(lambda: source.read(1 << 20), b""))
                # The program ends before its input does if there is nothing for it to check in the object.
                is_read = not source.read(1)
            if is_read and writer.wait() != 0:
                errors.seek(0)
                message = errors.read()[-MOST_MESSAGE:].decode("utf-8", "replace").strip()
                end = f"ended with exit code {writer.returncode} for {report_name(path, kit.base)}"
                raise SundownError(f"--cat: {command[0]} {end}: {message}")
        finally:
            writer.kill()
            writer.wait()
    return finished


def merge_partials(kit: Kit) -> Callable[[Iterable[bytes]], Iterator[bytes]]:
    """Merges partial results that other tasks have made."""

    def task(partials: Iterable[bytes]) -> Iterator[bytes]:
        with kit.program() as program:
            yield from merge(program, partials)

    return task
