"""Finds the program on a machine, and runs it: fed with data, and with every way to fail noticed."""

import contextlib
import os
import platform
import shutil
import signal
import struct
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

# The values of e_machine in the header of an ELF file.
ELF_MACHINES = {0x3E: "x86_64", 0xB7: "aarch64"}

# How the last line of a partial result begins.
PARTIAL_END = b'{"end":'

# Standard error has messages about files, never values; a limit for the log of the driver.
MOST_MESSAGE = 4000

# The exit codes with which a scan has done its job: no findings, findings, and something that could not be checked.
DONE = (0, 1, 2)


class SundownError(Exception):
    """The program cannot be run, or did not do its job. The message has no value of an input."""


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

    def run(self, arguments: Sequence[str], source: Iterable[bytes] | IO[bytes] = (), *, keyed: bool = False) -> Finished:
        """Runs the program with data from a file or in pieces.

        Its output goes to unnamed files, so that neither side can wait for the other. It may end before it has read all
        data: what is no capture is not read to its end.
        """
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors, contextlib.ExitStack() as stack:
            key = [stack.enter_context(secret_file(self.secret))] if keyed and self.secret else []
            is_file = hasattr(source, "fileno")
            command = [self.path, *arguments, *[f"--caller-key-file=/dev/fd/{number}" for number in key]]
            try:
                process = subprocess.Popen(
                    command,
                    stdin=source if is_file else subprocess.PIPE,  # type: ignore[arg-type]
                    stdout=output,
                    stderr=errors,
                    cwd=self.folder,
                    pass_fds=key,
                )
            except OSError as error:
                raise SundownError(describe_failed_start(self.path, error)) from None
            try:
                if not is_file:
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

    def run_for_partial(
        self, arguments: Sequence[str], source: Iterable[bytes] | IO[bytes], what: str, *, keyed: bool = False
    ) -> bytes:
        """Runs a command that writes a partial result, and returns that.

        The exit code 2 is no failure if there is one: it says that a file, or a piece of one, could not be checked.
        """
        finished = self.run([*arguments, "--partial", "-"], source, keyed=keyed)
        if finished.code in DONE and is_whole_partial(finished.output):
            return finished.output
        raise SundownError(f"{what}: sundown {describe_end(finished)}")


def is_whole_partial(output: bytes) -> bool:
    """Returns whether an output ends like a partial result. The program that merges it checks everything else."""
    last = output[:-1].rfind(b"\n") + 1
    return output.endswith(b"\n") and output.startswith(PARTIAL_END, last)


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


def find_program(sent: str | None, folder: str) -> str:
    """Returns the path of the program on this machine: where files of the job are, in the working folder, or on the PATH."""
    for path in [sent, str(Path.cwd() / "sundown"), shutil.which("sundown")]:
        if path and Path(path).is_file():
            check_program(path, folder)
            return path
    raise SundownError(f"the program is not on {platform.node()}: send it with --sundown FILE, or install it there, on the PATH")


def check_program(path: str, folder: str) -> None:
    """Raises an error with a remedy if the program does not run on this machine."""
    finished = Program(path, folder).run(["--version"])
    if finished.code != 0 or not finished.output.startswith(b"sundown "):
        raise SundownError(f"{path} on {platform.node()} is not the program sundown, or does not run: {describe_end(finished)}")


def describe_failed_start(path: str, error: OSError) -> str:
    """Says why a program could not be started, and what helps."""
    machine, built_for = platform.machine(), elf_machine(path)
    on = f"{path} cannot be run on {platform.node()}"
    if built_for and built_for != machine:
        return f"{on}: it is built for {built_for}, and this is a machine with {machine}; send the program for {machine}"
    if isinstance(error, PermissionError):
        return f"{on}: it is not executable, or its disk is mounted with `noexec`; name a folder without it in spark.local.dir"
    if isinstance(error, FileNotFoundError) and Path(path).exists():
        return f"{on}: the C library that it needs is missing; send the static program (musl)"
    return f"{on}: {error.strerror}"


def elf_machine(path: str) -> str | None:
    """Returns the processor for which a Linux program is built, if it is known."""
    try:
        with open(path, "rb") as file:
            header = file.read(20)
    except OSError:
        return None
    if len(header) < 20 or not header.startswith(b"\x7fELF"):
        return None
    return ELF_MACHINES.get(struct.unpack("<H", header[18:20])[0])
