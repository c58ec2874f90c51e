"""Runs the jobs on a cluster of real executors: python3 run_cluster.py PROGRAM SCRATCH [--bytes N] [TEST...].

Each result must be equal to the byte to that of one scan by the program alone, whatever happens on the way.
"""

import argparse
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from make_traffic import CANARY, make_difficult, make_objects

from sundown_spark.arguments import ENDINGS

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
RULES = ROOT / "testdata/usage/rules.toml"
KEY = b"a secret of the tests: 8e2f61c0"


@dataclass
class Run:
    """A job that has ended."""

    code: int
    text: str
    seconds: float
    peak: int = 0
    events: list[dict] = field(default_factory=list)


@dataclass
class Cluster:
    """Where jobs run, and what they leave."""

    program: Path
    scratch: Path
    executors: str = "local-cluster[2,1,1024]"

    def submit(
        self,
        command: str,
        arguments: Sequence[str],
        configuration: dict[str, str] | None = None,
        during: Callable[[int], None] | None = None,
    ) -> Run:
        """Runs a job; `during` is called again and again with the process of spark-submit."""
        home = self.scratch / "spark"
        for name in ["work", "events", "local", "driver"]:
            shutil.rmtree(home / name, ignore_errors=True)
            (home / name).mkdir(parents=True)
        settings = {
            "spark.ui.enabled": "false",
            "spark.eventLog.enabled": "true",
            "spark.eventLog.compress": "false",
            "spark.eventLog.rolling.enabled": "false",
            "spark.eventLog.dir": f"file://{home / 'events'}",
            "spark.local.dir": str(home / "local"),
            "spark.pyspark.python": sys.executable,
            **(configuration or {}),
        }
        options = [item for pair in settings.items() for item in ("--conf", "=".join(pair))]
        submit = Path(sys.executable).parent / "spark-submit"
        call = [str(submit), "--master", self.executors, "--driver-memory", "1g", *options]
        call += [str(HERE.parent / f"sundown_{command}.py"), *arguments]
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_WORKER_DIR": str(home / "work")}
        environment["TMPDIR"] = str(home / "driver")
        began = time.monotonic()
        with (self.scratch / "output").open("w+b") as output:
            process = subprocess.Popen(call, stdout=output, stderr=subprocess.STDOUT, env=environment, cwd=home)
            peak = 0
            while process.poll() is None:
                peak = max(peak, driver_memory(process.pid))
                if during:
                    during(process.pid)
                time.sleep(0.05 if during else 0.5)
            seconds = time.monotonic() - began
            output.seek(0)
            text = output.read().decode("utf-8", "replace")
        logs = list((home / "events").glob("*"))
        lines = [line for log in logs if log.is_file() for line in log.read_text().splitlines()]
        return Run(process.returncode, text, seconds, peak, [json.loads(line) for line in lines])

    def scan(self, command: str, folder: Path, arguments: Sequence[str], name: str) -> tuple[int, bytes, float]:
        """The result of the program alone, from the folder of the files."""
        files = [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith((".", "_"))]
        names = sorted(str(path.relative_to(folder)) for path in files)
        call = [str(self.program), command, *names, "--skip-unrelated", "--no-config", f"--format={name}", *arguments]
        began = time.monotonic()
        done = subprocess.run(call, cwd=folder, capture_output=True, check=False)
        return done.returncode, done.stdout, time.monotonic() - began


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


def memory(process: int) -> int:
    """The memory that a process has had at most, in KiB."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1])
    return 0


def driver_memory(submit: int) -> int:
    """The memory of the driver: its JVM, which is spark-submit, and its Python process."""
    direct = [process for process in children(submit) if "sundown_" in command_line(process)]
    return memory(submit) + sum(memory(process) for process in direct[:1])


def require(condition: bool, text: str, run: Run | None = None) -> None:
    """Ends the tests with a message unless a condition holds."""
    if not condition:
        if run:
            print(run.text[-6000:], file=sys.stderr)
        sys.exit(f"FAILED: {text}")


def base_arguments() -> list[str]:
    """The arguments of the program in all runs."""
    return ["--rules", "rules.toml", "--no-builtin-rules", "--as-of", "2026-11-20"]


class Tests:
    """The tests, in the order in which they run."""

    def __init__(self, cluster: Cluster, size: int) -> None:
        """Writes the traffic that most tests use."""
        self.cluster, self.size = cluster, size
        scratch = cluster.scratch
        self.project = scratch / "project"
        self.project.mkdir(exist_ok=True)
        shutil.copy(RULES, self.project / "rules.toml")
        self.key = scratch / "key"
        self.key.write_bytes(KEY)
        self.small = scratch / "small"
        if not self.small.exists():
            make_objects(self.small / "objects", 16, 12_000_000, 7)
            make_difficult(self.small / "difficult", 8)

    def arguments(self, folder: Path, output: Path, *more: str, base: str | None = None) -> list[str]:
        """The arguments of a job over a folder."""
        own = ["--input", f"{folder}", "--output", str(output), "--base", base or str(folder), "--project", str(self.project)]
        return [*own, "--sundown", str(self.cluster.program), "--split-size", "512K", *more]

    def compare(self, command: str, folder: Path, scan: list[str], run: Run, output: Path) -> None:
        """Compares all reports of a job with those of one scan."""
        require((output / "_SUCCESS").exists(), f"{output} has no mark", run)
        for name, ending in self.formats(command).items():
            arguments = [*scan, f"--rules={RULES}"] if "--rules" not in scan else scan
            code, expected, _ = self.cluster.scan(command, folder, [*replace_rules(arguments)], name)
            found = (output / f"{command}.{ending}").read_bytes()
            if found != expected:
                (self.cluster.scratch / "expected").write_bytes(expected)
                subprocess.run(["diff", str(self.cluster.scratch / "expected"), str(output / f"{command}.{ending}")], check=False)
            require(found == expected, f"{command}: {name} differs from one scan", run)
            require(run.code == code, f"{command}: the job ended with {run.code}, and the scan with {code}", run)

    @staticmethod
    def formats(command: str) -> dict[str, str]:
        """The formats to compare, with the endings of their files."""
        return ENDINGS[command]

    def job(self, command: str, folder: Path, name: str, *own: str, scan: list[str] | None = None, **how) -> tuple[Run, Path]:
        """Runs a job over a folder with all formats."""
        output = self.cluster.scratch / "output-of" / name
        shutil.rmtree(output, ignore_errors=True)
        formats = [f"--format={name}" for name in self.formats(command)]
        keyed = ["--caller-key-file", str(self.key)] if scan and "--by" in scan else []
        arguments = self.arguments(folder, output, *formats, *keyed, *own)
        run = self.cluster.submit(command, [*arguments, "--", *base_arguments(), *(scan or [])], **how)
        return run, output

    def usage_scan(self) -> list[str]:
        """Callers by a header field, whose values are hashed, and by product tokens."""
        return ["--by", "header:x-team", "--by", "user-agent"]

    def test_usage(self) -> None:
        """The same result as one scan, also with damaged files, and no value of a caller anywhere."""
        seen: list[str] = []

        def watch(submit: int) -> None:
            seen.extend(command_line(process) for process in [submit, *children(submit)])

        scan = self.usage_scan()
        run, output = self.job("usage", self.small, "usage", scan=scan, during=watch)
        self.compare("usage", self.small, [*base_arguments(), *scan, "--caller-key-file", str(self.key)], run, output)
        report = json.loads((output / "usage.json").read_bytes())
        require(report["input"]["skipped"] != [], "the damaged files are not reported")
        require(any("sundown usage" in line or "/sundown" in line for line in seen), "no scan was seen in the list of processes")
        for what in [CANARY, KEY.decode()]:
            require(all(what not in line for line in seen), "a value of a caller is in the list of processes")
            require(what not in run.text, "a value of a caller is in the log of the driver")
            for file in (self.cluster.scratch / "spark").rglob("*"):
                if file.is_file() and not file.name.startswith(("broadcast", "shuffle", "temp")):
                    content = file.read_bytes()
                    require(what.encode() not in content, f"a value of a caller is in {file}")
            for file in output.iterdir():
                require(what.encode() not in file.read_bytes(), f"a value of a caller is in {file}")
        print(f"usage: the result is that of one scan in {len(self.formats('usage'))} formats, also with damaged files")
        print(f"usage: no value of a caller in logs, event logs, {len(seen)} command lines, and the result")

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

        run, output = self.job("usage", self.small, "killed", scan=self.usage_scan(), during=kill)
        require(bool(killed), "no executor was killed", run)
        scan = [*base_arguments(), *self.usage_scan(), "--caller-key-file", str(self.key)]
        self.compare("usage", self.small, scan, run, output)
        lost = [event for event in run.events if event["Event"] == "SparkListenerExecutorRemoved"]
        require(bool(lost), "the driver has not noticed the lost executor", run)
        print("killed: an executor was ended by SIGKILL while it scanned, and the result is the same")

    def test_retried(self) -> None:
        """Failed and repeated attempts of tasks do not count twice."""
        folder = self.cluster.scratch / "flaky"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        program = folder / "sundown"
        # The first attempt at each file and part fails, before or after it has read its input.
        program.write_text(
            "#!/bin/bash\n"
            f'once={folder}/$(printf "%s" "$*" | sed "s/--caller-key.*//" | md5sum | cut -c1-32)\n'
            'if [[ "$*" = *--stdin-filename=*--partial* ]] && ! [ -e "$once" ]; then touch "$once"; cat >/dev/null; exit 77; fi\n'
            'if [[ "$*" = *part-007.yaml*--partial* ]] && ! [ -e "$once-slow" ]; then touch "$once-slow"; sleep 20; fi\n'
            f'exec {self.cluster.program} "$@"\n'
        )
        program.chmod(0o755)
        settings = {
            "spark.task.maxFailures": "100",
            "spark.speculation": "true",
            "spark.speculation.quantile": "0.1",
            "spark.speculation.multiplier": "1.01",
            "spark.speculation.minTaskRuntime": "10ms",
            "spark.speculation.interval": "10ms",
        }
        scan = self.usage_scan()
        run, output = self.job(
            "usage", self.small / "objects", "retried", "--sundown", str(program), scan=scan, configuration=settings
        )
        self.compare("usage", self.small / "objects", [*base_arguments(), *scan, "--caller-key-file", str(self.key)], run, output)
        ends = [event for event in run.events if event["Event"] == "SparkListenerTaskEnd"]
        failed = sum(event["Task End Reason"]["Reason"] == "ExceptionFailure" for event in ends)
        speculative = sum(event["Task Info"]["Speculative"] for event in ends)
        require(failed > 0, "no attempt has failed", run)
        require(speculative > 0, "no attempt was speculative", run)
        require("ended with exit code 77" in run.text, "the log does not name the exit code", run)
        print(f"retried: with {failed} failed and {speculative} speculative attempts, the result is the same")

    def test_failing(self) -> None:
        """A program that cannot do its job fails the job, with its message, and writes nothing."""
        output = self.cluster.scratch / "output-of/failing"
        shutil.rmtree(output, ignore_errors=True)
        arguments = self.arguments(self.small, output)
        run = self.cluster.submit("usage", [*arguments, "--", "--rules", "missing.toml"])
        require(run.code == 2 and "missing.toml" in run.text, f"a missing rules file ends with {run.code}", run)
        require(not output.exists(), "a failed job writes something", run)
        print("failing: a mistake in the arguments ends the job with 2 before it starts, and nothing is written")

    def test_empty(self) -> None:
        """An input without files is a failure, and a result is not replaced by accident."""
        folder, output = self.cluster.scratch / "empty", self.cluster.scratch / "output-of/empty"
        shutil.rmtree(output, ignore_errors=True)
        folder.mkdir(exist_ok=True)
        run = self.cluster.submit("usage", [*self.arguments(folder, output), "--", *base_arguments()])
        require(run.code == 2 and not output.exists(), f"an empty input ends with {run.code}", run)
        (folder / "notes.txt").write_text("nothing to check\n")
        run = self.cluster.submit("usage", [*self.arguments(folder, output), "--", *base_arguments()])
        require(run.code == 2, f"an input without calls ends with {run.code}", run)
        (folder / "notes.txt").unlink()
        output.mkdir(parents=True, exist_ok=True)
        (output / "usage.json").write_text("old")
        small = self.small / "objects/part-005.log"
        run = self.cluster.submit("usage", [*self.arguments(small, output), "--", *base_arguments()])
        require(run.code == 2 and (output / "usage.json").read_text() == "old", "a result is replaced", run)
        run = self.cluster.submit("usage", [*self.arguments(small, output, "--overwrite"), "--", *base_arguments()])
        require(run.code == 0 and (output / "_SUCCESS").exists(), "a result is not replaced with --overwrite", run)
        print("empty: an input without anything to check ends with 2; only --overwrite replaces a result")

    def test_remote(self) -> None:
        """Files of another file system are read into memory, or written by a command."""
        settings = {"spark.hadoop.fs.viewfs.mounttable.tests.link./data": f"file://{self.small}"}
        shell = self.cluster.scratch / "cat"
        shell.write_text(f'#!/bin/sh\nexec cat "{self.small}${{1#viewfs://tests/data}}"\n')
        shell.chmod(0o755)
        remote = Path("viewfs://tests/data")
        output = self.cluster.scratch / "output-of/remote"
        shutil.rmtree(output, ignore_errors=True)
        formats = [f"--format={name}" for name in self.formats("usage")]
        address = "viewfs://tests/data"
        own = [*formats, "--whole-limit", "500K"]
        arguments = [item.replace(str(remote), address) for item in self.arguments(remote, output, *own, base=address)]
        run = self.cluster.submit("usage", [*arguments, "--", *base_arguments()], settings)
        require(run.code == 2 and "too large to be read into an executor's memory" in run.text, "a large file is not refused", run)
        run = self.cluster.submit("usage", [*arguments, "--cat", str(shell), "--", *base_arguments()], settings)
        self.compare("usage", self.small, base_arguments(), run, output)
        print("remote: files that Spark reads and files that a command writes give the result of one scan")

    def test_large(self) -> None:
        """64 objects: how long, and with how much memory."""
        folder = self.cluster.scratch / "large"
        if not folder.exists():
            make_objects(folder, 64, self.size, 9)
        scan = self.usage_scan()
        run, output = self.job("usage", folder, "large", "--split-size", "64M", scan=scan)
        arguments = [*base_arguments(), *scan, "--caller-key-file", str(self.key)]
        _, _, alone = self.cluster.scan("usage", folder, replace_rules(arguments), "json")
        self.compare("usage", folder, arguments, run, output)
        stages = [event["Stage Info"] for event in run.events if event["Event"] == "SparkListenerStageCompleted"]
        times = [(stage["Completion Time"] - stage["Submission Time"]) / 1000 for stage in stages]
        tasks = [stage["Number of Tasks"] for stage in stages]
        partial = (output / "usage.partial").stat().st_size
        print(f"large: {len(list(folder.iterdir()))} objects, {self.size} bytes before compression")
        print(f"large: the job took {run.seconds:.1f} s, one scan with all processors {alone:.1f} s")
        print(
            "large: stages: " + ", ".join(f"{count} tasks in {seconds:.1f} s" for count, seconds in zip(tasks, times, strict=True))
        )
        print(f"large: the driver had at most {run.peak // 1024} MB (JVM and Python), the merged partial has {partial} bytes")


def replace_rules(arguments: list[str]) -> list[str]:
    """The rules of the project, named from elsewhere."""
    return [str(RULES) if argument == "rules.toml" else argument for argument in arguments]


def main() -> None:
    """Runs all tests, or those that are named."""
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=Path)
    parser.add_argument("scratch", type=Path)
    parser.add_argument("--bytes", type=int, default=2_000_000_000)
    parser.add_argument("tests", nargs="*")
    options = parser.parse_args()
    tests = Tests(Cluster(options.program.resolve(), options.scratch.resolve()), options.bytes)
    threading.excepthook = lambda _: os._exit(1)
    for name in options.tests or [name.removeprefix("test_") for name in vars(Tests) if name.startswith("test_")]:
        getattr(tests, f"test_{name}")()


if __name__ == "__main__":
    main()
