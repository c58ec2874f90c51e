"""Decides what is read how: which files there are, which of them may be cut, and which do not fit into memory."""

import fnmatch
import posixpath
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

# Endings by which Hadoop or sundown decompress a file. Compressed files are never cut, and their data is not decompressed by
# Spark: a damaged file would end the job, and sundown reports it and checks the data before the damage.
COMPRESSED = (
    ".gz",
    ".gzip",
    ".bz2",
    ".zst",
    ".xz",
    ".br",
    ".lz4",
    ".lzo",
    ".snappy",
    ".deflate",
    ".zip",
    ".tgz",
    ".7z",
    ".tar",
)

# The formats of lines, as `sundown formats` names them.
LINE_FORMATS = ("ndjson", "access-log")

# How much of a file its format is recognised by. One that needs more is not cut.
HEAD = 4 << 20

BYTE_ORDER_MARK = b"\xef\xbb\xbf"

# Folders of other tools' files, as in `sundown check`.
TOOL_FOLDERS = {"node_modules"}


class InputError(Exception):
    """The input cannot be read as it is named."""


@dataclass(frozen=True)
class InputFile:
    """A file of the job."""

    # As Hadoop names it, and the same with characters escaped as in a URL.
    path: str
    url: str
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
        arguments = [f"--stdin-filename={self.name}", f"--stdin-size={self.size}"]
        return arguments if self.is_named else [*arguments, "--skip-unrelated"]


@dataclass(frozen=True)
class Part:
    """A part of a log: its position, and what has to be in it."""

    file: InputFile
    format: str
    # The bytes, lines, and lines that are not blank before it.
    position: tuple[int, int, int]
    # The bytes and lines in it; each line counts with a line feed.
    size: int
    lines: int
    # Whether its last line has a line feed.
    is_ended: bool

    def scan_arguments(self) -> list[str]:
        """How a scan is told which part of a file its standard input is."""
        position = ":".join(str(count) for count in self.position)
        return [*self.file.scan_arguments(), f"--input-format={self.format}", f"--stdin-position={position}"]


@dataclass(frozen=True)
class SplitCounts:
    """The lines that begin in one split of a file, as Spark counts them."""

    start: int
    size: int
    lines: int
    records: int


@dataclass
class Plan:
    """How the files are read."""

    # Files that the machines open by their paths, and empty files, which Spark leaves out.
    local: list[InputFile] = field(default_factory=list)
    # Files that Spark reads into memory.
    remote: list[InputFile] = field(default_factory=list)
    # Files that a command writes.
    piped: list[InputFile] = field(default_factory=list)
    # Logs that are cut, with their formats.
    logs: list[tuple[InputFile, str]] = field(default_factory=list)

    @property
    def whole(self) -> list[InputFile]:
        """The files that are not cut."""
        return [*self.local, *self.remote, *self.piped]


def normal_url(url: str) -> str:
    """A URL of a file in one spelling: those of local files have one slash or three."""
    return re.sub(r"^file:/+", "file:/", url)


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


def may_be_cut(file: InputFile, split_size: int, whole: Sequence[str]) -> bool:
    """Returns whether a file is to be cut if it turns out to be a log."""
    name = posixpath.basename(file.path)
    is_whole = any(fnmatch.fnmatch(name, glob) or fnmatch.fnmatch(file.name, glob) for glob in whole)
    return file.size > split_size and not is_whole and not name.lower().endswith(COMPRESSED)


def line_format(recognised: str, head: bytes) -> str | None:
    """The format of a log of lines, from the output of `sundown formats` for its beginning; `None` for all that has to be read
    as a whole. Spark's reader of lines leaves out a byte order mark, which counts in positions.
    """
    name = recognised.strip().rpartition(": ")[2]
    return name if name in LINE_FORMATS and not head.startswith(BYTE_ORDER_MARK) else None


def make_plan(
    files: Iterable[InputFile],
    format_of: Callable[[InputFile], str | None],
    *,
    split_size: int,
    whole_limit: int,
    whole: Sequence[str],
    has_cat: bool,
) -> Plan:
    """Decides how each file is read."""
    plan = Plan()
    too_large = []
    for file in files:
        log_format = format_of(file) if may_be_cut(file, split_size, whole) else None
        if log_format is not None:
            plan.logs.append((file, log_format))
        elif not add_whole(plan, file, whole_limit, has_cat):
            too_large.append(file)
    if too_large:
        names = ", ".join(f"{file.name} ({file.size} bytes)" for file in too_large[:5])
        more = f" and {len(too_large) - 5} more" if len(too_large) > 5 else ""
        raise InputError(
            f"too large to be read into an executor's memory: {names}{more}; these files cannot be cut. Name a command that "
            "writes them (--cat 'hadoop fs -cat'), raise --whole-limit and the memory of executors, or mount the storage"
        )
    return plan


def add_whole(plan: Plan, file: InputFile, whole_limit: int, has_cat: bool) -> bool:
    """Decides how a file is read that is not cut. Returns whether there is a way."""
    if file.local_path is not None or file.size == 0:
        plan.local.append(file)
    elif file.size <= whole_limit:
        plan.remote.append(file)
    elif has_cat:
        plan.piped.append(file)
    else:
        return False
    return True


def put_whole(plan: Plan, file: InputFile, *, whole_limit: int, has_cat: bool) -> None:
    """Reads a log as a whole after all."""
    plan.logs = [(log, name) for log, name in plan.logs if log != file]
    if not add_whole(plan, file, whole_limit, has_cat):
        raise InputError(
            f"{file.name} ends without a line feed, and its last line is alone in the last split, so the log cannot be cut "
            "there. Choose another --split-size, or name a command that writes the file (--cat 'hadoop fs -cat')"
        )


def make_parts(file: InputFile, log_format: str, splits: Iterable[SplitCounts]) -> list[tuple[int, Part]] | None:
    """The parts of a log, by the offsets of Spark's splits; `None` if it has to be read as a whole.

    Whether the last line was cut off shows in comparison with the line before it, so the last part needs two lines.
    """
    offset, lines, records = 0, 0, 0
    parts = []
    ordered = sorted(splits, key=lambda split: split.start)
    # Spark gives lines without line feeds, and not whether the last one has one.
    total = sum(split.size for split in ordered)
    is_ended = total == file.size
    if total not in (file.size, file.size + 1):
        raise InputError(f"{file.name} has {total} bytes instead of {file.size}: it was changed while it was read; try again")
    for split in ordered:
        is_last = split is ordered[-1]
        part = Part(file, log_format, (offset, lines, records), split.size, split.lines, is_ended or not is_last)
        parts.append((split.start, part))
        offset, lines, records = offset + split.size, lines + split.lines, records + split.records
    if not is_ended and ordered and ordered[-1].records < 2:
        return None
    return parts


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
