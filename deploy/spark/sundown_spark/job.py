"""The job: plans what is read how, runs the tasks, merges their partial results, and writes the reports."""

import datetime
import json
import math
import re
import secrets
import shutil
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from . import arguments as args
from .arguments import JobArguments
from .inputs import InputError, InputFile, Plan, make_plan, pack
from .program import DONE, Finished, Program, SundownError, describe_end
from .storage import Storage
from .tasks import Kit, merge_partials, scan_contents, scan_files, scan_piped, zip_folder

# How many partial results a task merges.
FAN_IN = 16

# The shortest secret that sundown takes, in bytes.
SHORTEST_SECRET = 16

# The oldest version with which the jobs were tried.
OLDEST_SPARK = (3, 5)


def main(command: str, argv: Sequence[str]) -> int:
    """Runs a job, and returns the exit code of sundown."""
    options = args.parse(command, argv)
    try:
        return run(options)
    except (InputError, SundownError) as error:
        print(f"error: {error}", file=sys.stderr)
    except Exception:
        # The exit code 1 would mean that all was done.
        traceback.print_exc()
    return 2


def run(options: JobArguments) -> int:
    """Runs a job in a Spark session of its own, or in that of the platform, which goes on."""
    from pyspark import __version__
    from pyspark.sql import SparkSession

    if tuple(int(number) for number in __version__.split(".")[:2]) < OLDEST_SPARK:
        raise SundownError(f"this job needs Spark {'.'.join(map(str, OLDEST_SPARK))} or newer, and this is Spark {__version__}")
    is_own = SparkSession.getActiveSession() is None
    session = SparkSession.builder.appName(f"sundown {options.command}").getOrCreate()
    try:
        with tempfile.TemporaryDirectory(prefix="sundown-") as scratch:
            return Job(options, session, Path(scratch)).run()
    finally:
        if is_own:
            session.stop()


class Job:
    """One run on a cluster."""

    def __init__(self, options: JobArguments, session: Any, scratch: Path) -> None:
        """Prepares what the driver and the executors need."""
        self.options = options
        self.session = session
        self.context = session.sparkContext
        self.scratch = scratch
        self.storage = Storage(self.context)
        self.ship_code()
        self.scan_arguments = list(options.scan)
        if not args.has_option(options.scan, "--as-of"):
            # All tasks and the report are of the same day.
            self.scan_arguments.append(f"--as-of={datetime.datetime.now(datetime.timezone.utc).date()}")
        self.report_arguments = args.select(self.scan_arguments, *args.REPORT_OPTIONS[options.command])
        self.kit = Kit(
            command=options.command,
            arguments=self.scan_arguments,
            program_name=self.ship_program(),
            project=zip_folder(options.project) if options.project else None,
            secret=self.secret(),
            cat=options.cat,
        )

    def ship_code(self) -> None:
        """Sends this package to the executors, unless spark-submit has done so."""
        package = Path(__file__).parent
        if package.is_dir():
            archive = shutil.make_archive(str(self.scratch / "sundown_spark"), "zip", package.parent, package.name)
            self.context.addPyFile(archive)

    def ship_program(self) -> str:
        """Sends the program to the executors, and returns its name there. `spark-submit --files sundown` does the same."""
        if self.options.program is None:
            return "sundown"
        path = Path(self.options.program)
        if not path.is_file():
            raise InputError(f"--sundown: no file is at {path}")
        self.context.addFile(str(path.resolve()))
        return path.name

    def secret(self) -> bytes | None:
        """The secret for hashes of callers: all tasks need the same. Without hashes there is none, so that results of different
        jobs can be merged.
        """
        if self.options.caller_key_file is None:
            return secrets.token_hex(32).encode() if args.hashes_callers(self.options.scan) else None
        try:
            secret = Path(self.options.caller_key_file).read_bytes().strip()
        except OSError as error:
            raise InputError(f"--caller-key-file: {self.options.caller_key_file}: {error.strerror}") from None
        if len(secret) < SHORTEST_SECRET:
            raise InputError(f"--caller-key-file: {self.options.caller_key_file} has fewer than {SHORTEST_SECRET} bytes")
        return secret

    def run(self) -> int:
        """Runs all steps."""
        self.storage.check_output(self.options.output, overwrite=self.options.overwrite)
        files, hidden = self.storage.list_files(self.options.inputs, self.options.base)
        if hidden:
            say(f"{hidden} hidden files (names with a dot or an underscore at the beginning) are not read")
        if not files:
            raise InputError("--input: no file is in the folders; the exit code is 2, because nothing was checked")
        with self.kit.program() as program:
            self.check_arguments(program)
            plan = make_plan(files, whole_limit=self.options.whole_limit, has_cat=self.options.cat is not None)
            say(f"{len(files)} files with {sum(file.size for file in files)} bytes")
            partial = self.merge(self.scan(plan))
            return self.report(program, partial, files)

    def check_arguments(self, program: Program) -> None:
        """Tries the arguments of the user on an empty input, so that a mistake shows before the cluster works."""
        arguments = [self.kit.command, "-", *self.scan_arguments, "--skip-unrelated", "--partial", "-"]
        finished = program.run(arguments, keyed=self.kit.secret is not None)
        if finished.code not in DONE or not finished.output:
            raise SundownError(f"sundown {self.kit.command} {describe_end(finished)}")
        empty = self.scratch / "empty.partial"
        empty.write_bytes(finished.output)
        for name in self.options.formats:
            self.render(program, empty, name)

    def render(self, program: Program, partial: Path, name: str) -> Finished:
        """Makes a report of a partial result."""
        finished = program.run(["merge", str(partial), f"--format={name}", *self.report_arguments])
        # Without findings, some formats are empty.
        if finished.code not in DONE or (not finished.output and "error:" in finished.message):
            raise SundownError(f"sundown merge {describe_end(finished)}")
        return finished

    def scan(self, plan: Plan) -> list[Any]:
        """The partial results of all tasks, as distributed collections."""
        kit = self.kit
        found = []
        if plan.local:
            bins = pack(plan.local, self.options.task_size)
            found.append(self.context.parallelize(bins, len(bins)).mapPartitions(scan_files(kit)))
        if plan.piped:
            bins = [[file] for file in plan.piped]
            found.append(self.context.parallelize(bins, len(bins)).mapPartitions(scan_piped(kit)))
        if plan.remote:
            by_path = {file.path: file for file in plan.remote}
            # Nothing is skipped silently.
            reader = self.session.read.option("ignoreCorruptFiles", "false").option("ignoreMissingFiles", "false")
            rows = reader.format("binaryFile").load([escape_globs(path) for path in by_path])
            rows = rows.select("path", "content").rdd
            found.append(rows.mapPartitions(scan_contents(kit, by_path)))
        return found

    def merge(self, found: list[Any]) -> bytes:
        """Merges partial results in a tree on the executors. The driver gets one."""
        partials = self.context.union(found)
        count = partials.getNumPartitions()
        while True:
            count = math.ceil(count / FAN_IN)
            keyed = partials.mapPartitionsWithIndex(number_by(count))
            partials = keyed.partitionBy(count, int).mapPartitions(merge_partials(self.kit))
            if count == 1:
                break
        merged: list[bytes] = partials.collect()
        if len(merged) != 1:
            raise SundownError(f"the tasks have given {len(merged)} results instead of 1")
        return merged[0]

    def report(self, program: Program, partial: bytes, files: list[InputFile]) -> int:
        """Writes the reports and the merged partial result, and returns the exit code of sundown."""
        command = self.options.command
        merged = self.scratch / f"{command}.partial"
        merged.write_bytes(partial)
        written, codes = [merged], []
        for name in dict.fromkeys(["json", *self.options.formats]):
            finished = self.render(program, merged, name)
            codes.append(finished.code)
            if name == "json":
                codes.append(check_files(json.loads(finished.output), len(files)))
            if name in self.options.formats:
                file = self.scratch / f"{command}.{args.ENDINGS[command][name]}"
                file.write_bytes(finished.output)
                written.append(file)
        self.storage.check_output(self.options.output, overwrite=self.options.overwrite)
        self.storage.publish(self.options.output, written)
        say(f"the result is in {self.options.output}")
        return max(codes)


def check_files(report: dict[str, Any], planned: int) -> int:
    """Makes sure that every file was read. Returns the exit code 2 if nothing in them was checked."""
    counts = report["summary"] if "summary" in report else report["input"]
    if counts["files"] != planned:
        read = f"{counts['files']} of {planned} files were read"
        raise SundownError(f"{read}; Spark has left out the others, and the result is not written")
    if counts["records"] == 0:
        say("nothing was checked: no file has a call; the exit code is 2")
        return 2
    return 0


def number_by(count: int) -> Callable[[int, Any], Any]:
    """Numbers the partial results of partitions by the tasks that merge them."""

    def number(index: int, partials: Any) -> Any:
        return ((index % count, partial) for partial in partials)

    return number


def escape_globs(path: str) -> str:
    """A path whose characters mean themselves."""
    return re.sub(r"([{}\[\]*?\\])", r"\\\1", path)


def say(text: str) -> None:
    """Prints progress. Standard output is free for other uses."""
    print(f"sundown: {text}", file=sys.stderr)
    sys.stderr.flush()
