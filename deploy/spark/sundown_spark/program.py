"""Finds the program on a machine, and runs it: fed with data, and with every way to fail noticed."""

import contextlib
import os
import platform
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

# Standard error has messages about files, never values; a limit for the log of the driver.
MOST_MESSAGE = 4000

# The exit codes with which a scan has done its job: no findings, findings, and something that could not be checked.
DONE = (0, 1, 2)


class SundownError(Exception):
    """The job cannot be done, or the program did not do its part. The message has no value of an input."""


@dataclass(frozen=True)
class Finished:
    """A run that ended by itself."""

    code: int
    output: bytes
    message: str


@dataclass(frozen=True)
class Program:
    """The program on this machine, with the folder in which it runs and the secret for hashes of callers."""

    path: str
    folder: str
    secret: bytes | None = None

    def run(self, arguments: Sequence[str], source: Iterable[bytes] = ()) -> Finished:
        """Runs the program with data in pieces.

        Its output goes to unnamed files, so that neither side can wait for the other. It may end before it has read all
        data: what is no capture is not read to its end.
        """
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors, contextlib.ExitStack() as stack:
            # Only a scan hashes.
            key = [stack.enter_context(secret_file(self.secret))] if self.secret and arguments[0] == "usage" else []
            command = [self.path, *arguments, *[f"--caller-key-file=/dev/fd/{number}" for number in key]]
            try:
                process = subprocess.Popen(
                    command, stdin=subprocess.PIPE, stdout=output, stderr=errors, cwd=self.folder, pass_fds=key
                )
            except OSError as error:
                machine = f"{platform.node()}, a machine with {platform.machine()}"
                raise SundownError(f"{self.path} cannot be run on {machine}: {error.strerror}") from None
            try:
                feed(process, source)
                code = process.wait()
            finally:
                # Whatever happens here, no process is left.
                process.kill()
                process.wait()
            output.seek(0)
            errors.seek(0)
            message = errors.read(MOST_MESSAGE).decode("utf-8", "replace").strip()
            return Finished(code, output.read(), message)

    def run_whole(self, arguments: Sequence[str], end: bytes, source: Iterable[bytes], what: str) -> Finished:
        """Runs a command whose output is whole if its last line begins with `end`.

        The exit code 2 is no failure if it is: then it says that a file, or a piece of one, could not be checked.
        """
        finished = self.run(arguments, source)
        if finished.code in DONE and is_whole(finished.output, end):
            return finished
        raise SundownError(f"{what}: sundown {describe_end(finished)}")


def is_whole(output: bytes, end: bytes) -> bool:
    """Returns whether the last line of an output begins like that of a whole one."""
    last = output[:-1].rfind(b"\n") + 1
    return output.endswith(b"\n") and output.startswith(end, last)


def feed(process: subprocess.Popen[bytes], source: Iterable[bytes]) -> None:
    """Writes all pieces to a process, as long as it reads them."""
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError):
        for piece in source:
            process.stdin.write(piece)
    with contextlib.suppress(BrokenPipeError):
        process.stdin.close()


@contextlib.contextmanager
def secret_file(secret: bytes) -> Iterator[int]:
    """A pipe with the secret: it is neither on a disk nor in a list of processes."""
    read, write = os.pipe()
    try:
        with os.fdopen(write, "wb") as file:
            file.write(secret)
        yield read
    finally:
        os.close(read)


def describe_end(finished: Finished) -> str:
    """Says how a run ended without doing its job."""
    if finished.code < 0:
        name = signal.Signals(-finished.code).name
        out_of_memory = "; was the machine out of memory?" if name == "SIGKILL" else ""
        end = f"was ended by {name}{out_of_memory}"
    else:
        end = f"ended with exit code {finished.code}"
        end += "" if finished.code not in DONE or finished.output else " and wrote no result"
    return f"{end}: {finished.message}" if finished.message else end


def find_program(sent: str | None) -> str:
    """Returns the path of the program on this machine: where files of the job are, in the working folder, or on the PATH."""
    for path in [sent, str(Path.cwd() / "sundown"), shutil.which("sundown")]:
        if path and Path(path).is_file():
            return path
    raise SundownError(f"the program is not on {platform.node()}: send it with --sundown FILE, or install it there, on the PATH")
