"""Logs that differ from a baseline in one trait each, for benches/ordinary.py."""

import base64
import json
from functools import reduce

from files import HOST, SEARCH, File, compact


def baseline(content):
    """A call whose members never vary; no name in a body begins like one that describes a body."""
    filters = [{"field": content.word(), "values": [{"value": content.word(), "kind": "EQ"}]}]
    body = {"query": content.text(3), "cursor": content.hex(16), "pageLimit": 10, "options": {"facets": filters}}
    body |= {"user": {"id": content.number(4), "mail": f"{content.word()}@example.com"}, "tags": [content.word() for _ in range(3)]}
    result = {"id": content.hex(8), "title": content.text(4), "url": f"https://example.com/{content.word()}"}
    results = [result | {"rank": content.number(3), "excerpt": content.text(12)} for _ in range(3)]
    fields = {"Content-Type": "application/json"}
    call = {"timestamp": content.time(), "method": "POST", "url": HOST + SEARCH, "status": 200}
    call["request"] = {"headers": fields | {"User-Agent": f"shop-app/1.{content.number(1)}"}, "body": body}
    body = {"results": results, "total": content.number(2)}
    return call | {"response": {"status": 200, "headers": fields, "body": body}}


def trait(name, *changes, ending="ndjson", **file):
    """Each change gets what the one before made of the record, and returns what is written instead."""

    def record(content):
        call = baseline(content)
        for change in changes:
            call = change(call, content)
        return call

    return File(name, ending, record, **file)


def put(path, value):
    """Another value, or one that a function of the content makes, for a member like `response.body`."""
    *parents, name = path.split(".")

    def change(call, content):
        reduce(dict.get, parents, call)[name] = value(content) if callable(value) else value
        return call

    return change


def drop(*names):
    """Members of the record, the request and the response."""
    return lambda call, _: {
        member: {name: value[name] for name in value if name not in names} if isinstance(value, dict) else value
        for member, value in call.items()
        if member not in names
    }


def both(name, change):
    """A member of the request and that of the response."""
    return lambda call, _: call | {side: call[side] | {name: change(call[side][name])} for side in ("request", "response")}


def bodies(change):
    return both("body", change)


def texts(old, new):
    """Other texts in the bodies. Only there are spaces."""
    return bodies(lambda body: json.loads(compact(body).replace(old, json.dumps(new)[1:-1])))


def written(change):
    """The record as a text, changed."""
    return lambda call, _: change(compact(call))


def layouts(count):
    """Further members, in so many combinations."""

    def change(call, content):
        number = content.chance.randrange(count) * 7919 + 1
        return call | {f"field{bit}": 1 for bit in range(24) if number >> bit & 1}

    return change


def flat(call, _):
    sides = {f"{side}_body": call[side]["body"] for side in ("request", "response")}
    return {"time": call["timestamp"], "method": "POST", "path": SEARCH, "status": 200} | sides


USE = {"facetFilters": [{"fieldName": "type", "values": [{"value": "x", "isNegated": True}]}]}
REQUEST_LINE = f"POST {SEARCH} HTTP/1.1"

BASELINE = trait("baseline")
TRAITS = [
    # Bodies.
    trait("body-missing", drop("body")),
    trait("body-null", bodies(lambda _: None)),
    trait("body-empty-text", put("response.body", "")),
    trait("body-empty-object", put("response.body", {})),
    trait("body-text", put("response.body", lambda content: content.text(40))),
    trait("body-html", put("response.body", lambda content: f"<html>{content.text(40)}</html>")),
    trait("body-base64", bodies(lambda body: base64.b64encode(compact(body).encode()).decode()), put("isBase64Encoded", True)),
    trait("body-in-string", bodies(compact)),
    trait("body-first-member-size", bodies(lambda body: {"size": 10} | body)),
    trait("body-first-member-body", bodies(lambda body: {"body": 1} | body)),
    trait("body-nested-200", bodies(lambda body: json.loads('{"level":' * 200 + compact(body) + "}" * 200))),
    trait("body-value-100-kB", put("response.body.blob", "x" * 100_000)),
    # Names of rules.
    trait("rule-name-as-value", put("request.body.note", "isNegated")),
    trait("rule-name-elsewhere", put("request.body.isNegated", True)),
    trait("use-in-every-record", put("request.body.requestOptions", USE)),
    # Writing.
    trait("order", lambda call, content: content.shuffled(call)),
    trait("spaces", lambda call, _: json.dumps(call)),
    trait("crlf", written(lambda line: line + "\r")),
    trait("escaped-newlines", texts(" ", "\n")),
    trait("escaped-quotes", texts(" ", '"')),
    trait("escaped-slashes", written(lambda line: line.replace("/", "\\/"))),
    trait("unicode-escapes", texts("a", "é"), written(lambda line: line.replace("é", "\\u00e9"))),
    trait("unicode-escaped-quotes", written(lambda line: line.replace(" ", "\\u0022"))),
    trait("unicode-escaped-markup", written(lambda line: line.replace(" ", "\\u003c"))),
    trait("member-twice", written(lambda line: line[:-1] + ',"status":200}')),
    trait("invalid", lambda call, content: compact(call)[: -40 if content.chance.random() < 0.1 else None]),
    # Header fields.
    trait("headers-list", both("headers", lambda fields: [{"name": name, "value": fields[name]} for name in fields])),
    trait("header-sunset", put("response.headers.Sunset", "Thu, 31 Dec 2026 23:59:59 GMT")),
    trait("header-warning", put("response.headers.Warning", '299 - "stale"')),
    trait("header-link", put("response.headers.Link", '<https://example.com/a>; rel="next"')),
    # The call.
    trait("status-missing", drop("status")),
    trait("url-hosts", put("url", lambda content: f"https://t{content.number(5)}.example.com{SEARCH}")),
    trait("url-paths", put("url", lambda content: f"{HOST}/v2/users/{content.number(3)}/orders/{content.number(5)}")),
    trait("request-line", flat, drop("method", "path"), put("request", REQUEST_LINE)),
    trait("request-line-unknown", flat, drop("method", "path"), put("what", REQUEST_LINE)),
    trait("flat", flat),
    trait("layouts-1000", layouts(1000)),
    # What is around records.
    trait("within-member", lambda call, _: {"ts": 1, "level": "info", "fields": call}),
    trait("within-string", lambda call, _: {"log": compact(call) + "\n", "stream": "stdout", "time": call["timestamp"]}),
    trait("within-list", lambda call, _: [call]),
    trait("prefix", written(lambda line: f"2026-11-20 10:00:00 INFO {line}")),
    trait("indented", lambda call, _: json.dumps(call, indent=2), ending="json"),
    trait("one-line", ending="json", between=""),
    trait("one-array", ending="json", between=",\n", around=("[", "]\n")),
    trait("gzip", ending="ndjson.gz"),
]
