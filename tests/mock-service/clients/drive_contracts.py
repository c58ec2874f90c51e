#!/usr/bin/env python3
"""Writes the calls of a cassette as contracts and stubs: through Pact's own library, whose mock server gets every call;
through WireMock, which records them on the way to the mock service; and as Hoverfly simulations by its published schema.

Usage: drive_contracts.py pact CASSETTE FOLDER
       drive_contracts.py wiremock CASSETTE WIREMOCK_URL STANDIN_URL FOLDER
       drive_contracts.py hoverfly CASSETTE FOLDER
"""

import base64
import json
import sys
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

KEPT_HEADERS = ("authorization", "content-type")


class Call(NamedTuple):
    method: str
    url: str
    headers: dict
    body: str
    status: int
    answer_type: str
    answer: str


def calls_of(cassette):
    for interaction in json.loads(Path(cassette).read_text("utf-8"))["interactions"]:
        request, response = interaction["request"], interaction["response"]
        headers = {name: values[0] for name, values in request["headers"].items() if name.lower() in KEPT_HEADERS}
        yield Call(
            request["method"], request["uri"], headers, request["body"],
            response["status"]["code"], response["headers"]["Content-Type"][0], response["body"]["string"],
        )


def session():
    import requests

    made = requests.Session()
    made.trust_env = False
    return made


def send(http, base, call):
    parts = urlsplit(call.url)
    query = f"?{parts.query}" if parts.query else ""
    answer = http.request(call.method, f"{base}{parts.path}{query}", headers=call.headers, data=call.body.encode("utf-8"))
    assert answer.status_code == call.status, (call.url, answer.status_code)


# ---- Pact ----


def expectation(pact, call, name):
    from pact import match

    parts = urlsplit(call.url)
    expected = pact.upon_receiving(name).with_request(call.method, parts.path)
    for key, values in parse_qs(parts.query).items():
        expected.with_query_parameter(key, values if len(values) > 1 else values[0])
    kind = call.headers["Content-Type"]
    expected.with_headers(call.headers).with_body(call.body, kind, "Request")
    expected.will_respond_with(call.status)
    if call.answer.startswith('{"') and "getcollection" in call.url:
        # One body is made of matchers, which the library takes out of it again.
        expected.with_body(match.like(json.loads(call.answer)), call.answer_type)
    elif call.answer:
        expected.with_body(call.answer, call.answer_type)


def pact(cassette, folder):
    from pact import Pact

    for version in ("V2", "V3", "V4"):
        made = Pact("client", f"service-{version.lower()}").with_specification(version)
        for number, call in enumerate(calls_of(cassette)):
            expectation(made, call, f"call {number:02}")
        with made.serve() as mock:
            for call in calls_of(cassette):
                send(session(), str(mock.url).rstrip("/"), call)
        made.write_file(folder)
    messages = Pact("client", "events-v4").with_specification("V4")
    messages.upon_receiving("an event", "Async").with_body('{"boardId": "alive"}', "application/json")
    question = messages.upon_receiving("a question", "Sync").with_body('{"boardId": "alive"}', "application/json")
    question.will_respond_with().with_body('{"boardId": "alive"}', "application/json")
    messages.write_file(folder)


# ---- WireMock ----


def wiremock(cassette, base, standin, folder):
    http = session()
    for name, more in (("recorded", {}), ("files", {"extractBodyCriteria": {"textSizeThreshold": "512"}})):
        target = {"targetBaseUrl": standin, "persist": False, **more}
        assert http.post(f"{base}/__admin/recordings/start", json=target).ok
        for call in calls_of(cassette):
            send(http, base, call)
        stopped = http.post(f"{base}/__admin/recordings/stop")
        (Path(folder) / f"{name}.json").write_text(stopped.text, "utf-8")
        assert http.post(f"{base}/__admin/mappings/reset").ok


# ---- Hoverfly ----


def of_version_5(call):
    parts = urlsplit(call.url)
    exactly = lambda value: [{"matcher": "exact", "value": value}]
    request = {
        "path": exactly(parts.path), "method": exactly(call.method), "destination": exactly(parts.netloc),
        "scheme": exactly(parts.scheme), "body": [{"matcher": "json", "value": call.body}],
        "headers": {"Content-Type": exactly(call.headers["Content-Type"])},
    }
    if parts.query:
        request["query"] = {key: exactly(values[0]) for key, values in parse_qs(parts.query).items()}
    return request


def of_version_2(call):
    parts = urlsplit(call.url)
    exactly = lambda value: {"exactMatch": value}
    return {
        "path": exactly(parts.path), "method": exactly(call.method), "destination": exactly(parts.netloc),
        "scheme": exactly(parts.scheme), "query": exactly(parts.query), "body": {"jsonMatch": call.body},
    }


def of_version_1(call):
    parts = urlsplit(call.url)
    return {
        "requestType": "recording", "path": parts.path, "method": call.method, "destination": parts.netloc,
        "scheme": parts.scheme, "query": parts.query, "body": call.body, "headers": {"Content-Type": ["application/json"]},
    }


def hoverfly(cassette, folder):
    versions = (("v1", of_version_1, False), ("v2", of_version_2, False), ("v5.2", of_version_5, False), ("v5.2", of_version_5, True))
    for version, request, encoded in versions:
        pairs = []
        for call in calls_of(cassette):
            answer = base64.b64encode(call.answer.encode("utf-8")).decode("ascii") if encoded else call.answer
            headers = {"Content-Type": [call.answer_type], "Hoverfly": ["Was-Here"]}
            response = {"status": call.status, "body": answer, "encodedBody": encoded, "headers": headers}
            if version.startswith("v5"):
                response["templated"] = False
            pairs.append({"request": request(call), "response": response})
        data = {"pairs": pairs, "globalActions": {"delays": []}}
        meta = {"schemaVersion": version, "hoverflyVersion": "v1.0.0", "timeExported": "2026-11-21T16:00:00Z"}
        name = f"{version}{'-encoded' if encoded else ''}.json"
        written = json.dumps({"data": data, "meta": meta}, ensure_ascii=False, indent="\t")
        (Path(folder) / name).write_text(written + "\n", "utf-8")


if __name__ == "__main__":
    {"pact": pact, "wiremock": wiremock, "hoverfly": hoverfly}[sys.argv[1]](*sys.argv[2:])
