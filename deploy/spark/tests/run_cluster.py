"""Runs the jobs on a cluster of real executors: python3 run_cluster.py PROGRAM SCRATCH [--bytes N] [TEST...].

Each result must be equal to the byte to that of one scan by the program alone, whatever happens on the way. A TEST is the name of a
command (`usage`), of a test of all commands (`killed`), or both (`usage-killed`).
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

from cluster import JOBS, Cluster, Run, children, command_line, two_hosts
from make_traffic import CANARY, make_difficult, make_objects

from sundown_spark.arguments import ENDINGS, REPORT_OPTIONS

RULES = JOBS.parents[1] / "testdata/usage/rules.toml"
KEY = b"a secret of the tests: 8e2f61c0"

# What each command is asked, besides the rules. Callers: a header field, whose values are hashed, and product tokens.
SCANS = {"usage": ["--by", "header:x-team", "--by", "user-agent"], "check": []}


def require(condition: bool, text: str, run: Run | None = None) -> None:
    """Ends the tests with a message unless a condition holds."""
    if not condition:
        if run:
            print(run.text[-6000:], file=sys.stderr)
        sys.exit(f"FAILED: {text}")


# Reports name the rules as the command line does. In a folder with traffic, a file with such a name is not read.
RULES_NAME = ".rules.toml"
ARGUMENTS = ["--rules", RULES_NAME, "--no-builtin-rules", "--as-of", "2026-11-20"]


class Tests:
    """The tests of the job of a command, in the order in which they run."""

    def __init__(self, command: str, cluster: Cluster, size: int) -> None:
        """Writes the traffic that most tests use."""
        self.command, self.cluster, self.size = command, cluster, size
        self.scan, self.formats = SCANS[command], list(ENDINGS[command])
        scratch = cluster.scratch
        self.project = scratch / "project"
        self.project.mkdir(exist_ok=True)
        shutil.copy(RULES, self.project / RULES_NAME)
        self.key = scratch / "key"
        self.key.write_bytes(KEY)
        self.small = scratch / "small"
        self.objects = self.small / "objects"
        if not self.small.exists():
            make_objects(self.objects, 16, 12_000_000, 7)
            make_difficult(self.small / "difficult", 8)

    def keyed(self) -> list[str]:
        """The argument with the secret for hashes of callers."""
        return ["--caller-key-file", str(self.key)] if "--by" in self.scan else []

    def output(self, name: str) -> Path:
        """A folder for a result, which does not exist yet."""
        output = self.cluster.scratch / "output-of" / f"{self.command}-{name}"
        shutil.rmtree(output, ignore_errors=True)
        return output

    def new_folder(self, name: str) -> Path:
        """An empty folder."""
        folder = self.cluster.scratch / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return folder

    def arguments(self, folder: Path | str, output: Path, *more: str, program: Path | None = None) -> list[str]:
        """The arguments of a job over a folder, with all formats."""
        own = ["--input", f"{folder}", "--output", str(output), "--base", str(folder), "--project", str(self.project)]
        formats = [f"--format={name}" for name in self.formats]
        sent = ["--sundown", str(program or self.cluster.program)]
        return [*own, *sent, "--task-size", "512K", *formats, *self.keyed(), *more, "--", *ARGUMENTS, *self.scan]

    def submit(self, arguments: list[str], cluster: Cluster | None = None, **how) -> Run:
        """Runs the job."""
        return (cluster or self.cluster).submit(self.command, arguments, **how)

    def alone(self, folder: Path, name: str) -> tuple[int, bytes, float]:
        """The result of the program alone."""
        shutil.copy(self.project / RULES_NAME, folder)
        return self.cluster.scan(self.command, folder, [*ARGUMENTS, *self.scan, *self.keyed()], name)

    def compare(self, folder: Path, run: Run, output: Path) -> float:
        """Compares all reports of a job with those of one scan. Returns the seconds of the last scan."""
        seconds = 0.0
        require((output / "_SUCCESS").exists(), f"{output} has no mark", run)
        for name in self.formats:
            code, expected, seconds = self.alone(folder, name)
            file = output / f"{self.command}.{ENDINGS[self.command][name]}"
            if file.read_bytes() != expected:
                (self.cluster.scratch / "expected").write_bytes(expected)
                subprocess.run(["diff", str(self.cluster.scratch / "expected"), str(file)], check=False)
                require(False, f"{self.command}: {name} differs from one scan", run)
            require(run.code == code, f"{self.command}: the job ended with {run.code}, and the scan with {code}", run)
        return seconds

    def say(self, text: str) -> None:
        """Prints what was seen."""
        print(f"{self.command}: {text}", flush=True)

    def test_options(self) -> None:
        """The options of `sundown merge` are known here, so that those of a scan reach it."""
        text = subprocess.run([str(self.cluster.program), "merge", "--help"], capture_output=True, check=True).stdout.decode()
        options = set(re.findall(r"^ +(?:-\w, )?(--[a-z-]+)", text, re.MULTILINE))
        known = {name for sets in REPORT_OPTIONS.values() for names in sets for name in names if name.startswith("--")}
        own = {"--format", "--partial", "--help", "--version"}
        require(options - own == known, f"options of `sundown merge` differ: {sorted((options - own) ^ known)}")
        self.say(f"{len(known)} options of `sundown merge` are known")

    def test_equal(self) -> None:
        """The same result as one scan, also with damaged files, and no value of a caller anywhere."""
        seen: list[str] = []

        def watch(submit: int) -> None:
            seen.extend(command_line(process) for process in [submit, *children(submit)])

        output = self.output("equal")
        run = self.submit(self.arguments(self.small, output), during=watch)
        self.compare(self.small, run, output)
        report = json.loads((output / f"{self.command}.json").read_bytes())
        skipped = report["skipped"] if self.command == "check" else report["input"]["skipped"]
        reasons = {skip["reason"] for skip in skipped if skip["kind"] == "failed"}
        require({"bad-encoding", "truncated", "invalid-utf8"} <= reasons, f"damaged files are reported with {reasons}")
        require(any("--stdin-filename=" in line for line in seen), "no scan was seen in the list of processes")
        for what in [CANARY, KEY.decode()]:
            require(all(what not in line for line in seen), "a value is in the list of processes")
            require(what not in run.text, "a value is in the log of the driver")
            for file in [*self.cluster.home.rglob("*"), *output.iterdir()]:
                if file.is_file() and not file.name.startswith(("broadcast", "shuffle", "temp")):
                    require(what.encode() not in file.read_bytes(), f"a value is in {file}")
        self.say(
            f"the result is that of one scan in {len(self.formats)} formats, also of damaged files ({', '.join(sorted(reasons))})"
        )
        self.say(f"no value of an input in logs, event logs, {len(seen)} command lines, and the result")

    def test_killed(self) -> None:
        """An executor that is killed while it works changes nothing."""
        killed: list[int] = []
        scanning = 0

        def kill(submit: int) -> None:
            nonlocal scanning
            below = {process: command_line(process) for process in children(submit)}
            scanning += any(" --stdin-filename=" in line for line in below.values())
            victims = [process for process, line in below.items() if "CoarseGrainedExecutorBackend" in line]
            if scanning >= 3 and victims and not killed:
                killed.append(victims[0])
                os.kill(victims[0], signal.SIGKILL)

        output = self.output("killed")
        run = self.submit(self.arguments(self.small, output), during=kill)
        require(bool(killed), "no executor was killed", run)
        self.compare(self.small, run, output)
        lost = [event for event in run.events if event["Event"] == "SparkListenerExecutorRemoved"]
        require(bool(lost), "the driver has not noticed the lost executor", run)
        self.say("an executor was ended by SIGKILL while it scanned, and the result is the same")

    def test_retried(self) -> None:
        """A program that fails fails the attempt visibly, and no attempt counts twice."""
        program = self.wrapper(
            self.new_folder("flaky"),
            # The first attempt at each of these fails after it has read its input.
            'if [[ "$*" = *part-00[01]*--partial* ]] && ! [ -e "$once" ]; then touch "$once"; cat >/dev/null; exit 77; fi',
            f'exec {self.cluster.program} "$@"',
        )
        output = self.output("retried")
        arguments = self.arguments(self.objects, output, program=program)
        run = self.submit(arguments, configuration={"spark.task.maxFailures": "20"})
        self.compare(self.objects, run, output)
        failed = failed_attempts(run)
        require(failed > 1, "no attempt has failed", run)
        require("ended with exit code 77" in run.text, "the log does not name the exit code", run)
        self.say(f"{failed} attempts failed with exit code 77, which is in the log, and the result is the same")

    def test_failed(self) -> None:
        """A program that fails in each attempt fails the job, with the exit code and what was read, and nothing is written."""
        program = self.wrapper(
            self.new_folder("failing"),
            'if [[ "$*" = *part-001*--partial* ]]; then echo "made to fail" >&2; exit 77; fi',
            f'exec {self.cluster.program} "$@"',
        )
        output = self.output("failed")
        run = self.submit(self.arguments(self.objects, output, program=program))
        message = "part-001.ndjson.gz: sundown ended with exit code 77: made to fail"
        require(run.code == 2 and message in run.text, f"a failing program ends with {run.code}", run)
        require(not output.exists(), "a failed job writes something", run)
        failed = failed_attempts(run)
        require(failed == 4, f"{failed} attempts instead of 4 failed", run)
        self.say("after 4 failed attempts, the job ends with 2, names the file and the exit code, and writes nothing")

    def test_speculated(self) -> None:
        """Two attempts at the same file that both end with a whole partial result count once."""
        folder = self.new_folder("slow")
        program = self.wrapper(
            folder,
            f'if ! [[ "$*" = *part-007.yaml*--partial* ]]; then exec {self.cluster.program} "$@"; fi',
            # Each attempt waits for the other one before it begins and before it ends.
            'other() { for _ in {1..6000}; do (($(ls -d "$once-$1"-* | wc -l) < 2)) || return 0; sleep 0.01; done; exit 77; }',
            f'touch "$once-begun-$$"; other begun; {self.cluster.program} "$@" >"$once-$$"; code=$?',
            'touch "$once-ended-$$"; other ended; cat "$once-$$"; touch "$once-written-$$"; exit $code',
        )
        settings = {
            "spark.speculation": "true",
            "spark.speculation.quantile": "0.1",
            "spark.speculation.multiplier": "1.01",
            "spark.speculation.minTaskRuntime": "10ms",
            "spark.speculation.interval": "10ms",
        }
        output = self.output("speculated")
        arguments = self.arguments(self.objects, output, program=program)
        with two_hosts(self.cluster) as cluster:
            run = self.submit(arguments, cluster, configuration=settings)
        self.compare(self.objects, run, output)
        speculative = sum(event["Task Info"]["Speculative"] for event in task_ends(run))
        written = len(list(folder.glob("*-written-*")))
        require(speculative > 0, "no attempt was speculative", run)
        require(written > 1, f"{written} attempts instead of 2 wrote the partial result", run)
        self.say(f"{speculative} speculative attempts, {written} whole partial results of one file, and the result is the same")

    @staticmethod
    def wrapper(folder: Path, *lines: str) -> Path:
        """A script in the place of the program; `once` is a path that is its own for each file."""
        program = folder / "sundown"
        once = f'once={folder}/$(printf "%s" "$*" | sed "s/--caller-key.*//" | md5sum | cut -c1-32)'
        program.write_text("\n".join(["#!/bin/bash", once, *lines, ""]))
        program.chmod(0o755)
        return program

    def test_mistaken(self) -> None:
        """A mistake in the arguments ends the job before it starts, with the message of the program, and writes nothing."""
        output = self.output("mistaken")
        arguments = self.arguments(self.small, output)
        for mistake in [["--rules", "missing.toml"], ["--baseline" if self.command == "check" else "--rule", "missing.file"]]:
            run = self.submit([*arguments, *mistake])
            require(run.code == 2 and mistake[1] in run.text, f"{mistake} ends with {run.code}", run)
            require(not task_ends(run), f"tasks ran with {mistake}", run)
            require(not output.exists(), "a failed job writes something", run)
        self.say("a mistake in the arguments ends the job with 2 before a task runs, and nothing is written")

    def test_empty(self) -> None:
        """An input without files is a failure, and a result is not replaced by accident."""
        folder, output = self.new_folder("empty"), self.output("empty")
        run = self.submit(self.arguments(folder, output))
        require(run.code == 2 and not output.exists(), f"an empty input ends with {run.code}", run)
        (folder / "notes.txt").write_text("nothing to check\n")
        run = self.submit(self.arguments(folder, output))
        require(run.code == 2, f"an input without calls ends with {run.code}", run)
        shutil.rmtree(output)
        output.mkdir(parents=True)
        report = output / f"{self.command}.json"
        report.write_text("old")
        small = self.objects / "part-005.log"
        run = self.submit(self.arguments(small, output))
        require(run.code == 2 and report.read_text() == "old", "a result is replaced", run)
        run = self.submit(self.arguments(small, output, "--overwrite"))
        require(run.code in (0, 1) and (output / "_SUCCESS").exists(), "a result is not replaced with --overwrite", run)
        require(not (output / "_sundown_temporary").exists(), "a temporary folder is left", run)
        backup = output / f"{self.command}.backup" / "important"
        backup.parent.mkdir()
        backup.write_text("kept")
        run = self.submit(self.arguments(small, output, "--overwrite"))
        require(run.code == 2 and f"{self.command}.backup" in run.text, f"another folder ends with {run.code}", run)
        require(backup.read_text() == "kept" and (output / "_SUCCESS").exists(), "something else is deleted", run)
        self.say("an input without anything to check ends with 2; only --overwrite replaces a result")

    def test_remote(self) -> None:
        """Files of another file system are read into memory, or written by a command."""
        address = "viewfs://tests/data"
        settings = {"spark.hadoop.fs.viewfs.mounttable.tests.link./data": f"file://{self.small}"}
        shell = self.cluster.scratch / "cat"
        shell.write_text(f'#!/bin/sh\nexec cat "{self.small}${{1#{address}}}"\n')
        shell.chmod(0o755)
        output = self.output("remote")
        limited = ["--whole-limit", "500K"]
        run = self.submit(self.arguments(address, output, *limited), configuration=settings)
        require(run.code == 2 and "too large to be read into an executor's memory" in run.text, "a large file is not refused", run)
        run = self.submit(self.arguments(address, output, *limited, "--cat", str(shell)), configuration=settings)
        self.compare(self.small, run, output)
        self.say("files that Spark reads and files that a command writes give the result of one scan")

    def test_shipped(self) -> None:
        """The program sent with `--files`, and the modules as an archive with `--py-files`, as on YARN."""
        folder = self.new_folder("shipped")
        shutil.copy(JOBS / f"sundown_{self.command}.py", folder)
        shutil.copy(self.cluster.program, folder / "sundown")
        # Spark makes it executable.
        (folder / "sundown").chmod(0o644)
        modules = shutil.make_archive(str(folder / "sundown_spark"), "zip", JOBS, "sundown_spark")
        output = self.output("shipped")
        arguments = self.arguments(self.objects, output)
        at = arguments.index("--sundown")
        del arguments[at : at + 2]
        options = ["--py-files", modules, "--files", str(folder / "sundown")]
        cluster = Cluster(self.cluster.program, self.cluster.scratch, jobs=folder)
        run = self.submit(arguments, cluster, submit_options=options)
        self.compare(self.objects, run, output)
        self.say("with --py-files and --files of spark-submit, the result is the same")

    def test_large(self) -> None:
        """64 objects: how long, and with how much memory."""
        folder = self.cluster.scratch / "large"
        if not folder.exists():
            make_objects(folder, 64, self.size, 9)
        output = self.output("large")
        # Each format takes a scan of everything.
        self.formats = ["human", "json"]
        run = self.submit(self.arguments(folder, output, "--task-size", "64M"))
        alone = self.compare(folder, run, output)
        stages = [event["Stage Info"] for event in run.events if event["Event"] == "SparkListenerStageCompleted"]
        times = [(stage["Completion Time"] - stage["Submission Time"]) / 1000 for stage in stages]
        tasks = [stage["Number of Tasks"] for stage in stages]
        objects = list(folder.glob("part-*"))
        stored = sum(file.stat().st_size for file in objects)
        partial = (output / f"{self.command}.partial").stat().st_size
        self.say(f"{len(objects)} objects, {self.size} bytes, {stored} as they are stored: the result is that of one scan")
        self.say(f"the job took {run.seconds:.1f} s, one scan with all processors {alone:.1f} s")
        self.say("stages: " + ", ".join(f"{count} tasks in {seconds:.1f} s" for count, seconds in zip(tasks, times, strict=True)))
        self.say(f"the driver had at most {run.peak // 1024} MB (JVM and Python), the merged partial has {partial} bytes")


def task_ends(run: Run) -> list[dict]:
    """The attempts at tasks."""
    return [event for event in run.events if event["Event"] == "SparkListenerTaskEnd"]


def failed_attempts(run: Run) -> int:
    """The number of attempts that failed with an exception."""
    return sum(event["Task End Reason"]["Reason"] == "ExceptionFailure" for event in task_ends(run))


def main() -> None:
    """Runs all tests, or those that are named."""
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=Path)
    parser.add_argument("scratch", type=Path)
    parser.add_argument("--bytes", type=int, default=2_000_000_000)
    parser.add_argument("tests", nargs="*")
    options = parser.parse_intermixed_args()
    threading.excepthook = lambda _: os._exit(1)
    tests = [name.removeprefix("test_") for name in vars(Tests) if name.startswith("test_")]
    names = [(command, test) for command in ENDINGS for test in tests]
    known = {name for command, test in names for name in (command, test, f"{command}-{test}")}
    if unknown := set(options.tests) - known:
        parser.error(f"no test is called {', '.join(sorted(unknown))}; names are {', '.join(sorted(known))}")
    wanted = set(options.tests or known)
    cluster = Cluster(options.program.resolve(), options.scratch.resolve())
    for command, test in names:
        if wanted & {command, test, f"{command}-{test}"}:
            getattr(Tests(command, cluster, options.bytes), f"test_{test}")()


if __name__ == "__main__":
    main()
