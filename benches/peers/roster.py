"""The peers: how each is called to do the job with a capture. Each prints the number of uses that it found."""

import sys
from collections.abc import Callable
from typing import NamedTuple

from .kit import HERE

FORMATS = ("ndjson", "har")


class Call(NamedTuple):
    command: list
    environment: dict[str, str] = {}


class Peer(NamedTuple):
    name: str
    call: Callable  # (kit, format, file) -> Call; may install something, which is never timed
    slow: bool = False  # or too hungry for a file of gigabytes: takes the small one if there is one


def sonic(kit, format, file):
    return Call([kit.cargo("sonic"), kit.places(), format, file])


def duckdb(kit, format, file):
    return Call([sys.executable, HERE / "duckdb_peer.py", kit.places(), format, file], kit.duckdb())


def jq(kit, format, file):
    program, environment = kit.jq()
    arguments = ["--rawfile", "places", kit.places(), "--arg", "format", format]
    return Call([program, "-n", *arguments, "-f", HERE / "job.jq", file], environment)


PEERS = [
    Peer("sonic-rs", sonic),
    Peer("duckdb", duckdb, slow=True),
    Peer("jq", jq, slow=True),
]
