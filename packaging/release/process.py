"""Ends the release script with one sentence, and runs other programs that may fail."""

import os
import shutil
import subprocess
from pathlib import Path

from .package import ROOT


class Stop(Exception):
    """Ends the script. Its text is one sentence for the user."""


def run(*command, environment=None, show=False):
    """Runs a program in the root of the checkout and returns the bytes that it prints, or shows them. Errors are shown."""
    command = [str(part) for part in command]
    name = Path(command[0]).name
    if command[0].endswith(".sh"):
        command.insert(0, "bash")
    # The path, because Windows would look in its own folders first and find another bash.
    path = shutil.which(command[0])
    if path is None:
        raise Stop(f"{name} is missing")
    streams = {"stdout": None if show else subprocess.PIPE}
    try:
        done = subprocess.run([path, *command[1:]], cwd=ROOT, env=environment, check=False, **streams)
    except OSError as error:
        raise Stop(f"{name} cannot be run on this machine: {error.strerror}") from None
    if done.returncode:
        raise Stop(f"{name} failed with exit code {done.returncode}; its messages are above")
    return done.stdout


def read_text(*command):
    """The output of a program as text, without the line end."""
    return run(*command).decode().strip()


def release_environment():
    """The environment without what would change the bytes of a release, and with the time of the release."""
    ignored = ("CARGO_PROFILE_", "CARGO_BUILD_", "RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "RUSTC_WRAPPER", "CFLAGS")
    environment = {key: value for key, value in os.environ.items() if not key.startswith(ignored)}
    if "SOURCE_DATE_EPOCH" not in environment:
        environment["SOURCE_DATE_EPOCH"] = read_text("git", "log", "-1", "--format=%ct")
    if not environment["SOURCE_DATE_EPOCH"].isdecimal():
        raise Stop("SOURCE_DATE_EPOCH is no number of seconds since 1970")
    return environment
