"""The rows of findings and of objects: what `sundown check --format ndjson` writes about each object, as a DataFrame."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .program import Finished, SundownError

# The columns of each row, named as in the output of the program. `json` is its whole line, with what has no column.
TEXTS = ["type", "file", "rule", "check", "severity", "message", "operation", "side", "field", "pointer", "replacement"]
TEXTS += ["removal", "first_seen", "last_seen", "suppressed_by", "fingerprint"]
NUMBERS = ["line", "column", "days_left", "seen", "exit_code", "records", "no_rule", "bytes", "errors", "warnings", "notes"]
NUMBERS += ["allowed", "baselined", "failed", "unrelated", "unread"]
COLUMNS = [*TEXTS, *NUMBERS, "skipped", "json"]

# What a row of an object says about each kind of pieces that were not checked.
SKIP_TEXTS = ["kind", "reason", "detail"]
SKIP_NUMBERS = ["count", "bytes", "line", "column"]

# The severities that a threshold of the exit code includes.
FAILING = {"never": [], "error": ["errors"], "warning": ["errors", "warnings"], "note": ["errors", "warnings", "notes"]}


@dataclass(frozen=True)
class Gate:
    """What decides the exit code of a scan."""

    fail_on: str = "error"
    strict: bool = False


def schema() -> Any:
    """The types of the columns."""
    from pyspark.sql.types import ArrayType, LongType, StringType, StructField, StructType

    def fields(texts: list[str], numbers: list[str]) -> list[StructField]:
        return [StructField(name, StringType()) for name in texts] + [StructField(name, LongType()) for name in numbers]

    skip = StructType(fields(SKIP_TEXTS, SKIP_NUMBERS))
    return StructType([*fields(TEXTS, NUMBERS), StructField("skipped", ArrayType(skip)), StructField("json", StringType())])


def rows_of(name: str, finished: Finished) -> Iterator[tuple[Any, ...]]:
    """A row for each finding in an object, and at the end one for the object, from the whole output of the program."""
    skipped = []
    for line in finished.output.decode().split("\n"):
        members = json.loads(line) if line else {"type": None}
        if members["type"] == "skipped":
            skipped.append(tuple(members.get(name) for name in SKIP_TEXTS + SKIP_NUMBERS))
        elif members["type"] == "summary":
            members |= {"type": "object", "file": name, "exit_code": finished.code, "skipped": skipped}
            members.setdefault("unread", 0)
        if members["type"] in ("finding", "suppressed", "object"):
            yield tuple((members | {"json": line}).get(name) for name in COLUMNS)


def exit_code(frame: Any, gate: Gate, objects: int) -> int:
    """The exit code that one scan of all objects has, from the rows about so many objects."""
    other_failures = "filter(skipped, skip -> skip.kind = 'failed' and skip.reason != 'no-known-address')"
    sums = [f"coalesce(sum({name}), 0) {name}" for name in ["unread", "records", "no_rule", "errors", "warnings", "notes"]]
    totals = (
        frame.where("type = 'object'")
        .selectExpr(
            "count(*) objects",
            *sums,
            f"coalesce(sum(size({other_failures})), 0) failures",
            "coalesce(max(exists(skipped, skip -> skip.reason = 'other-address')), false) elsewhere",
        )
        .first()
    )
    if totals["objects"] != objects:
        raise SundownError(f"{totals['objects']} of {objects} files were read; Spark has left out the others")
    # An object without a record, or with calls at other addresses alone, is no failure beside others.
    is_empty = totals["records"] == 0
    is_elsewhere = totals["elsewhere"] and totals["records"] == totals["no_rule"]
    if totals["unread"] or is_empty or is_elsewhere or (gate.strict and totals["failures"]):
        return 2
    return int(any(totals[name] for name in FAILING[gate.fail_on]))
