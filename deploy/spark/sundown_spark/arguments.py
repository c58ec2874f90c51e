"""The arguments of a job, and those of sundown that follow them after `--`."""

import argparse
import itertools
from collections.abc import Sequence
from dataclasses import dataclass

# What a job sets itself: an argument of the user would have no effect, or break the exchange of results.
RESERVED = {
    "--format": "use the --format of the job, before `--`",
    "--partial": "the merged partial result is always written",
    "--caller-key-file": "use the --caller-key-file of the job, before `--`: the driver reads it",
    "--stdin-filename": "the job sets it",
    "--skip-unrelated": "the job sets it",
    "--threads": "the job sets it to the processors of a task (spark.task.cpus)",
    "--changed-since": "a job reads no repository",
}

# The options of `sundown usage` that say how the report is made, which `sundown merge` takes. With those that take no value.
REPORT_OPTIONS = (
    {"--quiet-days", "--min-uses", "--min-share", "--as-of"},
    {"--all", "--called-only", "--gate", "--strict"},
)

# The options of `sundown check` that decide its exit code, or where the settings are that do.
GATE_OPTIONS = ({"--config", "--fail-on"}, {"--no-config", "--allow-outside", "--strict"})

# The attributes of callers whose values are hashed unless the user wants to see them.
HASHED_ATTRIBUTES = ("header:", "member:")

# The endings of the reports of usage, by format.
ENDINGS = {"human": "txt", "json": "json", "csv": "csv", "markdown": "md", "html": "html"}

# The formats in which the rows of findings are written.
ROW_FORMATS = ["parquet", "json"]

SIZE_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}

# Spark reads a file into one array of bytes.
MOST_IN_MEMORY = (1 << 31) - (1 << 20)


@dataclass(frozen=True)
class JobArguments:
    """What the user asks for."""

    command: str
    inputs: list[str]
    # `None` only for `check`: then the rows are not written.
    output: str | None
    overwrite: bool
    formats: list[str]
    program: str | None
    project: str | None
    caller_key_file: str | None
    whole_limit: int
    cat: str | None
    base: str | None
    scan: list[str]


def parse(command: str, argv: Sequence[str]) -> JobArguments:
    """Parses the command line; exits with 2 and a message if it has a mistake."""
    own, scan = split_at_dashes(argv)
    parser = build_parser(command)
    options = parser.parse_args(own)
    for argument in scan:
        name = argument.split("=", 1)[0]
        if name in RESERVED:
            parser.error(f"{name} cannot be given after `--`: {RESERVED[name]}")
    caller_key_file = getattr(options, "caller_key_file", None)
    if caller_key_file and not has_option(scan, "--by"):
        parser.error("--caller-key-file needs callers: add `-- --by ATTRIBUTE`")
    if options.output is None and (options.format or options.overwrite):
        parser.error("nothing is written without --output DIR")
    defaults = ["human", "json"] if command == "usage" else ROW_FORMATS[:1]
    return JobArguments(
        command=command,
        inputs=[path for paths in options.input for path in paths],
        output=options.output,
        overwrite=options.overwrite,
        formats=list(dict.fromkeys(options.format or defaults)),
        program=options.sundown,
        project=options.project,
        caller_key_file=caller_key_file,
        whole_limit=min(options.whole_limit, MOST_IN_MEMORY),
        cat=options.cat,
        base=options.base,
        scan=scan,
    )


def build_parser(command: str) -> argparse.ArgumentParser:
    """The parser of a job's own arguments."""
    parser = argparse.ArgumentParser(
        prog=f"spark-submit sundown_{command}.py",
        description=f"Runs `sundown {command}` on a cluster, and gives one result for all files together.",
        epilog=f"Arguments after `--` are those of `sundown {command}`.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add(
        "--input",
        action="append",
        nargs="+",
        required=True,
        metavar="PATH",
        help="files, folders or globs, on any file system that Spark reads; repeatable",
    )
    add("--overwrite", action="store_true", help="replace the result of another job in the folder of --output")
    if command == "usage":
        add("--output", required=True, metavar="DIR", help="the folder for the reports and the merged partial result")
        add(
            "--format",
            action="append",
            choices=sorted(ENDINGS),
            help="a format of the report; repeatable (default: human and json)",
        )
        add("--caller-key-file", metavar="FILE", help="the secret for hashes of callers (default: a new one for the job)")
    else:
        add("--output", metavar="DIR", help="the folder for the rows of findings and objects (default: only the exit code counts)")
        add("--format", nargs=1, choices=ROW_FORMATS, help="how the rows are written (default: parquet)")
    add(
        "--sundown",
        metavar="FILE",
        help="the program, which is sent to the executors (default: `sundown` in the working folder or on the PATH)",
    )
    add(
        "--project",
        metavar="FOLDER",
        help="a folder with a configuration, rules and a baseline, which is sent to the executors: there it is the "
        "working folder, so that paths after `--` are relative to it",
    )
    add(
        "--whole-limit",
        type=parse_size,
        default="256M",
        metavar="SIZE",
        help="the largest file that Spark may read into the memory of an executor (default: 256M, at most 2G)",
    )
    add(
        "--cat",
        metavar="COMMAND",
        help="the command that writes a larger file to standard output, for example `hadoop fs -cat`",
    )
    add("--base", metavar="PATH", help="report the names of files relative to this folder")
    return parser


def split_at_dashes(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """Divides the arguments of the job from those of sundown."""
    arguments = list(argv)
    if "--" not in arguments:
        return arguments, []
    at = arguments.index("--")
    return arguments[:at], arguments[at + 1 :]


def parse_size(text: str) -> int:
    """Parses a number of bytes with a unit; an argparse type."""
    number, unit = (text[:-1], SIZE_UNITS.get(text[-1:].upper(), 0)) if not text.isdigit() else (text, 1)
    if not number.isdigit() or not unit or int(number) * unit < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size: sizes look like 128M or 1G")
    return int(number) * unit


def has_option(arguments: Sequence[str], name: str) -> bool:
    """Returns whether an option is given, in either spelling."""
    return any(argument == name or argument.startswith(f"{name}=") for argument in arguments)


def values_of(arguments: Sequence[str], name: str) -> list[str]:
    """The values that are given for an option, in either spelling."""
    following = [value for argument, value in itertools.pairwise(arguments) if argument == name]
    return following + [argument.partition("=")[2] for argument in arguments if argument.startswith(f"{name}=")]


def hashes_callers(arguments: Sequence[str]) -> bool:
    """Returns whether a scan hashes values of callers, which takes a secret."""
    is_hashed = any(value.startswith(HASHED_ATTRIBUTES) for value in values_of(arguments, "--by"))
    return is_hashed and not has_option(arguments, "--show-callers")


def select(arguments: Sequence[str], with_value: set[str], without: set[str]) -> list[str]:
    """The arguments that are one of the named options, with their values."""
    selected: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        name, has_value = argument.split("=", 1)[0], "=" in argument
        if name in without or (name in with_value and has_value):
            selected.append(argument)
        elif name in with_value:
            selected += [argument, *[value for value in [next(rest, None)] if value is not None]]
    return selected
