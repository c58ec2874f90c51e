"""Writes made-up traffic of many kinds into a folder: python3 make_traffic.py FOLDER OBJECTS BYTES SEED.

The calls are those of `testdata/usage/rules.toml`. BYTES is the size of all objects together, before compression. Every caller
has a secret in its name, by which tests find out where callers appear.
"""

import gzip
import json
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import zstandard

# Begins every value that identifies a caller.
CANARY = "canary-7f3a"

DAYS = 60


def call(draw: random.Random) -> dict[str, object]:
    """One call, as its parts."""
    day, second = draw.randrange(DAYS), draw.randrange(86_400)
    time = f"2026-{9 + day // 30:02}-{day % 30 + 1:02}T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}Z"
    team = f"{CANARY}-{draw.randrange(40)}"
    agent = f"{draw.choice(['shop-app', 'billing-job', 'report'])}/{draw.randrange(5)}.0 ({CANARY})"
    if draw.random() < 0.5:
        page = "?page=2" if draw.random() < 0.02 else ""
        return {
            "time": time,
            "team": team,
            "agent": agent,
            "method": "GET",
            "path": f"/v1/orders{page}",
            "sent": None,
            "got": {"items": []},
        }
    sent = {"legacyId" if draw.random() < 0.03 else "id": draw.randrange(10**6), "note": "x" * draw.randrange(400)}
    got = {"total" if draw.random() < 0.02 else "sum": draw.randrange(1000)}
    path = draw.choice(["/v1/orders", "/v1/orders", "/v1/carts", "/v1/other"])
    return {"time": time, "team": team, "agent": agent, "method": "POST", "path": path, "sent": sent, "got": got}


def ndjson(draw: random.Random) -> bytes:
    """A line of a JSON log; some are no calls, broken, blank, or have bytes that are not UTF-8."""
    kind = draw.random()
    if kind < 0.002:
        return draw.choice(
            [b"\n", b"   \r\n", b'{"level": "info", "message": "started"}\n', b'{"broken": \n', b'{"a": "\xff"}\n', b"banner\n"]
        )
    made = call(draw)
    request: dict[str, object] = {"headers": {"user-agent": made["agent"], "x-team": made["team"]}}
    if made["sent"] is not None:
        request["body"] = made["sent"]
    line = {
        "time": made["time"],
        "method": made["method"],
        "url": made["path"],
        "request": request,
        "response": {"status": 200, "body": made["got"]},
    }
    return json.dumps(line).encode() + (b"\r\n" if kind > 0.9 else b"\n")


def access(draw: random.Random) -> bytes:
    """A line of an access log."""
    made = call(draw)
    day = str(made["time"])
    stamp = f"{day[8:10]}/{'Sep' if day[5:7] == '09' else 'Oct'}/2026:{day[11:19]} +0000"
    return f'192.0.2.7 - - [{stamp}] "{made["method"]} {made["path"]} HTTP/1.1" 200 57 "-" "{made["agent"]}"\n'.encode()


def application(draw: random.Random) -> bytes:
    """A line of a JSON log without calls."""
    return json.dumps({"time": "2026-09-01T00:00:00Z", "level": "info", "count": draw.randrange(10**9)}).encode() + b"\n"


def har(draw: random.Random, size: int) -> Iterator[bytes]:
    """An HTTP archive."""
    yield b'{"log": {"version": "1.2", "creator": {"name": "made-up", "version": "1"}, "entries": [\n'
    entries = [json.dumps(entry(call(draw))).encode() for _ in range(500)]
    length = 0
    while length < size:
        one = draw.choice(entries)
        yield (b",\n" if length else b"") + one
        length += len(one)
    yield b"]}}\n"


def entry(made: dict[str, object]) -> dict[str, object]:
    """A call as an entry of an HTTP archive."""
    headers = [{"name": "user-agent", "value": made["agent"]}, {"name": "x-team", "value": made["team"]}]
    request: dict[str, object] = {"method": made["method"], "url": f"https://shop.example{made['path']}", "headers": headers}
    if made["sent"] is not None:
        request["postData"] = {"mimeType": "application/json", "text": json.dumps(made["sent"])}
    content = {"mimeType": "application/json", "text": json.dumps(made["got"])}
    return {"startedDateTime": made["time"], "request": request, "response": {"status": 200, "headers": [], "content": content}}


def cassette(draw: random.Random, size: int) -> Iterator[bytes]:
    """A cassette of vcrpy."""
    yield b"interactions:\n"
    items = [interaction(call(draw)) for _ in range(500)]
    length = 0
    while length < size:
        one = draw.choice(items)
        yield one
        length += len(one)
    yield b"version: 1\n"


def interaction(made: dict[str, object]) -> bytes:
    """A call as an interaction of a cassette."""
    body = "null" if made["sent"] is None else f"'{json.dumps(made['sent'])}'"
    headers = "".join(f"      {name}:\n      - {made[key]}\n" for name, key in [("user-agent", "agent"), ("x-team", "team")])
    return (
        f"- request:\n    body: {body}\n    headers:\n{headers}    method: {made['method']}\n"
        f"    uri: https://shop.example{made['path']}\n  response:\n    body:\n      string: '{json.dumps(made['got'])}'\n"
        "    headers: {}\n    status:\n      code: 200\n      message: OK\n"
    ).encode()


def lines(make: Callable[[random.Random], bytes]) -> Callable[[random.Random, int], Iterator[bytes]]:
    """A log with so many bytes, in pieces: the same calls over and over, in another order."""

    def write(draw: random.Random, size: int) -> Iterator[bytes]:
        known = [make(draw) for _ in range(2000)]
        length = 0
        while length < size:
            piece = b"".join(draw.choices(known, k=500))
            yield piece
            length += len(piece)

    return write


# The kinds of objects with the endings of their names, in turn. Every eighth object is four times as large as the others.
KINDS: list[tuple[str, Callable[[random.Random, int], Iterator[bytes]]]] = [
    (".ndjson", lines(ndjson)),
    (".ndjson.gz", lines(ndjson)),
    ("-access.log", lines(access)),
    (".jsonl.zst", lines(ndjson)),
    (".har", har),
    (".log", lines(ndjson)),
    ("-access.log.gz", lines(access)),
    (".yaml", cassette),
]


def write(path: Path, pieces: Iterator[bytes]) -> None:
    """Writes a file, compressed as its name says."""
    if path.suffix == ".gz":
        with gzip.GzipFile(path, "wb", compresslevel=1, mtime=0) as compressed:
            compressed.writelines(pieces)
    elif path.suffix == ".zst":
        with path.open("wb") as file, zstandard.ZstdCompressor(1).stream_writer(file) as compressed:
            for piece in pieces:
                compressed.write(piece)
    else:
        with path.open("wb") as file:
            file.writelines(pieces)


def make_objects(folder: Path, objects: int, size: int, seed: int) -> None:
    """Writes objects of all kinds with so many bytes together."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = [4 if number % 8 == 0 else 1 for number in range(objects)]
    for number, weight in enumerate(weights):
        ending, make = KINDS[number % len(KINDS)]
        pieces = make(random.Random(seed * 1000 + number), size * weight // sum(weights))
        write(folder / f"part-{number:03}{ending}", pieces)


def make_difficult(folder: Path, seed: int) -> None:
    """Writes files that are damaged, cut off, strangely named, empty of calls, or not for this tool."""
    draw = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    some = b"".join(lines(ndjson)(draw, 300_000))
    packed = gzip.compress(some, 1, mtime=0)
    for name, content in {
        "cut-off.ndjson.gz": packed[: len(packed) // 2],
        "damaged.ndjson.gz": packed[:5000] + b"\0" * 50 + packed[5050:],
        "no-line-feed.ndjson": some.rstrip() + b'\n{"method": "POST", "url": "/v1/orders", "request": {"body": {"legacyId": 1}',
        "cut-off-access.log": b"".join(lines(access)(draw, 1_500_000))[:-30],
        "one line [1] {x}*?, 100 %, \u00e4+b.ndjson": some,
        "application.ndjson": b"".join(lines(application)(draw, 2_500_000)),
        "mostly-application.ndjson": b"".join(lines(application)(draw, 2_500_000)) + ndjson(random.Random(1)) * 3,
        "marked.ndjson": b"\xef\xbb\xbf" + b"".join(lines(ndjson)(draw, 1_200_000)),
        "long-lines.ndjson": b"".join(b'{"x": "' + b"y" * 700_000 + b'"}\n' + ndjson(draw) for _ in range(6)),
        "document.log": b"".join(har(draw, 1_500_000)),
        "notes.txt": b"These are notes.\n" * 50_000,
        "empty.ndjson": b"",
    }.items():
        (folder / name).write_bytes(content)
    # Markers of other programs, which are not read.
    (folder / "_SUCCESS").write_bytes(b"")
    (folder / ".hidden.ndjson").write_bytes(some)


if __name__ == "__main__":
    make_objects(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
