#!/usr/bin/env python3
"""Records the calls of drive_requests.py with the cassette recorders for `requests`: vcrpy and betamax.

The first recording keeps bodies as they come, compressed; the others ask for them as text. What was called is written
to calls.ndjson, so that recorders for other languages send the same.

Usage: drive_cassettes.py (calls | vcrpy-text | vcrpy-json | betamax) BASE_URL FOLDER
"""

import json
import sys
from pathlib import Path

import betamax
import drive_requests
import requests
import vcr
import yaml

HEADER_NAMES = ("authorization", "content-type")


def calls_of(cassette):
    """What the cassette's requests were, with a page of results that is small enough to keep several times."""
    for interaction in yaml.safe_load(cassette.read_text("utf-8"))["interactions"]:
        request = interaction["request"]
        body = request["body"]
        text = body.decode("utf-8") if isinstance(body, bytes) else body
        headers = {name: values[0] for name, values in request["headers"].items() if name.lower() in HEADER_NAMES}
        yield {
            "method": request["method"],
            "url": request["uri"],
            "headers": headers,
            "body": text.replace('"pageSize": 200', '"pageSize": 20'),
        }


def write_calls(folder):
    lines = [json.dumps(call, ensure_ascii=False) + "\n" for call in calls_of(folder / "vcrpy.yaml")]
    (folder / "calls.ndjson").write_text("".join(lines), "utf-8")


def replay(folder, session):
    session.trust_env = False
    for line in (folder / "calls.ndjson").read_text("utf-8").split("\n"):
        if line:
            call = json.loads(line)
            session.request(call["method"], call["url"], headers=call["headers"], data=call["body"].encode("utf-8"))


def record_vcrpy(folder, name, **options):
    with vcr.VCR(**options).use_cassette(str(folder / name)):
        replay(folder, requests.Session())


def record_betamax(folder):
    session = requests.Session()
    with betamax.Betamax(session, cassette_library_dir=str(folder)).use_cassette("betamax"):
        replay(folder, session)


def main():
    what, base, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    if what == "calls":
        with vcr.VCR().use_cassette(str(folder / "vcrpy.yaml")):
            sys.argv[1:] = [base]
            drive_requests.main()
        write_calls(folder)
    elif what == "vcrpy-text":
        record_vcrpy(folder, "vcrpy-text.yaml", decode_compressed_response=True)
    elif what == "vcrpy-json":
        record_vcrpy(folder, "vcrpy-json.json", decode_compressed_response=True, serializer="json")
    elif what == "betamax":
        record_betamax(folder)


if __name__ == "__main__":
    main()
