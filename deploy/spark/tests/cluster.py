"""Real executors for the tests: submits jobs, and looks at the processes of Spark."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

JOBS = Path(__file__).resolve().parent.parent


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
    master: str = "local-cluster[2,1,1024]"
    # The folder of the jobs, if it is not that of the repository.
    jobs: Path | None = None

    @property
    def home(self) -> Path:
        """Where Spark works."""
        return self.scratch / "spark"

    def submit(
        self,
        command: str,
        arguments: Sequence[str],
        configuration: dict[str, str] | None = None,
        during: Callable[[int], None] | None = None,
        submit_options: Sequence[str] = (),
    ) -> Run:
        """Runs a job; `during` is called again and again with the process of spark-submit."""
        home = self.home
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
        job = f"sundown_{command}.py"
        call = [tool("spark-submit"), "--master", self.master, "--driver-memory", "1g", *options, *submit_options]
        call += [str((self.jobs or JOBS) / job), *arguments]
        environment = {**spark_environment("127.0.0.1"), "SPARK_WORKER_DIR": str(home / "work"), "TMPDIR": str(home / "driver")}
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


def tool(name: str) -> str:
    """A program of PySpark."""
    return str(Path(sys.executable).parent / name)


def spark_environment(address: str) -> dict[str, str]:
    """The environment of a process of Spark with an address of this machine."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "SPARK_LOCAL_IP": address}


@contextlib.contextmanager
def two_hosts(cluster: Cluster) -> Iterator[Cluster]:
    """A master and two workers with addresses of their own: Spark repeats a slow task only on another host."""
    port = 7000 + os.getpid() % 1000
    master = f"spark://127.0.0.1:{port}"
    deploy = "org.apache.spark.deploy"
    commands = [("127.0.0.1", [f"{deploy}.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"])]
    for address in ["127.0.0.2", "127.0.0.3"]:
        folder = cluster.scratch / "workers" / address
        worker = [f"{deploy}.worker.Worker", "--host", address, "--webui-port", "0", "--cores", "1", "--memory", "1g"]
        commands.append((address, [*worker, "--work-dir", str(folder), master]))
    with contextlib.ExitStack() as stack, (cluster.scratch / "workers.log").open("wb") as log:
        for address, command in commands:
            process = subprocess.Popen(
                [tool("spark-class"), *command], env=spark_environment(address), stdout=log, stderr=log, cwd=cluster.scratch
            )
            stack.callback(process.wait)
            stack.callback(process.terminate)
        yield Cluster(cluster.program, cluster.scratch, master)


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
