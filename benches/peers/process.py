"""Runs one process to its end: how long it took, how much memory it had at most, and what it said."""

import ctypes
import os
import select
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

# The kernel never lets a process's peak fall below what it had before `exec`, which is its parent's size. A child of
# this interpreter would start at the interpreter's; the child of a shell starts at a shell's, about 1 MiB. The shell
# ends and leaves the child to this process, which therefore has to be a "subreaper". The child then waits for a line
# before it becomes the command: a shell that is still there might collect it first.
PR_SET_CHILD_SUBREAPER = 36
SPAWN = """
out=$1 err=$2
shift 2
exec 3<&0
{ read -r go <&3; exec "$@" >"$out" 2>"$err" </dev/null 3<&-; } &
echo $!
"""


class Run(NamedTuple):
    seconds: float
    peak_kib: int
    status: int | None  # None: stopped after the timeout
    output: str
    error: str
    user_seconds: float


def run(command, environment=None, timeout=None, keep_output=True):
    """`keep_output=False` is for what writes too much to keep: it goes nowhere."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with tempfile.TemporaryDirectory() as directory:
        out = Path(directory, "out") if keep_output else Path(os.devnull)
        err = Path(directory, "err")
        with spawn([out, err, *command], os.environ | (environment or {})) as shell:
            child = int(shell.stdout.readline())
            shell.wait()
            start = time.perf_counter()
            shell.stdin.write(b"\n")
            shell.stdin.flush()
            in_time = False
            try:
                in_time = wait_for_end(child, timeout)
            finally:
                if not in_time:  # too late, or this program was interrupted, of which the child's session hears nothing
                    os.killpg(shell.pid, signal.SIGKILL)
            _, status, usage = os.wait4(child, 0)
            seconds = time.perf_counter() - start
        output = out.read_text("utf-8", "replace") if keep_output else ""
        status = os.waitstatus_to_exitcode(status) if in_time else None
        return Run(seconds, usage.ru_maxrss, status, output, err.read_text("utf-8", "replace"), usage.ru_utime)


def spawn(arguments, environment):
    command = ["sh", "-c", SPAWN, "sh", *map(str, arguments)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    return subprocess.Popen(command, env=environment, start_new_session=True, **pipes)


def wait_for_end(process, timeout):
    """Whether it ended in time; without polling, which would round short times up."""
    descriptor = os.pidfd_open(process)
    try:
        ended, _, _ = select.select([descriptor], [], [], timeout)
        return bool(ended)
    finally:
        os.close(descriptor)


def warm(file: Path):
    """Evicts the file and reads it twice. How the kernel came to cache a file can make reading it three times slower;
    after this, every file that is compared was cached in the same way."""
    with file.open("rb", buffering=0) as raw:
        os.fsync(raw.fileno())  # pages that are still to be written cannot be evicted
        os.posix_fadvise(raw.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    for _ in range(2):
        read(file)


def read(file: Path):
    block = bytearray(1 << 20)
    with file.open("rb", buffering=0) as raw:
        while raw.readinto(block):
            pass
