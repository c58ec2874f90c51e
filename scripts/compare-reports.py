#!/usr/bin/env python3
"""Compares the reports of two builds of the program: findings, skips and their texts have to be equal.

    scripts/compare-reports.py OLD NEW [PATH...]

Both programs check every recorded capture and description of `testdata`, generated traffic, and damaged copies of the
captures, under several rule sets, with and without --strict, with one and two threads, as JSON and as NDJSON without
folding. With PATH, they check only these files and folders. Exit code 0: equal; 1: different; 2: a program did not run.

With --without-texts, messages, advice and help may differ. Skips are compared separately from findings.
The input data and the reports of OLD are kept in --data, so that a second run is faster.
"""

import argparse
import collections
import concurrent.futures
import gzip
import hashlib
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import typing

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
ROOT = REPOSITORY

AS_OF = "2026-11-23"

# What a report says in words.
TEXTS = {"message", "help", "advice", "note", "notes", "text", "label", "title", "detail"}

# The members that are left out.
ignored = set()

# How a report is asked for: name, arguments.
MODES = [
    (f"{name}, {threads} thread{'s' * (threads > 1)}{', strict' * strict}",
     [*arguments, "--threads", str(threads), *["--strict"] * strict])
    for name, arguments in (("json", ["--format", "json"]), ("ndjson", ["--format", "ndjson", "--no-fold"]))
    for strict in (False, True)
    for threads in (1, 2)
]

# Rule sets: name, arguments.
RULES = [
    ("built-in", []),
    ("api.yaml", ["--no-builtin-rules", "--rules", "testdata/descriptions/api.yaml"]),
    ("built-in and api.yaml", ["--rules", "testdata/descriptions/api.yaml", "--dates-from-text"]),
    ("located", ["--no-builtin-rules", "--rules", "testdata/located/shop.toml"]),
    ("hostile keys", ["--no-builtin-rules", "--rules", "testdata/reports/rules.toml"]),
    ("exports", ["--no-builtin-rules", "--rules", "testdata/exports/rules.toml"]),
]


class Input(typing.NamedTuple):
    name: str
    paths: list
    rules: list = RULES[:1]
    modes: list = MODES
    arguments: list = []
    piped: typing.Optional[pathlib.Path] = None


class Report(typing.NamedTuple):
    """What is compared of a report."""

    code: int
    findings: list
    skips: list
    rest: list


def main():
    global ROOT
    arguments = parse_arguments()
    ROOT = arguments.root.resolve()
    ignored.update(TEXTS if arguments.without_texts else ())
    data = arguments.data.resolve()
    data.mkdir(parents=True, exist_ok=True)
    inputs = [Input(path, [path], RULES) for path in arguments.paths] or all_inputs(data, arguments.generators)
    if arguments.only:
        inputs = [input for input in inputs if arguments.only in input.name]
    old = Program(arguments.old, data / "reports")
    new = Program(arguments.new, None)
    runs = [(input, rules, mode) for input in inputs for rules in input.rules for mode in input.modes]
    differing = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        compared = pool.map(lambda run: (run, compare(old, new, *run)), runs)
        summary = Summary(arguments.show)
        for (input, rules, mode), differences in compared:
            differing.update(kind for kind, _ in differences)
            summary.add(input, f"{rules[0]}; {mode[0]}", differences)
        summary.end()
    print(f"{len(runs)} pairs of reports: " + (
        "; ".join(f"{count} differences in {kind}" for kind, count in sorted(differing.items())) or "no difference"))
    sys.exit(1 if differing else 0)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", metavar="OLD", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("new", metavar="NEW", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("paths", metavar="PATH", nargs="*", help="check only these")
    parser.add_argument("--data", type=pathlib.Path, default=REPOSITORY / "target/compare-reports",
                        help="folder for generated input and the reports of OLD")
    parser.add_argument("--generators", type=pathlib.Path, default=REPOSITORY / "target/debug/examples",
                        help="folder of the built examples")
    parser.add_argument("--root", type=pathlib.Path, default=REPOSITORY, help="folder with `testdata` (this repository)")
    parser.add_argument("--without-texts", action="store_true", help="leave out messages, advice and help")
    parser.add_argument("--only", help="check only inputs with this text in their name")
    parser.add_argument("--show", type=int, default=5, help="how many differences to print for each input (5)")
    parser.add_argument("--jobs", type=int, default=2, help="how many programs to run at a time (2)")
    return parser.parse_args()


class Program:
    """One build of the program. With a folder, its reports are read from there if they were made before."""

    def __init__(self, path, kept):
        self.path = path
        self.kept = kept
        self.version = hashlib.sha256(path.read_bytes()).hexdigest()
        if kept:
            kept.mkdir(exist_ok=True)

    def report(self, input, rules, mode):
        command = ["check", "--no-config", "--as-of", AS_OF, *mode[1], *rules[1], *input.arguments, *input.paths]
        if not self.kept:
            return read_report(*self.run(command, input.piped))
        key = hashlib.sha256(json.dumps([self.version, command, content_hash(input, rules)]).encode()).hexdigest()
        kept = self.kept / f"{key}.gz"
        if kept.exists():
            code, _, output = gzip.decompress(kept.read_bytes()).partition(b"\n")
            return read_report(int(code), output)
        code, output = self.run(command, input.piped)
        partial = kept.with_suffix(f".{os.getpid()}.{id(output)}")
        partial.write_bytes(gzip.compress(b"%d\n" % code + output, 1))
        partial.replace(kept)
        return read_report(code, output)

    def run(self, command, piped):
        environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}
        with open(piped or os.devnull, "rb") as standard_input:
            done = subprocess.run([self.path, *command], cwd=ROOT, env=environment, stdin=standard_input,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=900)
        if done.returncode not in (0, 1, 2) or not done.stdout:
            print(f"{self.path} {' '.join(map(str, command))[:500]} ended with {done.returncode}:\n"
                  f"{done.stderr.decode(errors='replace')[:2000]}", file=sys.stderr)
            os._exit(2)
        return done.returncode, done.stdout


HASHES = {}


def content_hash(input, rules):
    """A hash of everything that a run reads."""
    named = [*input.paths, *(path for path in rules[1] + input.arguments if "/" in path), *filter(None, [input.piped])]
    hashes = []
    for path in map(ROOT.joinpath, named):
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file():
                if file not in HASHES:
                    HASHES[file] = hashlib.sha256(file.read_bytes()).hexdigest()
                hashes.append((str(file), HASHES[file]))
    return hashes


def comparable(value):
    if isinstance(value, dict):
        return {key: comparable(item) for key, item in value.items() if not (key in ignored and isinstance(item, str))}
    if isinstance(value, list):
        return [comparable(item) for item in value]
    return value


def line(value):
    return json.dumps(comparable(value), sort_keys=True, ensure_ascii=False)


def read_report(code, output):
    text = output.decode()
    if text.startswith('{"type":'):
        records = [json.loads(record) for record in text.splitlines()]
        kinds = collections.defaultdict(list)
        for record in records:
            kinds[record.pop("type")].append(line(record))
        findings, skips = kinds.pop("finding", []), kinds.pop("skipped", [])
        rest = [f"{kind} {record}" for kind, records in sorted(kinds.items()) for record in records]
    else:
        document = json.loads(text)
        findings, skips = ([line(item) for item in document.pop(key)] for key in ("findings", "skipped"))
        rest = [f"{key} {line(item)}" for key, item in sorted(document.items())]
    return Report(code, findings, skips, rest)


def compare(old, new, input, rules, mode):
    """The differences as (kind, line) pairs."""
    before, after = (program.report(input, rules, mode) for program in (old, new))
    differences = []
    for kind, was, now in (("findings", before.findings, after.findings), ("skips", before.skips, after.skips),
                           ("the rest", before.rest, after.rest)):
        gone, come = collections.Counter(was), collections.Counter(now)
        lines = [(position(item), "-", item) for item in (gone - come).elements()]
        lines += [(position(item), "+", item) for item in (come - gone).elements()]
        differences += [(kind, f"{sign} {item}") for _, sign, item in sorted(lines)]
        if not lines and was != now:
            differences.append((f"the order of {kind}", f"{len(was)} {kind} in another order"))
    if before.code != after.code:
        differences.append(("exit codes", f"exit code {before.code}, now {after.code}"))
    return differences


def position(item):
    """Sorts differences by place, so that both sides of a change are next to each other."""
    record = json.loads(item) if item.startswith("{") else {}
    return str(record.get("file")), record.get("line") or 0, str(record.get("rule") or record.get("reason"))


class Summary:
    """Prints a line for each input, and its first differences."""

    def __init__(self, show):
        self.show = show
        self.input = None

    def add(self, input, run, differences):
        if self.input is not input:
            self.end()
            self.input, self.runs, self.differing, self.kinds, self.first = input, 0, 0, collections.Counter(), {}
        self.runs += 1
        self.differing += bool(differences)
        self.kinds.update(kind for kind, _ in differences)
        for kind, text in differences:
            self.first.setdefault(kind, {}).setdefault(text, run)

    def end(self):
        if self.input is None:
            return
        if not self.differing:
            print(f"equal      {self.input.name} ({self.runs} runs)", flush=True)
            return
        print(f"DIFFERENT  {self.input.name} ({self.differing} of {self.runs} runs): "
              + ", ".join(f"{count} in {kind}" for kind, count in sorted(self.kinds.items())))
        for kind, texts in sorted(self.first.items()):
            print(f"  {kind}: {len(texts)} distinct")
            for text, run in list(texts.items())[:self.show]:
                print(f"    [{run}]\n    {text}")
        sys.stdout.flush()


def all_inputs(data, generators):
    return [*recorded_inputs(), *generated_inputs(data, generators), *damaged_inputs(data)]


def recorded_inputs():
    folders = sorted(path.name for path in (ROOT / "testdata").iterdir() if path.is_dir())
    files = lambda folder: sorted(
        str(path.relative_to(ROOT)) for path in (ROOT / "testdata" / folder).rglob("*") if path.is_file())
    for folder in folders:
        # Found in a folder, and named: what a folder passes over is read if it is named.
        yield Input(f"testdata/{folder}", [f"testdata/{folder}"], RULES)
        yield Input(f"files of testdata/{folder}", files(folder), RULES)
    bare = ["--operation", "POST /rest/api/v1/search"]
    yield Input("testdata as bare bodies", ["testdata/captures"], RULES[:3], MODES[:4], bare)
    yield Input("testdata as responses", ["testdata/captures", "testdata/facts"], RULES[:3], MODES[:4],
                [*bare, "--side", "response"])
    for role in ("owner", "consumer"):
        yield Input(f"descriptions of a {role}", ["testdata/descriptions", "testdata/exports", "testdata/located"],
                    RULES[:3], MODES[:4], ["--role", role])
    yield Input("testdata, shallow", ["testdata"], RULES[:2], MODES[:4], ["--max-depth", "4"])
    yield Input("testdata, short", ["testdata"], RULES[:2], MODES[:4], ["--max-record", "2K"])
    for name in ("har", "ndjson", "json", "http", "curl", "access-log", "openapi"):
        yield Input(f"testdata read as {name}", ["testdata/captures", "testdata/formats"], RULES[:1], MODES[4:6],
                    ["--input-format", name])


def generated_inputs(data, generators):
    folder = data / "generated"
    folder.mkdir(exist_ok=True)
    traffic = lambda name, megabytes, hits, *more: (name, ["traffic", "--format", *more, "--hits", str(hits), "--bytes",
                                                           str(megabytes * 1_000_000), "--seed", "7"], None)
    wanted = [
        traffic("1.ndjson", 12, 1, "ndjson"),
        traffic("20.ndjson", 5, 20, "ndjson"),
        traffic("1.har", 8, 1, "har"),
        traffic("20.har", 5, 20, "har"),
        traffic("indented.har", 5, 1, "har", "--layout", "indented"),
        traffic("indented.20.har", 5, 20, "har", "--layout", "indented"),
        traffic("1.log", 5, 1, "access-log"),
        traffic("small.ndjson", 3, 5, "ndjson"),
        ("vcrpy.yaml", ["cassettes", "testdata/captures/cassettes/vcrpy-text.yaml", "2000000"], None),
        ("vcrpy.json", ["cassettes", "testdata/captures/cassettes/vcrpy-json.json", "3000000"], None),
        ("small.pcap", ["wire", "pcap"], "small.ndjson"),
        ("small.flows", ["wire", "flows"], "small.ndjson"),
    ]
    for name, command, piped in wanted:
        if not (folder / name).exists():
            generate(generators, command, folder / name, folder / piped if piped else None)
    for name in ("20.ndjson", "indented.har"):
        compressed = folder / f"{name}.gz"
        if not compressed.exists():
            compressed.write_bytes(gzip.compress((folder / name).read_bytes(), 6, mtime=0))
    ordinary = data / "ordinary"
    if not ordinary.exists():
        generate(generators, ["ordinary", str(ordinary), "100"], None, None)
    for file in sorted(folder.iterdir()):
        yield Input(f"generated {file.name}", [str(file)], RULES[:2] if file.suffix != ".log" else RULES[:1])
    for name in ("20.ndjson", "1.har", "20.ndjson.gz"):
        yield Input(f"generated {name}, piped", ["-"], RULES[:1], piped=folder / name)
    yield Input("generated ordinary files", [str(ordinary)], RULES[:2])


def generate(generators, command, into, piped):
    example = generators / command[0]
    if not example.exists():
        subprocess.run(["cargo", "build", "--locked", "--examples"], cwd=REPOSITORY, check=True)
    with open(piped or os.devnull, "rb") as source, open(into or os.devnull, "wb") as target:
        subprocess.run([example, *command[1:]], cwd=ROOT, stdin=source, stdout=target, check=True)


def damaged_inputs(data):
    """Copies of recorded and generated files that are cut off, or in which single bytes are others."""
    folder = data / "damaged"
    marker = folder / "complete"
    sources = [path for part in ("captures", "formats", "descriptions") for path in sorted((ROOT / "testdata" / part).rglob("*"))
               if path.is_file() and not path.name.endswith((".expected.json", ".md"))]
    sources = [path for path in sources if path.suffix != ".bru" or path.stem < "06"]
    sources += [data / "generated" / name for name in ("small.ndjson", "indented.20.har")]
    if not marker.exists():
        shutil.rmtree(folder, ignore_errors=True)
        chance = random.Random(7)
        for source in sources:
            damage(source, folder, chance)
        marker.touch()
    for part in ("cut", "bytes"):
        for size in ("small", "large"):
            yield Input(f"damaged: {part}, {size}", [str(folder / part / size)], RULES[:2])


def damage(source, folder, chance):
    content = source.read_bytes()
    size = "large" if len(content) > 1_000_000 else "small"
    name = "-".join(source.parts[-2:])
    stem, ending = os.path.splitext(name)
    for part in ("cut", "bytes"):
        (folder / part / size).mkdir(parents=True, exist_ok=True)
    for number in range(3):
        cut = chance.randrange(1, max(2, len(content)))
        (folder / "cut" / size / f"{stem}.{number}{ending}").write_bytes(content[:cut])
        changed = bytearray(content)
        for _ in range(1 + len(content) // 100_000 * number):
            changed[chance.randrange(len(content))] = chance.choice(b'"{}[]:,\\ \n0a\xff\x00')
        (folder / "bytes" / size / f"{stem}.{number}{ending}").write_bytes(changed)


main()
