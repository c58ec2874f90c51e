"""Writes the objects of the tests: logs with callers, a sample of each format, and what is damaged or not for this tool."""

import gzip
import shutil
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]

# Is in every value that identifies a caller, but for product tokens.
CANARY = "canary-7f3a"


def make_objects(folder: Path) -> None:
    """Writes all of them."""
    logs = "".join(path.read_text() for path in sorted((REPOSITORY / "testdata/usage").glob("*.ndjson")))
    logs = logs.replace('"x-team":"', f'"x-team":"{CANARY}-').replace("(Android 15)", f"({CANARY})")
    shutil.copytree(REPOSITORY / "crates/captures/samples", folder / "samples")
    for number in range(12):
        text = (logs * (5 + 40 * (number % 5 == 0))).encode()
        name = folder / f"part-{number:03}.ndjson"
        if number % 3 == 1:
            name, text = name.with_suffix(".ndjson.gz"), gzip.compress(text, 1, mtime=0)
        name.write_bytes(text)
    packed = gzip.compress(logs.encode(), 1, mtime=0)
    half = len(packed) // 2
    calls = logs.encode()
    difficult = folder / "difficult"
    difficult.mkdir()
    for name, content in {
        "cut-off.ndjson.gz": packed[:half],
        "damaged.ndjson.gz": packed[:half] + b"\0" * 50 + packed[half + 50 :],
        "no-line-feed.ndjson": calls + b'{"method": "POST", "url": "/v1/orders", "request": {"body": {"legacyId": 1}',
        "one line [1] {x}*?, 100 %, \u00e4+b.ndjson": calls + b'{"a": "\xff"}\n   \r\nbanner\n',
        "application.ndjson": b'{"level": "info", "count": 7}\n' * 40_000 + calls,
        "long-lines.ndjson": (b'{"x": "' + b"y" * 700_000 + b'"}\n' + calls) * 3,
        "notes.txt": b"These are notes.\n" * 5_000,
        # Markers of other programs, which are not read.
        "_SUCCESS": b"",
        ".hidden.ndjson": calls,
    }.items():
        (difficult / name).write_bytes(content)
