"""The peers: what each does with a capture, how it is called, and how it reports its findings."""

import json
import sys
from collections.abc import Callable
from typing import NamedTuple

from .kit import HERE

FORMATS = ("ndjson", "har")
USES = "the same job"


class Call(NamedTuple):
    command: list
    environment: dict[str, str] = {}


class Peer(NamedTuple):
    name: str
    job: str
    call: Callable  # (kit, format, file) -> Call; may install something, which is never timed
    found: Callable = int  # what it printed -> a number, or None
    formats: tuple[str, ...] = FORMATS
    slow: bool = False  # or too hungry for a file of gigabytes: takes the small one if there is one
    keep_output: bool = True
    good: tuple[int, ...] = (0,)


def wc(kit, format, file):
    return Call(["wc", "-l", file])


def dd(kit, format, file):
    return Call(["dd", "bs=512k", "of=/dev/null", f"if={file}"])


def ripgrep(kit, format, file):
    names = "|".join(kit.job.names())
    return Call([kit.crate("ripgrep", "rg"), "--no-config", "-j1", "-c", "-e", names, file], {"LC_ALL": "C"})


def rsonpath(kit, format, file):
    return Call([kit.crate("rsonpath", "rq"), "$.log.entries[*].response.content.text", file])


def simdjson(kit, format, file):
    program, environment = kit.simdjson()
    return Call([program, kit.places(), format, file], environment)


def sonic(kit, format, file):
    return Call([kit.sonic(), kit.places(), format, file])


def orjson(kit, format, file):
    return Call([sys.executable, HERE / "orjson_peer.py", kit.places(), format, file], kit.package("orjson"))


def duckdb(kit, format, file):
    return Call([sys.executable, HERE / "duckdb_peer.py", kit.places(), format, file], kit.package("duckdb"))


def jaq(kit, format, file):
    return Call(jq_command(kit.crate("jaq", "jaq"), kit, format, file))


def jq(kit, format, file):
    program, environment = kit.jq()
    return Call(jq_command(program, kit, format, file), environment)


def jq_command(program, kit, format, file):
    arguments = ["--rawfile", "places", kit.places(), "--arg", "format", format]
    return [program, "-n", *arguments, "-f", HERE / "job.jq", file]


def drift(kit, format, file):
    script = kit.node("@redocly/cli", "bin/cli.js")
    options = ["--match-mode", "basepath", "--rules", "schema-consistency", "--format", "json"]
    command = [*script, "drift", file, "--api", kit.description(), "--traffic-format", format, *options]
    return Call(command, {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"})


def first_number(output):
    return int(output.split()[0]) if output.strip() else 0


def nothing(output):
    return None


def mismatches(output):
    """Only those of the schemas that nothing fits."""
    problems = json.loads(output)["problems"]
    return sum(problem["occurrences"] for problem in problems if problem["message"].endswith("must NOT be valid"))


PEERS = [
    Peer("dd", "the reading limit", dd, nothing),
    Peer("wc", "counts lines", wc, first_number),
    Peer("rg", "counts the lines with a deprecated name anywhere", ripgrep, first_number, good=(0, 1)),
    Peer("rsonpath", "prints the response bodies", rsonpath, nothing, formats=("har",), keep_output=False),
    Peer("simdjson", USES, simdjson),
    Peer("sonic-rs", USES, sonic),
    Peer("orjson", USES, orjson, slow=True),
    Peer("duckdb", USES, duckdb, slow=True),
    Peer("jaq", USES, jaq, slow=True),
    Peer("jq", USES, jq, slow=True),
    Peer("redocly", "drift: uses from a body's root, schemas", drift, mismatches, slow=True, good=(0, 1)),
]
