"""The jobs: plan what is read how, run the tasks, and bring their results together."""

import atexit
import datetime
import json
import math
import re
import secrets
import shutil
import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import arguments as args
from .arguments import JobArguments
from .program import DONE, Finished, Program, SundownError, describe_end
from .rows import Gate, exit_code, schema
from .tasks import RESULTS, Kit, merge_partials, report_name, scan_contents, scan_piped

# How many partial results a task merges.
FAN_IN = 16

# The sizes of the secrets that sundown takes, in bytes.
SHORTEST_SECRET, LONGEST_SECRET = 16, 4096

# The size of the largest folder of --project, in bytes.
LARGEST_PROJECT = 64 << 20

# The oldest version with which the jobs were tried.
OLDEST_SPARK = (3, 5)

# The mark of a complete result, as other jobs of Spark write it.
SUCCESS = "_SUCCESS"


def main(command: str, argv: Sequence[str]) -> int:
    """Runs a job, and returns the exit code of sundown."""
    options = args.parse(command, argv)
    try:
        return run(options)
    except SundownError as error:
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
        job = Job(options, session)
        return job.count() if options.command == "usage" else job.check()
    finally:
        if is_own:
            session.stop()


def findings(session: Any, argv: Sequence[str]) -> Any:
    """The DataFrame of a check with these arguments of the job: a row for each finding, and one for each object.

    Whoever uses it more than once persists it first, so that the objects are scanned once.
    """
    return Job(args.parse("check", argv), session).rows()


class Job:
    """One run on a cluster."""

    def __init__(self, options: JobArguments, session: Any) -> None:
        """Prepares what the driver and the executors need, and tries it."""
        self.options = options
        self.session = session
        self.context = session.sparkContext
        # Executors may ask for what is in it as long as the session lives.
        self.scratch = Path(tempfile.mkdtemp(prefix="sundown-"))
        atexit.register(shutil.rmtree, self.scratch, ignore_errors=True)
        self.ship_code()
        self.scan_arguments = list(options.scan)
        if not args.has_option(options.scan, "--as-of"):
            # All tasks and the report are of the same day.
            self.scan_arguments.append(f"--as-of={datetime.datetime.now(datetime.timezone.utc).date()}")
        self.kit = Kit(
            command=options.command,
            arguments=self.scan_arguments,
            program_name=self.ship_program(),
            project=self.pack_project() if options.project else None,
            secret=self.secret(),
            cat=options.cat,
            base=options.base,
        )
        self.check_output()
        with self.kit.program() as program:
            self.try_arguments(program)
        self.objects = self.find_objects()

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
            raise SundownError(f"--sundown: no file is at {path}")
        self.context.addFile(str(path.resolve()))
        return path.name

    def pack_project(self) -> bytes:
        """The folder of the project, as an archive."""
        assert self.options.project is not None
        folder = self.scratch / "project"
        shutil.copytree(self.options.project, folder, ignore=shutil.ignore_patterns(".git", "node_modules", "target"))
        if sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) > LARGEST_PROJECT:
            size = f"more than {LARGEST_PROJECT >> 20} MB"
            raise SundownError(f"--project: the folder has {size}; name one with only the configuration and the rules")
        return Path(shutil.make_archive(str(folder), "zip", folder)).read_bytes()

    def secret(self) -> bytes | None:
        """The secret for hashes of callers: all tasks need the same. Without hashes there is none, so that results of different
        jobs can be merged.
        """
        name = self.options.caller_key_file
        if name is None:
            return secrets.token_hex(32).encode() if args.hashes_callers(self.options.scan) else None
        try:
            with open(name, "rb") as file:
                content = file.read(LONGEST_SECRET + 1)
        except OSError as error:
            raise SundownError(f"--caller-key-file: {name}: {error.strerror}") from None
        if len(content) > LONGEST_SECRET:
            raise SundownError(f"--caller-key-file: {name} has more than {LONGEST_SECRET} bytes")
        if len(content.strip()) < SHORTEST_SECRET:
            raise SundownError(f"--caller-key-file: {name} has fewer than {SHORTEST_SECRET} bytes")
        return content.strip()

    def check_output(self) -> None:
        """Raises an error if there is something at the output, and it is not to be replaced or not the result of a job."""
        folder = self.options.output
        if folder is None:
            return
        path, system = self.hadoop_path(folder)
        if not system.exists(path):
            return
        if not system.getFileStatus(path).isDirectory():
            raise SundownError(f"--output: {folder} is a file; name a folder")
        names = sorted(status.getPath().getName() for status in system.listStatus(path))
        if names and not self.options.overwrite:
            raise SundownError(f"--output: {folder} is not empty; name another folder, or replace its result with --overwrite")
        own = r"usage\.(partial|txt|json|csv|md|html)" if self.options.command == "usage" else r"part-.*|_temporary"
        others = [name for name in names if name != SUCCESS and not re.fullmatch(own, name)]
        if others:
            raise SundownError(f"--output: {folder} has files that no job has written, such as {others[0]}; name another folder")

    def hadoop_path(self, text: str) -> tuple[Any, Any]:
        """A path, and its file system."""
        path = self.context._jvm.org.apache.hadoop.fs.Path(text)
        return path, path.getFileSystem(self.context._jsc.hadoopConfiguration())

    def try_arguments(self, program: Program) -> Finished:
        """Tries the arguments of the user on an empty input, so that a mistake shows before the cluster works."""
        result, _ = RESULTS[self.kit.command]
        finished = program.run([self.kit.command, "-", "--skip-unrelated", *self.scan_arguments, *result])
        if finished.code not in DONE or not finished.output:
            raise SundownError(f"sundown {self.kit.command} {describe_end(finished)}")
        return finished

    def find_objects(self) -> Any:
        """Lists the objects, as Spark reads them: without hidden and empty ones."""
        from pyspark.errors import AnalysisException

        # Nothing is skipped silently.
        reader = self.session.read.option("ignoreCorruptFiles", "false").option("ignoreMissingFiles", "false")
        reader = reader.option("recursiveFileLookup", "true").format("binaryFile")
        try:
            self.found = reader.load(self.options.inputs)
        except AnalysisException as error:
            raise SundownError(f"--input: {str(error).splitlines()[0]}") from None
        objects = self.found.select("path", "length").collect()
        if not objects:
            raise SundownError("--input: no file is in the folders; the exit code is 2, because nothing was checked")
        say(f"{len(objects)} files with {sum(found.length for found in objects)} bytes")
        return objects

    def scan(self) -> Any:
        """The results of all tasks, as a distributed collection."""
        limit, base = self.options.whole_limit, self.options.base
        large = [found.path for found in self.objects if found.length > limit]
        if large and self.kit.cat is None:
            names = ", ".join(report_name(path, base) for path in large[:5])
            more = f" and {len(large) - 5} more" if len(large) > 5 else ""
            raise SundownError(
                f"too large to be read into an executor's memory: {names}{more}. Name a command that writes these files "
                "(--cat 'hadoop fs -cat'), or raise --whole-limit and the memory of executors"
            )
        contents = self.found.where(f"length <= {limit}").select("path", "content").rdd.mapPartitions(scan_contents(self.kit))
        if not large:
            return contents
        return contents.union(self.context.parallelize(large, len(large)).mapPartitions(scan_piped(self.kit)))

    def rows(self) -> Any:
        """The rows of a check, which are made where they are used."""
        return self.session.createDataFrame(self.scan(), schema())

    def check(self) -> int:
        """Writes the rows of a check if the user wants that, and returns the exit code of one scan of all objects."""
        frame, output, name = self.rows(), self.options.output, self.options.formats[0]
        with self.kit.program() as program:
            gate = find_gate(program, self.options.scan)
        if output is not None:
            frame.write.mode("overwrite").format(name).save(output)
            frame = self.session.read.schema(frame.schema).format(name).load(output)
        code = exit_code(frame, gate, len(self.objects))
        say(f"the exit code is {code}" + ("" if output is None else f", the result is in {output}"))
        return code

    def count(self) -> int:
        """Writes the reports and the merged partial result of usage, and returns the exit code of sundown."""
        partial = self.scratch / "usage.partial"
        with self.kit.program() as program:
            partial.write_bytes(self.try_arguments(program).output)
            for name in self.options.formats:
                self.render(program, partial, name)
            partial.write_bytes(self.merge(self.scan()))
            reports = {name: self.render(program, partial, name) for name in ["json", *self.options.formats]}
        counts = json.loads(reports["json"].output)["input"]
        if counts["files"] != len(self.objects):
            raise SundownError(f"{counts['files']} of {len(self.objects)} files were read; Spark has left out the others")
        written = {f"usage.{args.ENDINGS[name]}": reports[name].output for name in self.options.formats}
        self.publish({"usage.partial": partial.read_bytes(), **written})
        say(f"the result is in {self.options.output}")
        if counts["records"] == 0:
            say("nothing was checked: no file has a call; the exit code is 2")
            return 2
        return max(report.code for report in reports.values())

    def render(self, program: Program, partial: Path, name: str) -> Finished:
        """Makes a report of a partial result."""
        options = args.select(self.scan_arguments, *args.REPORT_OPTIONS)
        finished = program.run(["merge", str(partial), f"--format={name}", *options])
        if finished.code not in DONE or not finished.output:
            raise SundownError(f"sundown merge {describe_end(finished)}")
        return finished

    def merge(self, partials: Any) -> bytes:
        """Merges partial results in a tree on the executors. The driver gets one."""
        count = partials.getNumPartitions()
        while True:
            count = max(1, math.ceil(count / FAN_IN))
            partials = partials.repartition(count).mapPartitions(merge_partials(self.kit))
            if count == 1:
                break
        merged: list[bytes] = partials.collect()
        if len(merged) != 1:
            raise SundownError(f"the tasks have given {len(merged)} results instead of 1")
        return merged[0]

    def publish(self, files: dict[str, bytes]) -> None:
        """Puts files into the folder of the output, in the place of an earlier result.

        Only a folder with a mark has a complete result, so the mark is removed first and written last.
        """
        self.check_output()
        folder = self.options.output
        for name in [SUCCESS, "usage.partial", *(f"usage.{ending}" for ending in args.ENDINGS.values())]:
            path, system = self.hadoop_path(f"{folder}/{name}")
            system.delete(path, False)
        for name, content in [*files.items(), (SUCCESS, b"")]:
            path, system = self.hadoop_path(f"{folder}/{name}")
            stream = system.create(path, True)
            stream.write(bytearray(content))
            stream.close()


def find_gate(program: Program, scan: Sequence[str]) -> Gate:
    """What decides the exit code, on the command line or in the configuration."""
    page = program.run(["config", "-", *args.select(scan, *args.GATE_OPTIONS)])
    fail_on = re.search(rb'^fail-on = "(\w+)"', page.output, re.MULTILINE)
    if page.code != 0 or not fail_on:
        raise SundownError(f"sundown config {describe_end(page)}")
    return Gate(fail_on[1].decode(), re.search(rb"^strict = true\b", page.output, re.MULTILINE) is not None)


def say(text: str) -> None:
    """Prints progress. Standard output is free for other uses."""
    print(f"sundown: {text}", file=sys.stderr)
    sys.stderr.flush()
