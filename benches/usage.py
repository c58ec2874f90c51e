#!/usr/bin/env python3
"""Measures `sundown usage` and `sundown merge` against their budgets, and against a query of DuckDB.

    benches/usage.py --sundown target/release/sundown --ndjson FILE.ndjson

FILE is a log of the generator (examples/traffic.rs). The programs run in turns, with the file in the page cache; printed are
medians and the budgets. What else is needed is made in a temporary folder: a log of 10,000 callers that each use 1,000
elements, and 1,000 partial results of 100 kB.
"""

import argparse
import json
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from peers import places, process
from peers.kit import HERE, Kit, Missing

ROOT = Path(__file__).resolve().parent.parent
FACTS = ROOT / "testdata/facts/locations.json"
AS_OF = ["--as-of", "2026-11-20"]
BY = ["--by", "user-agent"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sundown", type=Path, required=True)
    parser.add_argument("--ndjson", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--cache", type=Path, default=ROOT / "target/peers")
    options = parser.parse_args()
    sundown = options.sundown.resolve()
    with tempfile.TemporaryDirectory() as folder:
        against_check(sundown, options)
        many_callers(sundown, Path(folder))
        many_partials(sundown, Path(folder), options.runs)
    against_duckdb(sundown, options)


def against_check(sundown, options):
    check = [sundown, "check", *AS_OF, "--fail-on", "never", "--format", "json", options.ndjson, "--threads", "1"]
    usage = [sundown, "usage", *AS_OF, *BY, "--format", "json", options.ndjson, "--threads", "1"]
    checks, usages = in_turns([check, usage], options.ndjson, options.runs)
    ratio = median(usages) / median(checks)
    print(f"check {median(checks):.2f} s, usage {median(usages):.2f} s: {ratio:.2f} × (at most 2 ×)")


def many_callers(sundown, folder):
    fields = [f"old{number}" for number in range(1000)]
    rules = write_rules(folder, fields)
    log = folder / "callers.ndjson"
    body = {field: 1 for field in fields}
    with log.open("w") as out:
        for caller in range(10_000):
            out.write(record(f"caller-{caller}/1", caller % 60, body))
    usage = [sundown, "usage", log, *rules, *BY, "--partial", folder / "callers.partial", "--threads", "2"]
    run = checked(process.run(usage, keep_output=False))
    print(f"10,000 callers × 1,000 elements: {run.seconds:.1f} s, {run.peak_kib // 1024} MiB (at most 64 MiB)")
    log.unlink()


def many_partials(sundown, folder, runs):
    fields = [f"field{number}" for number in range(40)]
    rules = write_rules(folder, fields)
    parts = folder / "parts"
    parts.mkdir()
    for number in range(20):
        log = folder / "part.ndjson"
        with log.open("w") as out:
            for call in range(720):
                body = {fields[(call + step) % 40]: 1 for step in range(3)}
                out.write(record(f"caller-{call}/{number}", call % 60, body))
        checked(process.run([sundown, "usage", log, *rules, *BY, "--partial", parts / f"{number}-0"]))
        for copy in range(1, 50):
            shutil.copy(parts / f"{number}-0", parts / f"{number}-{copy}")
    size = sum(path.stat().st_size for path in parts.iterdir())
    merged = [checked(process.run([sundown, "merge", parts, *AS_OF], keep_output=False)) for _ in range(runs)]
    peak = max(run.peak_kib for run in merged) // 1024
    seconds = statistics.median(run.seconds for run in merged)
    print(f"merging 1,000 partials of {size // 1_000_000} kB: {seconds:.2f} s, {peak} MiB (under 2 s)")


def against_duckdb(sundown, options):
    kit = Kit(options.cache, places.from_facts(FACTS))
    try:
        environment = kit.duckdb()
    except Missing as problem:
        return print(f"DuckDB: {problem}")
    query = [sys.executable, HERE / "duckdb_peer.py", kit.places(), "usage", options.ndjson]
    usage = [sundown, "usage", *AS_OF, *BY, "--format", "json", options.ndjson, "--threads", "2"]
    table = checked(process.run(query, environment))
    ours = json.loads(checked(process.run(usage)).output)
    uses = sum(element["uses"] for element in ours["elements"])
    queries, usages = in_turns([query, usage], options.ndjson, options.runs, environment)
    ratio = median(queries) / median(usages)
    print(f"DuckDB {median(queries):.2f} s, usage {median(usages):.2f} s: {ratio:.0f} × (at least 20 ×)")
    print(f"DuckDB found (rows, calls, calls with a use, uses) {table.output.strip()}")
    print(f"usage found {ours['calls']['count']} calls, {uses} uses")


def write_rules(folder, fields):
    path = folder / "rules.toml"
    rule = '[[rule]]\nid = "{0}"\noperation = "POST /v1/orders"\nfield = "{0}"\nat = ["$.{0}"]\nsides = ["request"]\n'
    path.write_text('api = "Shop"\n' + "".join(rule.format(field) for field in fields))
    return ["--rules", path, "--no-builtin-rules", *AS_OF]


def record(agent, day, body):
    time = f"2026-{9 + day // 30:02}-{1 + day % 30:02}T10:00:00Z"
    request = {"headers": {"User-Agent": agent}, "body": body}
    call = {"time": time, "method": "POST", "url": "/v1/orders", "request": request, "response": {"status": 200}}
    return json.dumps(call, separators=(",", ":")) + "\n"


def in_turns(commands, file, runs, environment=None):
    """The seconds of each command."""
    process.warm(file)
    seconds = [[] for _ in commands]
    for _ in range(runs):
        for command, taken in zip(commands, seconds):
            process.read(file)
            taken.append(checked(process.run(command, environment)).seconds)
    return seconds


def checked(run):
    if run.status != 0:
        sys.exit(f"exit code {run.status}: {run.error}")
    return run


def median(seconds):
    return statistics.median(seconds)


if __name__ == "__main__":
    main()
