"""Decides how each file is read, and which do not fit into memory."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

# Folders of other tools' files, as in `sundown check`.
TOOL_FOLDERS = {"node_modules"}


class InputError(Exception):
    """The input cannot be read as it is named."""


@dataclass(frozen=True)
class InputFile:
    """A file of the job."""

    # As Hadoop names it.
    path: str
    size: int
    # The user named it, and expects something to check in it. Others were found in a folder.
    is_named: bool
    # The name in reports.
    name: str

    @property
    def local_path(self) -> str | None:
        """The path on the file systems of the machines, if it is one."""
        return self.path.removeprefix("file:").replace("//", "/", 1) if self.path.startswith("file:") else None

    def scan_arguments(self) -> list[str]:
        """How a scan is told what its standard input is."""
        return [f"--stdin-filename={self.name}", *([] if self.is_named else ["--skip-unrelated"])]


@dataclass
class Plan:
    """How the files are read."""

    # Files that the machines open by their paths, and empty files, which Spark leaves out.
    local: list[InputFile] = field(default_factory=list)
    # Files that Spark reads into memory.
    remote: list[InputFile] = field(default_factory=list)
    # Files that a command writes.
    piped: list[InputFile] = field(default_factory=list)


def is_hidden(path: str, below: str) -> bool:
    """Returns whether a file in a folder is one of another program: its name, or that of a folder on the way to it, begins with
    a dot or an underscore, as those of markers and temporary files in Hadoop do.
    """
    parts = path.removeprefix(below).strip("/").split("/")
    return any(part.startswith((".", "_")) or part in TOOL_FOLDERS for part in parts)


def without_credentials(path: str) -> str:
    """Removes a password from the authority of a URI. The name before `@` is part of an address in some schemes (abfss)."""
    return re.sub(r"^([a-z][a-z0-9+.-]*://[^/:@]*):[^/@]*@", r"\1@", path, flags=re.IGNORECASE)


def report_name(path: str, base: str | None) -> str:
    """The name of a file in reports: below the base, or its address."""
    if base is not None and path.startswith(f"{base.rstrip('/')}/"):
        return path[len(base.rstrip("/")) + 1 :]
    return re.sub(r"^file:(//)?(?=/)", "", without_credentials(path))


def make_plan(files: Iterable[InputFile], *, whole_limit: int, has_cat: bool) -> Plan:
    """Decides how each file is read."""
    plan = Plan()
    too_large = []
    for file in files:
        if file.local_path is not None or file.size == 0:
            plan.local.append(file)
        elif file.size <= whole_limit:
            plan.remote.append(file)
        elif has_cat:
            plan.piped.append(file)
        else:
            too_large.append(file)
    if too_large:
        names = ", ".join(f"{file.name} ({file.size} bytes)" for file in too_large[:5])
        more = f" and {len(too_large) - 5} more" if len(too_large) > 5 else ""
        raise InputError(
            f"too large to be read into an executor's memory: {names}{more}. Name a command that writes these files "
            "(--cat 'hadoop fs -cat'), raise --whole-limit and the memory of executors, or mount the storage"
        )
    return plan


def pack(files: Iterable[InputFile], most: int) -> list[list[InputFile]]:
    """Packs small files into tasks of about so many bytes; a larger file has a task of its own."""
    bins: list[list[InputFile]] = []
    size = most
    for file in sorted(files, key=lambda file: (-file.size, file.path)):
        # Starting a process costs about as much as reading a megabyte.
        cost = file.size + (1 << 20)
        if size + cost > most:
            bins.append([])
            size = 0
        bins[-1].append(file)
        size += cost
    return bins
