#!/usr/bin/env python3
"""Measures sundown on files as people have them, beside programs that only parse each line or document, and on one log for
each trait that records may have, beside the log without it.

    benches/ordinary.py --sundown target/release/sundown [--only NAME,…] [FILE…]

The files (files.py, traits.py) are the same on every machine; a FILE of your own is measured, too. Printed are medians of the
user time of one thread, in turns, after each file was read twice. The exit code is 1 if a file takes more than FILE_LIMIT
times as long as the fastest parser, or a trait more than TRAIT_LIMIT times as long as the baseline, for a byte and for a
record, and is not in EXCEPTIONS.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
from pathlib import Path

from files import FILES
from peers import process
from peers.kit import Kit, Missing
from traits import BASELINE, TRAITS

PEERS = Path(__file__).resolve().parent.parent / "target/peers"
PARSERS = ("serde_json", "sonic-rs", "simd-json")
UNITS = {".ndjson": "lines", ".jsonl": "lines", ".json": "document", ".har": "document"}
SEED, SMOKE_BYTES = 7, 500_000
FILE_LIMIT, TRAIT_LIMIT = 1.3, 2
# What is over its limit for good reason. If it is not, that is a mistake, too.
EXCEPTIONS = {
    "body-base64": "each body is decoded",
    "use-in-every-record": "each record is validated, walked and reported",
}


def measure_files(options, parsers):
    for file in wanted(FILES, options):
        with tempfile.TemporaryDirectory() as folder:
            yield measure_file(file.name, file.unit, *file.write(Path(folder), options.bytes, SEED), options, parsers)
    for path in options.files:
        yield measure_file(path.name, UNITS.get(path.suffix), path, path.stat().st_size, None, options, parsers)


def measure_file(name, unit, path, size, records, options, parsers):
    peers = [[parsers, parser, unit, path] for parser in PARSERS if unit]
    ours, *theirs = in_turns([check(path, options), *peers], path, options.runs)
    times = [user_time(runs) for runs in theirs]
    ratio = user_time(ours) / max(min(times), 1e-6) if unit else None
    return row(name, size, records, ours, ratio, FILE_LIMIT) | {"parsers": dict(zip(PARSERS, times, strict=False))}


def measure_traits(options):
    with tempfile.TemporaryDirectory() as folder:
        baseline, plain_size, plain_records = BASELINE.write(Path(folder), options.bytes // 5, SEED)
        for trait in wanted(TRAITS, options):
            path, size, records = trait.write(Path(folder), options.bytes // 5, SEED)
            plain, ours = in_turns([check(baseline, options), check(path, options)], path, options.runs)
            times = user_time(ours) / max(user_time(plain), 1e-6)
            of_record = {"ratio_of_record": times / records * plain_records}
            yield row(trait.name, size, records, ours, times / size * plain_size, TRAIT_LIMIT) | of_record
            path.unlink()


def wanted(files, options):
    for file in files:
        if not options.only or file.name in options.only:
            print(file.name, file=sys.stderr)
            yield file


def check(path, options):
    settings = ["--no-config", "--threads", "1", "--as-of", "2026-11-20", "--fail-on", "never", "--format", "json"]
    return [options.sundown.resolve(), "check", *settings, path]


def in_turns(commands, file, runs):
    """The runs of each command."""
    for path in [path for path in (file, *file.rglob("*")) if path.is_file()] * 2:
        process.read(path)
    finished = [[] for _ in commands]
    for _ in range(runs):
        for command, theirs in zip(commands, finished, strict=True):
            run = process.run(command)
            # 2: nothing could be checked, as where no record is recognised.
            if run.status not in (0, 2):
                sys.exit(f"{command} ended with {run.status}: {run.error}")
            theirs.append(run)
    return finished


def user_time(runs):
    return statistics.median(run.user_seconds for run in runs)


def row(name, size, records, ours, ratio, limit):
    summary = json.loads(ours[-1].output)["summary"]
    counts = {"name": name, "bytes": size, "files": summary["files"], "records": records, "read": summary["records"]}
    peak = max(run.peak_kib for run in ours) / 1024
    return counts | {"seconds": user_time(ours), "peak_mib": peak, "ratio": ratio, "limit": limit}


def file_table(rows):
    yield "| file | MB | sundown, seconds | MB/s | memory | " + " | ".join(PARSERS) + " | sundown / fastest parser |"
    yield "|---|" + "--:|" * (5 + len(PARSERS))
    for row in rows:
        times = [f"{row['parsers'][parser]:.3f}" if row["parsers"] else "" for parser in PARSERS]
        cells = [f"{row['bytes'] / 1e6:.0f}", f"{row['seconds']:.3f}", *speed_and_memory(row), *times, ratio(row)]
        yield f"| {' | '.join([row['name'], *cells])} |"
    yield from (f"\n{row['name']}: {1e6 * row['seconds'] / row['files']:.0f} µs a file" for row in rows if row["files"] > 1)


def trait_table(rows):
    yield "| trait | a byte / of the baseline | a record | MB/s | memory | records read | |"
    yield "|---|--:|--:|--:|--:|--:|---|"
    for row in sorted(rows, key=lambda row: -row["ratio"]):
        read = f"{100 * row['read'] / row['records']:.0f} %"
        cells = [ratio(row), f"{row['ratio_of_record']:.2f}", *speed_and_memory(row), read, EXCEPTIONS.get(row["name"], "")]
        yield f"| {' | '.join([row['name'], *cells])} |"


def speed_and_memory(row):
    return f"{row['bytes'] / max(row['seconds'], 1e-6) / 1e6:.0f}", f"{row['peak_mib']:.0f} MiB"


def ratio(row):
    return f"{row['ratio']:.2f}" if row["ratio"] is not None else ""


def mistakes(rows, options):
    """A short run shows that the programs work, not how fast they are."""
    for row in rows:
        if row["limit"] == FILE_LIMIT and row["records"] not in (None, row["read"]):
            yield f"{row['name']}: sundown read {row['read']} of {row['records']} records"
        # A file of shorter records has more of them.
        ratio_of_record = row.get("ratio_of_record", row["ratio"])
        is_over = row["ratio"] is not None and min(row["ratio"], ratio_of_record) > row["limit"]
        if is_over != (row["name"] in EXCEPTIONS) and not options.smoke:
            yield f"{row['name']}: {ratio(row)} is {'over' if is_over else 'no longer over'} the limit of {row['limit']}"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--sundown", type=Path, metavar="PROGRAM")
    parser.add_argument("--only", type=lambda text: text.split(","), metavar="NAME,…", help="of the files and traits")
    parser.add_argument("--bytes", type=int, default=200_000_000, metavar="N", help="of a file, and a fifth for each trait")
    parser.add_argument("--runs", type=int, default=5, metavar="N", help="of each program (default: 5)")
    parser.add_argument("--smoke", action="store_true", help="measure small files once, and no limits: does all of it work?")
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="only write the files")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures to this file, too")
    options = parser.parse_args()
    if unknown := set(options.only or []) - {file.name for file in FILES + TRAITS}:
        parser.error(f"no such file or trait: {', '.join(sorted(unknown))}")
    if not options.write and not options.sundown:
        parser.error("give --sundown")
    if options.smoke:
        options.bytes, options.runs = SMOKE_BYTES, 1
    return options


def main():
    options = parse_arguments()
    if options.write:
        options.write.mkdir(parents=True, exist_ok=True)
        for file in wanted([*FILES, BASELINE, *TRAITS], options):
            file.write(options.write, options.bytes, SEED)
        return
    try:
        parsers = Kit(PEERS, None).cargo("parsers")
    except Missing as problem:
        sys.exit(f"the parsers: {problem}")
    files, traits = list(measure_files(options, parsers)), list(measure_traits(options))
    print("\n".join([*(file_table(files) if files else []), "", *(trait_table(traits) if traits else [])]))
    if options.json:
        content = {"cores": os.cpu_count(), "runs": options.runs, "files": files, "traits": traits}
        options.json.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    if found := list(mistakes(files + traits, options)):
        sys.exit("\n".join(found))


if __name__ == "__main__":
    main()
