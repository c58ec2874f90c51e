"""Runs the jobs on real executors: python3 run_cluster.py PROGRAM SCRATCH [TEST...].

Each result must be that of one scan by the program alone, whatever happens on the way: the reports of usage to the byte, and all
rows of findings. A TEST is the name of a command (`usage`), of a test of all commands (`killed`), or both (`usage-killed`).
"""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from objects import CANARY, REPOSITORY, make_objects
from pyspark.sql import SparkSession

from sundown_spark.arguments import ENDINGS, REPORT_OPTIONS, ROW_FORMATS
from sundown_spark.job import findings
from sundown_spark.rows import Gate, exit_code

JOBS = REPOSITORY / "deploy/spark"
BIN = Path(sys.executable).parent
KEY = b"a secret of the tests: 8e2f61c0"

# The lines of findings.
FINDINGS = ("finding", "suppressed")

# What each command is asked, besides the rules. Callers: a header field, whose values are hashed, and product tokens.
SCANS = {"usage": ["--by", "header:x-team", "--by", "user-agent"], "check": []}

# Reports name the rules as the command line does. In a folder with traffic, a file with such a name is not read.
RULES_NAME = ".rules.toml"
ARGUMENTS = ["--rules", RULES_NAME, "--no-builtin-rules=false", "--as-of", "2026-11-20"]

# The members of what was not checked that rows have.
SKIPS = ["kind", "reason", "count", "bytes", "line", "column", "detail"]


@dataclass
class Run:
    """A job that has ended."""

    code: int
    text: str
    events: list[dict]

    def task_ends(self) -> list[str]:
        """How each attempt at a task ended."""
        return [event["Task End Reason"]["Reason"] for event in self.events if event["Event"] == "SparkListenerTaskEnd"]


def require(condition: bool, text: str, run: Run | None = None) -> None:
    """Ends the tests with a message unless a condition holds."""
    if not condition:
        if run:
            print(run.text[-6000:], file=sys.stderr)
        sys.exit(f"FAILED: {text}")


class Tests:
    """The tests of the job of a command, in the order in which they run."""

    def __init__(self, command: str, program: Path, scratch: Path) -> None:
        """Writes the objects that most tests use."""
        self.command, self.program, self.scratch = command, program, scratch
        self.scan, self.formats = SCANS[command], list(ENDINGS) if command == "usage" else ["json"]
        self.home = scratch / "spark"
        self.project = scratch / "project"
        self.project.mkdir(exist_ok=True)
        shutil.copy(REPOSITORY / "testdata/usage/rules.toml", self.project / RULES_NAME)
        self.key = scratch / "key"
        self.key.write_bytes(KEY)
        self.objects = scratch / "objects"
        if not self.objects.exists():
            make_objects(self.objects)

    def new_folder(self, name: str, *, is_made: bool = True) -> Path:
        """An empty folder, or the path of one that is not there yet."""
        folder = self.scratch / f"{self.command}-{name}"
        shutil.rmtree(folder, ignore_errors=True)
        if is_made:
            folder.mkdir()
        return folder

    def arguments(self, folder: Path | str, output: Path, *more: str, program: Path | None = None) -> list[str]:
        """The arguments of a job over a folder."""
        own = ["--input", f"{folder}", "--output", str(output), "--base", str(folder), "--project", str(self.project)]
        own += ["--sundown", str(program or self.program), *(f"--format={name}" for name in self.formats), *self.keyed()]
        return [*own, *more, "--", *ARGUMENTS, *self.scan]

    def keyed(self) -> list[str]:
        """The argument with the secret for hashes of callers."""
        return ["--caller-key-file", str(self.key)] if self.command == "usage" else []

    def submit(
        self,
        arguments: list[str],
        settings: dict[str, str] | None = None,
        during: Callable[[int], None] | None = None,
        options: list[str] | None = None,
        jobs: Path = JOBS,
    ) -> Run:
        """Runs the job on two executors; `during` is called again and again with the process of spark-submit."""
        for name in ["work", "events", "local", "driver"]:
            shutil.rmtree(self.home / name, ignore_errors=True)
            (self.home / name).mkdir(parents=True)
        events = {"enabled": "true", "compress": "false", "rolling.enabled": "false", "dir": f"file://{self.home / 'events'}"}
        settings = {f"spark.eventLog.{name}": value for name, value in events.items()} | (settings or {})
        # Many small tasks, so that there is something to merge.
        settings |= {"spark.ui.enabled": "false", "spark.local.dir": str(self.home / "local")}
        settings |= {"spark.pyspark.python": sys.executable, "spark.sql.files.maxPartitionBytes": "256k"}
        settings |= {"spark.sql.files.openCostInBytes": "64k"}
        call = [str(BIN / "spark-submit"), "--master", "local-cluster[2,1,1024]", "--driver-memory", "1g", *(options or [])]
        call += [item for pair in settings.items() for item in ("--conf", "=".join(pair))]
        call += [str(jobs / f"sundown_{self.command}.py"), *arguments]
        own = {"SPARK_WORKER_DIR": str(self.home / "work"), "TMPDIR": str(self.home / "driver"), "SPARK_LOCAL_IP": "127.0.0.1"}
        environment = os.environ | own | {"PATH": f"{BIN}:{os.environ['PATH']}"}
        with (self.scratch / "output").open("w+b") as output:
            process = subprocess.Popen(call, stdout=output, stderr=subprocess.STDOUT, env=environment, cwd=self.home)
            while process.poll() is None:
                if during:
                    during(process.pid)
                time.sleep(0.05 if during else 0.5)
            output.seek(0)
            text = output.read().decode("utf-8", "replace")
        lines = [line for log in (self.home / "events").glob("*") if log.is_file() for line in log.read_text().splitlines()]
        return Run(process.returncode, text, [json.loads(line) for line in lines])

    def alone(self, folder: Path, name: str) -> tuple[int, bytes]:
        """The result of the program alone, from the folder of the objects."""
        shutil.copy(self.project / RULES_NAME, folder)
        files = [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith((".", "_"))]
        names = sorted(str(path.relative_to(folder)) for path in files)
        call = [str(self.program), self.command, *names, "--skip-unrelated", "--no-config", f"--format={name}"]
        done = subprocess.run([*call, *ARGUMENTS, *self.scan, *self.keyed()], cwd=folder, capture_output=True, check=False)
        return done.returncode, done.stdout

    def compare(self, folder: Path, run: Run, output: Path) -> None:
        """Compares the result of a job with that of one scan."""
        require((output / "_SUCCESS").exists(), f"{output} has no mark", run)
        if self.command == "check":
            written = [line for part in output.glob("part-*.json") for line in part.read_text().splitlines()]
            return self.compare_rows(folder, [json.loads(line) for line in written], run.code, run)
        for name in self.formats:
            code, expected = self.alone(folder, name)
            require((output / f"usage.{ENDINGS[name]}").read_bytes() == expected, f"usage: {name} differs from one scan", run)
            require(run.code == code, f"usage: the job ended with {run.code}, and the scan with {code}", run)
        return None

    def compare_rows(self, folder: Path, rows: list[dict], code: int, run: Run | None = None) -> None:
        """Compares rows and an exit code with the lines of one scan."""
        expected_code, text = self.alone(folder, "ndjson")
        lines = text.decode().splitlines()
        found = sorted(row["json"] for row in rows if row["type"] in FINDINGS)
        expected = sorted(line for line in lines if json.loads(line)["type"] in FINDINGS)
        require(found == expected != [], f"{len(found)} findings differ from the {len(expected)} of one scan", run)
        objects = [row for row in rows if row["type"] == "object"]
        summary = json.loads(lines[-1])
        require(len({row["file"] for row in objects}) == len(objects) == summary["files"], "an object has not just one row", run)
        for name in ["records", "no_rule", "bytes", "errors", "warnings", "notes", "allowed", "baselined", "failed", "unrelated"]:
            require(sum(row[name] for row in objects) == summary[name], f"{name} of objects differ from one scan", run)
        skips = [[row["file"], *map(skip.get, SKIPS)] for row in objects for skip in row.get("skipped") or []]
        alone = [[*map(json.loads(line).get, ["file", *SKIPS])] for line in lines if json.loads(line)["type"] == "skipped"]
        require(sorted(map(str, skips)) == sorted(map(str, alone)), "what was not checked differs from one scan", run)
        require(code == expected_code, f"the job ended with {code}, and the scan with {expected_code}", run)

    def say(self, text: str) -> None:
        """Prints what was seen."""
        print(f"{self.command}: {text}", flush=True)

    def test_options(self) -> None:
        """The options of `sundown merge` are known here, so that those of a scan reach it."""
        text = subprocess.run([str(self.program), "merge", "--help"], capture_output=True, check=True).stdout.decode()
        options = set(re.findall(r"^ +(?:-\w, )?(--[a-z-]+)", text, re.MULTILINE))
        known, own = set.union(*REPORT_OPTIONS), {"--format", "--partial", "--help", "--version"}
        require(options - own == known, f"options of `sundown merge` differ: {sorted((options - own) ^ known)}")
        self.say(f"{len(known)} options of `sundown merge` are known")

    def test_frame(self) -> None:
        """In local mode, the DataFrame and what is written of it in each format have the rows of one scan."""
        if self.command == "usage":
            return
        os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
        session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
        output = self.new_folder("frame")
        frame = findings(session, self.arguments(self.objects, output)).persist()
        rows = frame.collect()
        for name in ROW_FORMATS:
            frame.write.format(name).save(str(output / name))
            read = session.read.schema(frame.schema).format(name).load(str(output / name)).collect()
            require(sorted(map(str, read)) == sorted(map(str, rows)), f"the rows change if they are written as {name}")
        objects = sum(row["type"] == "object" for row in rows)
        code = exit_code(frame, Gate(), objects)
        self.compare_rows(self.objects, [row.asDict(recursive=True) for row in rows], code)
        session.stop()
        self.say(
            f"{len(rows) - objects} rows of findings and {objects} of objects are those of one scan, also written as {ROW_FORMATS}"
        )

    def test_equal(self) -> None:
        """The result of one scan, also with damaged files, and no value of a caller anywhere."""
        seen: list[str] = []

        def watch(submit: int) -> None:
            seen.extend(command_line(process) for process in [submit, *children(submit)])

        output = self.new_folder("equal", is_made=False)
        run = self.submit(self.arguments(self.objects, output), during=watch)
        self.compare(self.objects, run, output)
        written = "".join(path.read_text() for path in output.glob("*.json"))
        for reason in ["bad-encoding", "truncated", "invalid-utf8"]:
            require(f'"{reason}"' in written, f"{reason} is not reported", run)
        require(any("--stdin-filename=" in line for line in seen), "no scan was seen in the list of processes")
        for what in [CANARY, KEY.decode()]:
            require(all(what not in line for line in [*seen, run.text]), "a value is in the list of processes or in the log")
            for file in [*self.home.rglob("*"), *output.iterdir()]:
                if file.is_file() and not file.name.startswith(("broadcast", "shuffle", "temp")):
                    require(what.encode() not in file.read_bytes(), f"a value is in {file}")
        self.say(f"the result is that of one scan ({', '.join(self.formats)}), also of damaged files")
        self.say(f"no value of an input in logs, event logs, {len(seen)} command lines, and the result")

    def test_gate(self) -> None:
        """An object with nothing in it is no failure beside others, and the exit code is that of one scan."""
        folder = self.new_folder("gate")
        for name in ["part-001.ndjson.gz", "part-002.ndjson", "difficult/notes.txt"]:
            shutil.copy(self.objects / name, folder)
        scan, gates = self.scan, [["--strict"], ["--fail-on", "note"], ["--fail-on=never"]]
        for options in [["--strict"], ["--gate"]] if self.command == "usage" else gates:
            self.scan = [*scan, *options]
            output = self.new_folder("gated", is_made=False)
            self.compare(folder, self.submit(self.arguments(folder, output)), output)
        self.say("exit codes are those of one scan, with each gate")

    def test_killed(self) -> None:
        """An executor that is killed while it works changes nothing."""
        killed: list[int] = []

        def kill(submit: int) -> None:
            below = {process: command_line(process) for process in children(submit)}
            victims = [process for process, line in below.items() if "CoarseGrainedExecutorBackend" in line]
            if any(" --stdin-filename=" in line for line in below.values()) and victims and not killed:
                killed.append(victims[0])
                os.kill(victims[0], signal.SIGKILL)

        slow = self.wrapper(self.new_folder("slow"), 'if [[ "$*" = *--threads* ]]; then sleep 0.5; fi')
        output = self.new_folder("killed", is_made=False)
        run = self.submit(self.arguments(self.objects, output, program=slow), during=kill)
        require(bool(killed), "no executor was killed", run)
        self.compare(self.objects, run, output)
        lost = any(event["Event"] == "SparkListenerExecutorRemoved" for event in run.events)
        require(lost, "the driver has not noticed the lost executor", run)
        self.say("an executor was ended by SIGKILL while it scanned, and the result is the same")

    def test_retried(self) -> None:
        """A program that fails fails the attempt visibly, and no attempt counts twice."""
        # The first attempt at each of these fails after it has read its input.
        once = 'if [[ "$*" = *part-00[01]*--threads* ]] && ! [ -e "$once" ]; then touch "$once"; cat >/dev/null; exit 77; fi'
        output = self.new_folder("retried", is_made=False)
        arguments = self.arguments(self.objects, output, program=self.wrapper(self.new_folder("flaky"), once))
        run = self.submit(arguments, {"spark.task.maxFailures": "20"})
        self.compare(self.objects, run, output)
        failed = run.task_ends().count("ExceptionFailure")
        require(failed > 1, "no attempt has failed", run)
        require("ended with exit code 77" in run.text, "the log does not name the exit code", run)
        self.say(f"{failed} attempts failed with exit code 77, which is in the log, and the result is the same")

    def test_failed(self) -> None:
        """A program that fails in each attempt fails the job, with the exit code and what was read, and no result is complete."""
        failing = 'if [[ "$*" = *part-001*--threads* ]]; then echo "made to fail" >&2; exit 77; fi'
        output = self.new_folder("failed", is_made=False)
        run = self.submit(self.arguments(self.objects, output, program=self.wrapper(self.new_folder("failing"), failing)))
        message = "part-001.ndjson.gz: sundown ended with exit code 77: made to fail"
        require(run.code == 2 and message in run.text, f"a failing program ends with {run.code}", run)
        require(not any(output.glob("*")), "a failed job writes something", run)
        failed = run.task_ends().count("ExceptionFailure")
        require(failed == 4, f"{failed} attempts instead of 4 failed", run)
        self.say("after 4 failed attempts, the job ends with 2, names the file and the exit code, and writes nothing")

    def wrapper(self, folder: Path, line: str) -> Path:
        """A script in the place of the program; `once` is a path that is its own for each object."""
        program = folder / "sundown"
        once = f'once={folder}/$(printf "%s" "$*" | sed "s/--caller-key.*//" | md5sum | cut -c1-32)'
        program.write_text("\n".join(["#!/bin/bash", once, line, f'exec {self.program} "$@"', ""]))
        program.chmod(0o755)
        return program

    def test_mistaken(self) -> None:
        """A mistake in the arguments ends the job before it starts, with the message of the program, and writes nothing."""
        output = self.new_folder("mistaken", is_made=False)
        arguments = self.arguments(self.objects, output)
        for mistake in [["--rules", "missing.toml"], ["--baseline" if self.command == "check" else "--rule", "missing.file"]]:
            run = self.submit([*arguments, *mistake])
            require(run.code == 2 and mistake[1] in run.text, f"{mistake} ends with {run.code}", run)
            require(not run.task_ends(), f"tasks ran with {mistake}", run)
            require(not output.exists(), "a failed job writes something", run)
        self.key.write_bytes(b"x" * 5000)
        if self.command == "usage":
            run = self.submit(arguments)
            require(run.code == 2 and "more than 4096 bytes" in run.text, f"a large key ends with {run.code}", run)
        self.key.write_bytes(KEY)
        self.say("a mistake in the arguments ends the job with 2 before a task runs, and nothing is written")

    def test_empty(self) -> None:
        """An input without files is a failure, and a result is not replaced by accident."""
        folder, output = self.new_folder("empty"), self.new_folder("output", is_made=False)
        run = self.submit(self.arguments(folder, output))
        require(run.code == 2 and not output.exists(), f"an empty input ends with {run.code}", run)
        (folder / "notes.txt").write_text("nothing to check\n")
        run = self.submit(self.arguments(folder, output))
        require(run.code == 2, f"an input without calls ends with {run.code}", run)
        small = self.objects / "part-002.ndjson"
        run = self.submit(self.arguments(small, output))
        require(run.code == 2 and "--overwrite" in run.text, "a result is replaced", run)
        run = self.submit(self.arguments(small, output, "--overwrite"))
        require(run.code in (0, 1) and (output / "_SUCCESS").exists(), "a result is not replaced with --overwrite", run)
        other = output / "usage.backup"
        other.write_text("kept")
        run = self.submit(self.arguments(small, output, "--overwrite"))
        require(run.code == 2 and "usage.backup" in run.text, f"a folder with another file ends with {run.code}", run)
        require(other.read_text() == "kept" and (output / "_SUCCESS").exists(), "something else is deleted", run)
        self.say("an input without anything to check ends with 2; only --overwrite replaces a result")

    def test_remote(self) -> None:
        """Objects of another file system are read into memory, or written by a command."""
        address = "viewfs://tests/data"
        settings = {"spark.hadoop.fs.viewfs.mounttable.tests.link./data": f"file://{self.objects}"}
        shell = self.scratch / "cat"
        shell.write_text(f'#!/bin/sh\nexec cat "{self.objects}${{1#{address}}}"\n')
        shell.chmod(0o755)
        output = self.new_folder("remote", is_made=False)
        limited = self.arguments(address, output, "--whole-limit", "500K")
        run = self.submit(limited, settings)
        require(run.code == 2 and "too large to be read into an executor's memory" in run.text, "a large file is not refused", run)
        run = self.submit([*limited[:2], "--cat", str(shell), *limited[2:]], settings)
        self.compare(self.objects, run, output)
        self.say("objects that Spark reads and objects that a command writes give the result of one scan")

    def test_shipped(self) -> None:
        """The program sent with `--files`, and the modules as an archive with `--py-files`, as on YARN."""
        folder = self.new_folder("shipped")
        shutil.copy(JOBS / f"sundown_{self.command}.py", folder)
        shutil.copy(self.program, folder / "sundown")
        # Spark makes it executable.
        (folder / "sundown").chmod(0o644)
        modules = shutil.make_archive(str(folder / "sundown_spark"), "zip", JOBS, "sundown_spark")
        output = self.new_folder("sent", is_made=False)
        arguments = self.arguments(self.objects, output)
        at = arguments.index("--sundown")
        del arguments[at : at + 2]
        run = self.submit(arguments, options=["--py-files", modules, "--files", str(folder / "sundown")], jobs=folder)
        self.compare(self.objects, run, output)
        self.say("with --py-files and --files of spark-submit, the result is the same")


def children(process: int) -> Iterator[int]:
    """All processes below one."""
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{process}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield int(child)
                yield from children(int(child))


def command_line(process: int) -> str:
    """The arguments of a process."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    return ""


def main() -> None:
    """Runs all tests, or those that are named."""
    program, scratch, *wanted = sys.argv[1:]
    tests = [name.removeprefix("test_") for name in vars(Tests) if name.startswith("test_")]
    names = [(command, test) for command in SCANS for test in tests]
    known = {name for command, test in names for name in (command, test, f"{command}-{test}")}
    require(set(wanted) <= known, f"no such test: {sorted(set(wanted) - known)}; names are {', '.join(sorted(known))}")
    for command, test in names:
        if not wanted or {command, test, f"{command}-{test}"} & set(wanted):
            getattr(Tests(command, Path(program).resolve(), Path(scratch).resolve()), f"test_{test}")()


if __name__ == "__main__":
    main()
