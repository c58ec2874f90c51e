"""Installs the peers, each from the registry that it is published in, into a directory that may be thrown away.

What is there already is used as it is. Nothing outside of the directory changes: Debian packages are unpacked into it.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
DUCKDB = "2.0.0"
NATIVE = {"RUSTFLAGS": "-C target-cpu=native"}


class Missing(Exception):
    """A peer cannot be had here: says why."""


class Kit:
    def __init__(self, cache, job):
        self.cache = cache.resolve()
        self.cache.mkdir(parents=True, exist_ok=True)
        self.job = job

    def places(self):
        path = self.cache / "places.tsv"
        path.write_text(self.job.as_table(), "utf-8")
        return path

    def duckdb(self):
        """The environment in which this interpreter finds the Python package."""
        target = self.cache / f"duckdb-{DUCKDB}"
        if not (target / "duckdb").exists():
            execute([sys.executable, "-m", "pip", "install", "--quiet", "--target", target, f"duckdb=={DUCKDB}"])
        return {"PYTHONPATH": str(target)}

    def debian(self, *packages):
        """The folder with the files of the Debian packages, and how a program in it finds its libraries."""
        root = self.cache / packages[0]
        if not root.exists():
            downloads = self.cache / "downloads"
            downloads.mkdir(exist_ok=True)
            execute(["apt-get", "download", "--quiet", *packages], directory=downloads)
            for package in packages:
                for archive in downloads.glob(f"{package}_*.deb"):
                    execute(["dpkg-deb", "--extract", archive, root])
        libraries = next(root.glob("usr/lib/*-linux-gnu"), root)
        return root, {"LD_LIBRARY_PATH": str(libraries)}

    def jq(self):
        if installed := shutil.which("jq"):
            return installed, {}
        root, environment = self.debian("jq", "libjq1", "libonig5")
        return root / "usr/bin/jq", environment

    def cargo(self, name):
        """A project of its own: cargo itself knows whether it is up to date."""
        target, manifest = self.cache / name, HERE / name / "Cargo.toml"
        command = ["cargo", "build", "--release", "--locked", "--quiet", "--manifest-path", manifest]
        execute([*command, "--target-dir", target], NATIVE)
        return target / "release" / f"{name}-peer"


def execute(command, environment=None, directory=None):
    words = [str(word) for word in command]
    try:
        subprocess.run(
            words, env=os.environ | (environment or {}), cwd=directory, check=True, capture_output=True, text=True
        )
    except FileNotFoundError:
        raise Missing(f"{words[0]} is not installed") from None
    except subprocess.CalledProcessError as failure:
        raise Missing(f"{words[0]} failed: {last_line(failure.stderr or failure.stdout)}") from None


def last_line(text):
    lines = text.strip().splitlines()
    return lines[-1].strip() if lines else "no message"
