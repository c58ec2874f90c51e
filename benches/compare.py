#!/usr/bin/env python3
"""Compares sundown with other programs: whole processes, side by side, on the same file.

    benches/compare.py --sundown target/release/sundown --ndjson FILE.ndjson --har FILE.har

Each peer (peers/roster.py) is installed from its registry (peers/kit.py) and runs in turns with sundown: A B A B. The
files are in the page cache, brought there in the same way, and read through before each run. Printed is a Markdown table
of medians, and what each program found, so that it can be seen whether they did the same job. A peer that is missing,
fails, or is too slow gets a line that says so; the comparison goes on.

Ratios are what to quote. A machine's caches, and how the kernel came to hold a file, move all times of a run alike.
"""

import argparse
import json
import os
import re
import statistics
import sys
from pathlib import Path
from typing import NamedTuple

from peers import places, process
from peers.kit import Kit, Missing, last_line
from peers.roster import FORMATS, PEERS

ROOT = Path(__file__).resolve().parent.parent
FACTS = ROOT / "testdata/facts/locations.json"
# Findings do not depend on the day, only their grades do.
AS_OF = "2026-11-20"
# A use, or one inside the value of another.
USE = re.compile(r'"rule":')
LEFT_OUT = re.compile(r'"related_left_out":(\d+)')


class Sundown:
    def __init__(self, options):
        rules = ["--rules", options.rules, "--no-builtin-rules"] if options.rules else []
        common = ["check", "--as-of", AS_OF, "--fail-on", "never", "--format", "ndjson"]
        self.command = [options.sundown.resolve(), *common, *rules, *options.sundown_arg]
        self.counted = {}

    def run(self, file):
        return process.run([*self.command, file])

    def uses(self, file):
        """Every single use, from a run that is not timed."""
        if file not in self.counted:
            output = process.run([*self.command, "--no-fold", file]).output
            left_out = sum(int(number) for number in LEFT_OUT.findall(output))
            self.counted[file] = len(USE.findall(output)) + left_out
        return self.counted[file]


class Row(NamedTuple):
    peer: str
    file: str
    seconds: list[float] = []
    sundown_seconds: list[float] = []
    peak_kib: int = 0
    sundown_peak_kib: int = 0
    found: int | None = None
    sundown_found: int = 0
    limit: float | None = None  # the timeout, where it was reached
    problem: str | None = None

    def ratio(self):
        wall = self.limit or statistics.median(self.seconds)
        return wall / statistics.median(self.sundown_seconds)


def compare(peer, kit, format, file, sundown, options):
    row = Row(peer.name, file.name)
    try:
        call = peer.call(kit, format, file)
        pairs = list(in_turns(call, file, sundown, options))
        found = int(pairs[0][0].output) if pairs[0][0].status is not None else None
    except (Missing, ValueError) as problem:
        return row._replace(problem=str(problem))
    runs, ours = zip(*pairs, strict=True)
    return row._replace(
        seconds=[run.seconds for run in runs],
        sundown_seconds=[run.seconds for run in ours],
        peak_kib=max(run.peak_kib for run in runs),
        sundown_peak_kib=max(run.peak_kib for run in ours),
        found=found,
        sundown_found=sundown.uses(file),
        limit=options.timeout if runs[-1].status is None else None,
    )


def in_turns(call, file, sundown, options):
    for _ in range(options.runs):
        # Runs before may have pushed it out of the page cache, and so may the kernel while they took minutes.
        process.read(file)
        theirs = process.run(call.command, call.environment, options.timeout)
        if theirs.status not in (None, 0):
            raise Missing(f"ended with {theirs.status}: {last_line(theirs.error)}")
        process.read(file)
        ours = sundown.run(file)
        if ours.status != 0:
            raise SystemExit(f"sundown ended with {ours.status} on {file.name}: {last_line(ours.error)}")
        yield theirs, ours
        if theirs.status is None:
            return


def measured(options, kit, sundown):
    for format in FORMATS:
        large, small = getattr(options, format), getattr(options, f"small_{format}")
        for file in filter(None, (large, small)):
            process.warm(file)
        for peer in PEERS:
            file = small if peer.slow and small else large
            if file and (not options.only or peer.name in options.only):
                print(f"{peer.name} on {file.name}", file=sys.stderr)
                yield compare(peer, kit, format, file, sundown, options)


def table(rows, file):
    """One table for each file: all its times come from the same conditions."""
    timed = [row for row in rows if row.seconds]
    lines = [
        f"### {file.name}, {file.stat().st_size / 1e6:,.0f} MB\n",
        "| program | wall | program / sundown | sundown / program | memory | found |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    if timed:
        wall = statistics.median(second for row in timed for second in row.sundown_seconds)
        peak = max(row.sundown_peak_kib for row in timed)
        lines.append(f"| sundown | {wall:.3f} s | 1 | 1 | {memory(peak)} | {timed[0].sundown_found:,} |")
    lines += [line(row) for row in rows]
    return "\n".join(lines) + "\n"


def line(row):
    if row.problem:
        return f"| {row.peer} | | | | | {row.problem.replace('|', '/')} |"
    more = "> " if row.limit else ""
    wall, ratio = row.limit or statistics.median(row.seconds), row.ratio()
    inverse = "" if row.limit else f"{1 / ratio:.2f}"
    cells = [row.peer, f"{more}{wall:.3f} s", f"{more}{ratio:.2f}", inverse, memory(row.peak_kib), found(row)]
    return "| " + " | ".join(cells) + " |"


def memory(kib):
    return f"{kib / 1024:,.1f} MiB"


def found(row):
    if row.found is None:
        return "–"
    differs = row.found != row.sundown_found
    return f"{row.found:,}" + (f" ({row.found - row.sundown_found:+,})" if differs else "")


def as_json(rows, options, overhead):
    return {
        "cores": os.cpu_count(),
        "runs": options.runs,
        "process_start_seconds": overhead,
        "files": {file.name: file.stat().st_size for file in files(options)},
        "rows": [row._asdict() for row in rows],
    }


def files(options):
    named = [options.ndjson, options.small_ndjson, options.har, options.small_har]
    return [file for file in named if file]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = [peer.name for peer in PEERS]
    parser.add_argument("--sundown", type=Path, required=True, metavar="PROGRAM")
    parser.add_argument("--sundown-arg", action="append", default=[], metavar="ARG", help="a further one for sundown")
    parser.add_argument("--ndjson", type=file_that_is, metavar="FILE")
    parser.add_argument("--har", type=file_that_is, metavar="FILE")
    parser.add_argument("--small-ndjson", type=file_that_is, metavar="FILE", help="for the slow peers")
    parser.add_argument("--small-har", type=file_that_is, metavar="FILE", help="for the slow peers")
    parser.add_argument("--rules", type=file_that_is, metavar="FILE", help="in place of the built-in rules")
    parser.add_argument("--runs", type=int, default=5, metavar="N", help="of each peer (default: 5)")
    parser.add_argument("--timeout", type=float, default=300, metavar="SECONDS", help="for one run (default: 300)")
    parser.add_argument("--only", type=lambda text: text.split(","), metavar="PEER,…", help=", ".join(names))
    parser.add_argument("--cache", type=Path, default=ROOT / "target/peers", metavar="DIR", help="where to install")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all times to this file, too")
    options = parser.parse_args()
    if not files(options):
        parser.error("give --ndjson or --har")
    if unknown := set(options.only or []) - set(names):
        parser.error(f"no such peer: {', '.join(sorted(unknown))}")
    return options


def file_that_is(text):
    path = Path(text).resolve()
    if not path.is_file():
        raise argparse.ArgumentTypeError(f"{text} is not a file")
    return path


def main():
    options = parse_arguments()
    try:
        job = places.from_rules(options.rules) if options.rules else places.from_facts(FACTS)
    except ValueError as problem:
        sys.exit(f"{options.rules}: {problem}")
    rows = list(measured(options, Kit(options.cache, job), Sundown(options)))
    overhead = statistics.median(process.run(["true"]).seconds for _ in range(9))
    for file in files(options):
        print(table([row for row in rows if row.file == file.name], file))
    print(f"Medians of {options.runs} runs; each ratio is to the runs of sundown in turn with that program's own.")
    print(f"Starting a process takes {overhead * 1000:.1f} ms of each.")
    if options.json:
        options.json.write_text(json.dumps(as_json(rows, options, overhead), indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
