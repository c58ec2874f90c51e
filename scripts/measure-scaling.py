#!/usr/bin/env python3
"""Measures that time and memory of every feature grow with its input, and not faster.

For each row, an input of size n, 2n and 4n is generated and read, each at least three times and for a second of user time. A row
passes if the means of the user time and the peak of memory grow at most 2.3 times for twice the input, on average over both steps, or
if the run ends with the message of a limit. Less than 0.05 seconds and 20 MB are noise: where 4n takes no more than that may grow to,
it is run once. Rows whose name begins with `list:` repeat each list, object and line of each sample, with a rule for each key. It
takes half an hour.

Usage: scripts/measure-scaling.py PROGRAM [NAME…]    rows whose name contains one of the names
"""

import copy
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "crates/captures/samples"
RATIO, SECONDS, NOISE_SECONDS, NOISE_MB, TIMEOUT = 2.3, 1, 0.05, 20, 120
LIMIT = re.compile(r"more than|at most|too (large|many|deep|long)|larger than|longer than|limit|--max-|nested deeper")
PATH = "/rest/api/v1/chat"
USE = {"citations": []}


# Inputs.


def call(body=None, path=PATH, method="POST", **more):
    request = {} if body is None else {"body": body}
    return {"method": method, "url": f"https://api.example.com{path}", "request": request | more}


def lines(calls):
    return "".join(json.dumps(one) + "\n" for one in calls)


def one(body=None, **more):
    """A log of one call."""
    return {"in.ndjson": lines([call(body, **more)])}


def calls(n, **more):
    return {"in.ndjson": lines([call(USE, **more)]) * n}


def nested(n, kind="list"):
    open_, close = {"list": ("[", "]"), "object": ('{"citations":', "}")}[kind]
    body = open_ * n + "1" + close * n
    return {"in.ndjson": '{"method":"POST","url":"%s","request":{"body":%s}}\n' % (PATH, body)}


def headers(n):
    return [{"name": f"X-H{at}", "value": "v"} for at in range(n)]


def har(entries):
    return {"in.har": json.dumps({"log": {"version": "1.2", "creator": {"name": "s", "version": "1"}, "entries": entries}})}


def har_entry(**more):
    body = {"mimeType": "application/json", "text": json.dumps(USE)}
    request = {"method": "POST", "url": f"https://a.example.com{PATH}", "headers": [], "postData": body}
    response = {"status": 200, "headers": [], "content": {"mimeType": "application/json", "text": "{}"}}
    return {"startedDateTime": "2026-11-20T00:00:00Z", "request": request | more, "response": response}


def sample(name, *path):
    """A sample whose list of records is repeated."""
    text = (SAMPLES / name).read_text()

    def files(n):
        if name.endswith((".yml", "go-vcr.yaml", "vcrpy.yaml")):
            found = re.search(r"(?ms)^(- .*?)(?=^\w|\Z)", text)
            return {name: text[: found.end()] + found[1] * (n - 1) + text[found.end() :]}
        if not name.endswith(("json", "har", "chlsj")):
            return {name: text * n}
        if name == "ndjson.ndjson":
            return {name: text * n}
        holder = document = {"": json.loads(text)}
        for key in ("", *path)[:-1]:
            holder = holder[key]
        holder[("", *path)[-1]] *= n
        return {name: json.dumps(document[""])}

    return files


def lists_of(value, path=()):
    """The paths to the arrays and objects of a document, the first of those with the same keys."""
    if isinstance(value, dict):
        yield path
        for key, inner in value.items():
            yield from lists_of(inner, (*path, key))
    elif isinstance(value, list) and value:
        yield path
        yield from lists_of(value[0], (*path, 0))


def longer_list(document, path, n):
    """The document with n times the elements of a list, or n more members of an object."""
    document = copy.deepcopy(document)
    holder = document
    for key in path:
        holder = holder[key]
    if isinstance(holder, list):
        holder *= n
    else:
        inner = next(iter(holder.values()), 1)
        holder |= {f"m{at}": inner for at in range(n)}
    return json.dumps(document, ensure_ascii=False)


def every_list():
    """A row for each list that an input may have: the lists and objects of the samples in JSON, and the lines of the others."""
    for sample_path in sorted(SAMPLES.iterdir()):
        name, text = sample_path.name, sample_path.read_text()
        if name == "README.md":
            continue
        arguments = ["check", name, "--rules", "r.toml", "--no-builtin-rules"]
        try:
            documents = [json.loads(text)]
        except ValueError:
            documents = [json.loads(line) for line in text.splitlines()] if name.endswith("ndjson") else []
        for document in documents[:1]:
            for path in lists_of(document):
                make = lambda n, name=name, document=document, path=path: EVERY_KEY | {name: longer_list(document, path, n) + "\n"}
                yield f"list: {name} /{'/'.join(map(str, path))}", 1000, make, arguments, None
        for number, line in enumerate(text.splitlines(True) if not documents else []):
            make = lambda n, name=name, text=text, number=number, line=line: EVERY_KEY | {
                name: "".join(part * n if at == number else part for at, part in enumerate(text.splitlines(True)))
            }
            yield f"list: {name} line {number + 1}", 1000, make, arguments, None


def multipart(n):
    parts = "".join(f'--b\r\nContent-Disposition: form-data; name="p{at}"\r\n\r\n{{"citations":[]}}\r\n' for at in range(n))
    data = {"mimeType": "multipart/form-data; boundary=b", "text": parts + "--b--\r\n"}
    return har([har_entry(postData=data)])


def form(n):
    data = {"mimeType": "application/x-www-form-urlencoded", "text": "&".join(f"a[{at}]=1" for at in range(n))}
    return har([har_entry(postData=data)])


def aliases(n):
    anchors = "a0: &a0 [1]\n" + "".join(f"a{at}: &a{at} [*a{at - 1}]\n" for at in range(1, n))
    return {"in.yaml": "openapi: 3.1.0\ninfo: {title: t, version: '1'}\npaths: {}\nx:\n  " + anchors.replace("\n", "\n  ") + "\n"}


def flat_aliases(n):
    members = "a: &a [1]\n  " + "".join(f"b{at}: *a\n  " for at in range(n))
    return {"in.yaml": "openapi: 3.1.0\ninfo: {title: t, version: '1'}\npaths: {}\nx:\n  " + members + "\n"}


# Descriptions.


def described(schemas=None, paths=None, body="S0", **more):
    content = {"content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{body}"}}}}
    post = {"requestBody": content, "responses": {"200": {"description": "x"}}}
    document = {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {PATH: {"post": post}} if paths is None else paths}
    document["components"] = {"schemas": {"S0": {"type": "object"}} if schemas is None else schemas}
    return {"in.json": json.dumps(document | more)}


def text(at):
    return f"Deprecated, use `new{at}` instead."


def properties(n):
    return {f"f{at}": {"type": "string", "deprecated": True, "description": text(at)} for at in range(n)} | {"newField": {"type": "string"}}


def operation(at, **more):
    return {"operationId": f"op{at}", "deprecated": True, "description": f"Deprecated, use `POST /v1/a{at}/x`.", "responses": {"200": {"description": "x"}}} | more


def parameter(at):
    return {"name": f"p{at}", "in": "query", "deprecated": True, "description": text(at), "schema": {"type": "string"}}


def reference(at):
    return {"$ref": f"#/components/schemas/S{at}"}


def chain(n, close=False):
    of = lambda at: [reference((at + 1) % n)] if at + 1 < n or close else []
    return described({f"S{at}": {"allOf": of(at), "properties": {f"f{at}": {"deprecated": True, "description": text(at)}}} for at in range(n)})


def union(n):
    mapping = {f"k{at}": f"#/components/schemas/S{at + 1}" for at in range(n)}
    root = {"oneOf": [reference(at + 1) for at in range(n)], "discriminator": {"propertyName": "kind", "mapping": mapping}}
    return described({"S0": root} | {f"S{at + 1}": {"properties": {"kind": {}, f"f{at}": {"deprecated": True}}} for at in range(n)})


def many_files(n):
    schemas = {"S0": {"properties": {f"f{at}": {"$ref": f"s{at}.json"} for at in range(n)}}}
    return described(schemas) | {f"s{at}.json": '{"type":"string","deprecated":true}' for at in range(n)}


def operations(n, path="/a{0}/{{id}}/users", **more):
    return described(paths={path.format(at): {"post": operation(at, **more)} for at in range(n)})


DESCRIPTIONS = [
    ("operations", 1000, lambda n: operations(n)),
    ("operations of one end", 1000, lambda n: operations(n, "/v1/{{id}}/a{0}/export")),
    ("schemas", 1000, lambda n: described({f"S{at}": {"properties": {"a": reference((at + 1) % n), "b": {"deprecated": True}}} for at in range(n)})),
    ("properties with texts", 2000, lambda n: described({"S0": {"properties": properties(n)}})),
    ("properties with one text", 2000, lambda n: described({"S0": {"properties": {f"f{at}": {"deprecated": True, "description": "Deprecated, use `newField` instead."} for at in range(n)} | {"newField": {}}}})),
    ("parameters with texts", 1000, lambda n: described(paths={"/a": {"post": {"parameters": [parameter(at) for at in range(n)], "responses": {}}}})),
    ("shared parameters", 60, lambda n: described(paths={f"/a{at}": {"post": {"parameters": [{"$ref": f"#/components/parameters/P{p}"} for p in range(20)], "responses": {}}} for at in range(n)}, components={"parameters": {f"P{p}": parameter(p) for p in range(20)}, "schemas": {}})),
    ("enum values with texts", 2000, lambda n: described({"S0": {"properties": {"f": {"enum": [f"v{at}" for at in range(n)], "x-enumDeprecated": {f"v{at}": True for at in range(n)}, "description": " ".join(text(at) for at in range(n))}}}})),
    ("allOf chain", 1000, lambda n: chain(n)),
    ("allOf circle", 1000, lambda n: chain(n, True)),
    ("allOf of one base", 1000, lambda n: described({"S0": {"properties": properties(n)}} | {f"S{at + 1}": {"allOf": [reference(0)], "properties": {"x": {"deprecated": True, "description": text(at)}}} for at in range(n)})),
    ("oneOf with discriminators", 500, lambda n: union(n)),
    ("examples", 1000, lambda n: described({"S0": {"properties": {"f": {"deprecated": True}}, "examples": [{"f": at} for at in range(n)]}})),
    ("an example of n members", 2000, lambda n: described({"S0": {"properties": {"f": {"deprecated": True}}, "examples": [{f"m{at}": 1 for at in range(n)}]}})),
    ("servers", 20, lambda n: described({"S0": {"properties": properties(3)}}, servers=[{"url": f"https://h{at}.test/b{at}"} for at in range(n)])),
    ("references to files", 200, many_files),
    ("patterns of keys", 100, lambda n: described({"S0": {"properties": properties(3), "patternProperties": {f"^a{at}[a-z]{{1,50}}$": {"deprecated": True} for at in range(n)}}})),
    ("nested schemas", 200, lambda n: described({"S0": json.loads('{"properties":{"a":' * n + '{"deprecated":true}' + "}}" * n)})),
    ("allOf of schemas as alternatives", 300, lambda n: described({"S0": {"allOf": [{"oneOf": [reference(1 + at), reference(1 + (at + 1) % n)]} for at in range(n)]}} | {f"S{at + 1}": {"properties": {f"f{at}": {"deprecated": True}}} for at in range(n)})),
]


# Rules.


def rules(entries, head="", file="r.toml"):
    return {file: 'api = "S"\n' + head + "".join(entries)}


def rule(at, operation=f"POST {PATH}", field="citations", more=""):
    return f'[[rule]]\nid = "r{at}"\noperation = "{operation}"\n' + (f'field = "{field}"\n' if field else "") + more


def toml(values):
    return json.dumps(list(values))


NEAR = [call({"a": 1}, f"/zz{at}/5/users") for at in range(2000)]
WIDE = {"in.ndjson": lines([call({"citations": [{"citations": 1, "k": "v"}] * 200})])}

RULES = [
    ("rules", 2000, lambda n: rules(rule(at, field=f"f{at}") for at in range(n))),
    ("rules about one field", 1000, lambda n: rules(rule(at) for at in range(n))),
    ("rules about one operation", 1000, lambda n: rules(rule(at, field=None) for at in range(n))),
    ("rules about parameters", 1000, lambda n: rules(rule(at, field=None, more=f'parameter = "p{at}"\n') for at in range(n))),
    ("rules about header fields", 1000, lambda n: rules(rule(at, field=None, more=f'header = "X-H{at}"\n') for at in range(n))),
    ("selectors", 1000, lambda n: rules([rule(0, more=f'at = {toml(f"$.a{at}.citations" for at in range(n))}\n')])),
    ("selectors with ..", 500, lambda n: rules([rule(0, more=f'at = {toml(f"$..a{at}..citations" for at in range(n))}\n')])),
    ("a selector of n steps", 5000, lambda n: rules([rule(0, more=f'at = ["${"..citations" * n}"]\n')])),
    ("a union of n names", 1000, lambda n: rules([rule(0, more="at = [\"$[" + ",".join(f"'a{at}'" for at in range(n)) + '].citations"]\n')])),
    ("exceptions", 500, lambda n: rules([rule(0, more=f'except = {toml(f"$.a{at}.citations" for at in range(n))}\n')])),
    ("selectors and exceptions", 500, lambda n: rules([rule(0, more=f'at = {toml(f"$.a{at}..citations" for at in range(n))}\nexcept = {toml(f"$.a{at}.x.citations" for at in range(n))}\n')])),
    ("opaque maps", 300, lambda n: rules((rule(at, field=f"f{at}") for at in range(n)), f'opaque = {toml(f"$.m{at}" for at in range(n))}\n')),
    ("conditions", 500, lambda n: rules(rule(at, more=f'when = {{ field = "k", value = "v{at}" }}\n') for at in range(n))),
    ("values of a condition", 2000, lambda n: rules([rule(0, more='when = [' + ",".join(f'{{ field = "k{at}", value = "v" }}' for at in range(n)) + "]\n")])),
    ("values", 2000, lambda n: rules([rule(0, more=f'values = {toml(f"v{at}" for at in range(n))}\n')])),
    ("values and operations", 500, lambda n: rules([f'[[rule]]\nid = "r"\nfield = "citations"\nvalues = {toml(f"v{at}" for at in range(n))}\n' + "".join(f'[[rule.also]]\noperation = "POST /a{at}"\n' for at in range(n))])),
    ("operations and selectors", 500, lambda n: rules(['[groups]\n' + f'g = {toml(f"POST /a{at}" for at in range(n))}\n', f'[[rule]]\nid = "r"\nfield = "f"\n[[rule.also]]\ngroup = "g"\nat = {toml(f"$.a{at}.f" for at in range(n))}\n'])),
    ("hosts", 2000, lambda n: rules([rule(0)], f'hosts = {toml([*(f"h{at}.example.com" for at in range(n)), "api.example.com"])}\n')),
    ("requirements", 500, lambda n: rules(f'[[requirement]]\nid = "q{at}"\noperations = ["POST {PATH}"]\nexpect = [{{ side = "request", member = "$.f{at}", type = "integer" }}]\nmessage = "m"\nremedy = "r"\n' for at in range(n))),
    ("filters", 200, lambda n: rules(rule(at, more=f'at = ["$[?@.k == \'v{at}\'].citations"]\n') for at in range(n))),
    ("regular expressions", 20, lambda n: rules(rule(at, more=f'at = ["$[?search(@.k, \'a{at}[a-z]{{1,50}}\')].citations"]\n') for at in range(n))),
    ("variables of a path", 2000, lambda n: rules([rule(0, "POST " + "".join(f"/{{v{at}}}" for at in range(n)))])),
    ("operations of one end", 1000, lambda n: rules(rule(at, f"POST /a{at}/{{id}}/users") for at in range(n)) | {"in.ndjson": lines(NEAR)}),
    ("operations that begin alike", 1000, lambda n: rules(rule(at, f"POST /api/{{id}}/a{at}") for at in range(n)) | {"in.ndjson": lines(NEAR)}),
    ("operations that end in a variable", 1000, lambda n: rules(rule(at, f"POST /a{at}/{{id}}") for at in range(n)) | {"in.ndjson": lines(NEAR)}),
    ("versions of an operation", 1000, lambda n: rules(rule(at, f"POST /v{at}/x/users") for at in range(n)) | {"in.ndjson": lines(NEAR)}),
    ("mistakes", 2000, lambda n: rules([rule(0)], "".join(f"k{at} = 1\n" for at in range(n)))),
]


def at_any_depth(n, bodies):
    """n rules about names at any depth, and bodies with n members."""
    body = {f"f{at}": {"y": 1} for at in range(n)}
    return rules(rule(at, field=f"f{at}") for at in range(n)) | {"in.ndjson": lines([call(body)] * bodies)}


def conditional(n):
    """Ten rules with `when`, and n objects in which one holds."""
    members = {"k": "v1"} | {f"f{at}": 1 for at in range(10)}
    conditions = (rule(at, field=f"f{at}", more=f'when = {{ field = "k", value = "v{at}" }}\n') for at in range(10))
    return rules(conditions) | {"in.ndjson": lines([call({"a": [members] * n})])}


def written(body):
    """A file that people write, with rules that have edits."""
    edits = {"citations": '{ rename = "sources", safe = true }', "old": "{ remove = true, safe = true }"}
    own = [rule(at, field=field, more=f"fix = {edit}\n") for at, (field, edit) in enumerate(edits.items())]
    value = rule(9, field="kind", more='value = "LEGACY"\nfix = { set = "STANDARD", safe = true }\n')
    return rules([*own, value]) | {"in.http": f"POST https://api.example.com{PATH}\n\n{body}\n"}


EDITED = [
    ("nested renames", 5000, lambda n: '{"citations":' * n + "1" + "}" * n),
    ("nested removals", 5000, lambda n: '{"old":' * n + "1" + "}" * n),
    ("values deep inside", 5000, lambda n: '{"a":' * 200 + "[" + ",".join(['{"kind":"LEGACY"}'] * n) + "]" + "}" * 200),
    ("renames in one line", 5000, lambda n: "[" + ",".join(['{"citations":1}'] * n) + "]"),
    ("renames in lines", 5000, lambda n: "[" + ",\n".join(['{"citations":1}'] * n) + "]"),
    ("members of one object", 5000, lambda n: "{" + ",".join(['"citations":1,"kind":"LEGACY"'] * n) + "}"),
]

# A rule with each key, and a requirement with each test.
EVERY_KEY = rules(
    [
        rule("field", more='value = "LEGACY"\nexcept = ["$.x"]\nremoval = 2026-12-31\n'),
        rule("depth", field="author"),
        rule("selector", more='at = ["$.messages[*].citations", "$..a.citations"]\n'),
        rule("filter", field="author", more="at = [\"$.messages[?@.citations].author\"]\n"),
        rule("beginning", field="rawSecret", more='starts_with = "s"\n'),
        rule("version", field="model", more='before = "2024-10-01"\n'),
        rule("conditional", field="messages", more='when = { field = "rawSecret", value = "x" }\nreplacement = "parts"\n'),
        rule("parameter", field=None, more='parameter = "api_key"\n'),
        rule("header", field=None, more='header = "Authorization"\n'),
        rule("values", field=None, more='header = "Accept"\nvalues = ["text/plain", "text/html"]\n'),
        rule("operation", "GET /v1/reports", field=None),
        rule("patterns", "* /v1/**", field="old", more='also = [{ operation = "POST /v2/{id}/x" }]\n'),
        '[[requirement]]\nid = "q1"\noperations = ["* /**"]\nwhen = [{ method = "POST" }]\nexpect = [{ side = "request", '
        'member = "$.messages[*].author", type = "string" }, { side = "request", header = "X-Tenant", present = true }]\nmessage = "m"\nremedy = "r"\n',
    ],
    'opaque = ["$.labels"]\n',
)


# Configurations.

CONFIG = [
    ("globs", 200, lambda n: f"exclude = {toml(f'a{at}/*b/**/c.har' for at in range(n))}\n"),
    ("a glob", 10000, lambda n: f'exclude = ["{"a" * n}"]\n'),
    ("payloads", 200, lambda n: "".join(f'[[payload]]\nfiles = ["a{at}*.json"]\noperation = "POST /a{at}"\n' for at in range(n))),
    ("logs", 200, lambda n: "".join(f'[[log]]\nfiles = ["a{at}*.log"]\nurl = "/u{at}"\n' for at in range(n))),
    ("allow entries", 300, lambda n: "".join(f'[[allow]]\nrule = "r{at}"\nreason = "x"\nuntil = 2027-01-01\n' for at in range(n))),
    ("mistakes", 2000, lambda n: "".join(f"k{at} = 1\n" for at in range(n))),
    ("APIs", 500, lambda n: "".join(f'[[api]]\napi = "Client API"\nhosts = ["h{at}.test", "api.example.com"]\n' for at in range(n))),
]


# Lists to import.

LISTS = [
    ("CSV", 1000, lambda n: {"l.csv": "method,path,removal\n" + "".join(f"POST,/a{at},2027-01-01\n" for at in range(n))}),
    ("Markdown", 1000, lambda n: {"l.md": "| Operation | Item | Replacement or note | Removal date |\n|---|---|---|---|\n" + "".join(f"| POST `/a{at}` | field `f` | none stated | 2027-01-01 |\n" for at in range(n))}),
    ("JSON", 1000, lambda n: {"l.json": json.dumps({"endpoints": [{"method": "POST", "path": f"/a{at}", "deprecations": [{"type": "field", "name": "f", "removal": "2027-01-01"}]} for at in range(n)]})}),
]


# Results.


def findings(n):
    """n calls of operations of their own, with a rule for each."""
    return {"in.ndjson": lines(call(USE, f"/a{at}") for at in range(n))} | rules(rule(at, f"POST /a{at}") for at in range(n))


def parts(n, program, entries=1):
    for at in range(n):
        pathlib.Path(f"in{at}.ndjson").write_text(lines(call(USE, f"/a{entry}") for entry in range(entries)))
        yield [program, "usage", f"in{at}.ndjson", "--rules", "r.toml", "--partial", f"p{at}.json"]


def baseline(n, program):
    yield [program, "baseline", "in.ndjson", "--rules", "r.toml", "--baseline", "b.json"]


def partial(n, program):
    yield [program, "usage", "in.ndjson", "--rules", "r.toml", "--partial", "p0.json"]


def callers(n):
    return {"in.ndjson": lines(call(USE, headers=[{"name": "User-Agent", "value": f"c{at}/1"}]) for at in range(n))}


def repeated_name(n):
    """An example with a member n times, whose rule renames it."""
    files = described({"S0": {"properties": {"citations": {}}, "example": {"citations": 1}}})
    document = files["in.json"].replace('{"citations": 1}', "{" + ",".join(['"citations":1'] * n) + "}")
    return written("{}") | {"in.json": document}


SCHEMA = ["rules", "export", "--format", "json-schema", "--operation", f"POST {PATH}", "--rules", "r.toml", "--no-builtin-rules"]
CHECK = ["check", "in.*"]
OWN = ["check", "in.ndjson", "--rules", "r.toml", "--no-builtin-rules"]

# The name, n, the files for n (or a text for the configuration), the arguments, and commands that prepare more files.
ROWS = [
    *[(f"format: {name}", n, sample(name, *path), ["check", name], None) for name, n, *path in [
        ("har.har", 2000, "log", "entries"), ("charles.chlsj", 2000), ("hoverfly.json", 2000, "data", "pairs"), ("insomnia.json", 2000, "resources"),
        ("json.json", 2000), ("pact.json", 2000, "interactions"), ("postman.json", 2000, "item"), ("wiremock.json", 2000, "mappings"),
        ("ndjson.ndjson", 5000), ("access-log.log", 5000), ("vcr.yml", 500), ("vcrpy.yaml", 500), ("go-vcr.yaml", 500),
        ("http.http", 1000), ("hurl.hurl", 1000), ("raw-http.http", 1000), ("curl.sh", 1000)]],
    ("record: members", 50000, lambda n: one({f"m{at}": 1 for at in range(n)} | USE), CHECK, None),
    ("record: uses", 20000, lambda n: one([USE] * n), CHECK, None),
    ("record: duplicate members", 20000, lambda n: {"in.ndjson": '{"method":"POST","url":"%s","request":{"body":{%s}}}\n' % (PATH, ",".join(['"citations":1'] * n))}, CHECK, None),
    ("record: duplicate members with a replacement", 20000, lambda n: rules([rule(0, more='replacement = "x"\n')]) | {"in.ndjson": '{"method":"POST","url":"%s","request":{"body":{%s}}}\n' % (PATH, ",".join(['"citations":1'] * n))}, OWN, None),
    ("record: one query parameter", 20000, lambda n: rules([rule(0, field=None, more='parameter = "page"\n')]) | one(USE, path=PATH + "?" + "&".join(["page=1"] * n)), OWN, None),
    ("record: header fields", 20000, lambda n: one(USE, headers=headers(n)), CHECK, None),
    ("record: query parameters", 20000, lambda n: one(USE, path=PATH + "?" + "&".join(f"p{at}=1" for at in range(n))), CHECK, None),
    ("record: path segments", 20000, lambda n: one(USE, path="/users" * n), CHECK, None),
    ("record: nested lists", 100000, lambda n: nested(n), CHECK, None),
    ("record: nested uses", 20000, lambda n: nested(n, "object"), CHECK, None),
    ("record: parts of multipart", 2000, multipart, CHECK, None),
    ("record: fields of a form", 5000, form, CHECK, None),
    ("record: cookies", 5000, lambda n: har([har_entry(headers=[{"name": "Cookie", "value": "; ".join(f"c{at}=1" for at in range(n))}])]), CHECK, None),
    ("record: HAR header fields", 5000, lambda n: har([har_entry(headers=headers(n))]), CHECK, None),
    ("record: names that announce", 5000, lambda n: {"in.ndjson": lines([call(USE) | {"response": {"headers": {"X-Glean-Deprecated": ", ".join(f"name=f{at}" for at in range(n))}}}])}, CHECK, None),
    ("record: layers of strings", 2, lambda n: one(json.loads(__import__("functools").reduce(lambda text, _: json.dumps([text]), range(n), "{}"))), CHECK, None),
    ("yaml: chain of aliases", 500, aliases, CHECK, None),
    ("yaml: one alias", 5000, flat_aliases, CHECK, None),
    *[(f"description: {name}", n, files, CHECK, None) for name, n, files in DESCRIPTIONS],
    *[(f"description as rules: {name}", n, (lambda files: lambda n: {"d.json": files(n)["in.json"]} | {k: v for k, v in files(n).items() if k != "in.json"} | one(USE))(files), ["check", "in.ndjson", "--rules", "d.json", "--no-builtin-rules"], None) for name, n, files in DESCRIPTIONS],
    *[(f"description imported: {name}", n, files, ["rules", "import", "in.json", "--deprecations-from-text", "--dates-from-text"], None) for name, n, files in DESCRIPTIONS],
    *[(f"rules: {name}", n, (lambda files: lambda n: WIDE | files(n))(files), OWN, None) for name, n, files in RULES],
    *[(f"rules check: {name}", n, files, ["rules", "check", "r.toml"], None) for name, n, files in RULES],
    *[(f"rules beside a description: {name}", n, (lambda files: lambda n: {"r.toml": files(n)["r.toml"]} | described({"S0": {"properties": {"citations": {}, "k": {"enum": ["v1", "v2"]}}}}))(files), ["check", "in.json", "--rules", "r.toml"], None) for name, n, files in RULES],
    *[(f"configuration: {name}", n, (lambda text: lambda n: {"sundown.toml": text(n)} | calls(1))(text_), ["check", "in.ndjson"], None) for name, n, text_ in CONFIG],
    *[(f"import: {name}", n, files, ["rules", "import", "l.*"], None) for name, n, files in LISTS],
    *[(f"rules {command}", 1000, lambda n: findings(n), ["rules", command, *more, "--rules", "r.toml"], None) for command, *more in [["list"], ["export", "--format", "markdown"], ["export", "--format", "csv"], ["export", "--format", "json"]]],
    ("explain", 1000, findings, ["explain", "r0", "--rules", "r.toml"], None),
    *[(f"report: {name}", 3000, findings, [*OWN, "--format", name], None) for name in "human concise json ndjson sarif github gitlab junit checkstyle rdjsonl markdown html".split()],
    ("report: ndjson --no-fold", 20000, lambda n: one([USE] * n), ["check", "in.ndjson", "--format", "ndjson", "--no-fold"], None),
    ("baseline: write", 3000, findings, ["baseline", "in.ndjson", "--rules", "r.toml", "--baseline", "b.json"], None),
    ("baseline: read", 3000, findings, [*OWN[:4], "--baseline", "b.json"], baseline),
    ("configuration: severities", 1000, lambda n: findings(n) | {"sundown.toml": "[severity]\n" + "".join(f'"r{at}" = "off"\n' for at in range(n))}, OWN, None),
    ("partial result", 1000, findings, ["usage", *OWN[1:], "--partial", "p.json"], None),
    ("merge: parts", 20, lambda n: findings(10), ["merge", "p*.json"], parts),
    ("merge: entries", 1000, findings, ["merge", "p0.json"], partial),
    ("usage: calls", 5000, calls, ["usage", "in.ndjson"], None),
    ("usage: callers", 2000, callers, ["usage", "in.ndjson", "--by", "user-agent"], None),
    ("usage: elements", 1000, findings, ["usage", *OWN[1:]], None),
    *[(f"usage: {name}", 500, callers, ["usage", "in.ndjson", "--by", "user-agent", "--format", name], None) for name in ("json", "markdown", "csv", "html")],
    ("rules: names at any depth and members", 4000, lambda n: at_any_depth(n, 1), OWN, None),
    ("rules: names at any depth, in ten bodies", 500, lambda n: at_any_depth(n, 10), OWN, None),
    ("rules: ten conditions in a large body", 20000, conditional, OWN, None),
    ("rules export: schema of names at any depth", 500, lambda n: at_any_depth(n, 1), SCHEMA, None),
    ("rules export: schema of selectors", 200, lambda n: rules([rule(0, more=f'at = {toml(f"$.a{at}..citations" for at in range(n))}\n')]), SCHEMA, None),
    *[(f"fix: {name}", n, lambda n, body=body: written(body(n)), ["fix", "in.http", *OWN[2:], "--fix", "unsafe"], None) for name, n, body in EDITED],
    *[(f"suggestions: {name}", n, lambda n, body=body: written(body(n)), ["check", "in.http", *OWN[2:], "--suggestions"], None) for name, n, body in EDITED],
    ("description: one name again and again in an example", 2000, repeated_name, ["check", "in.json", "--rules", "r.toml"], None),
    *every_list(),
    ("files", 500, lambda n: {f"in{at}.ndjson": lines([call(USE)]) for at in range(n)}, ["check", "."], None),
]


# Measuring.


def run(arguments):
    """The seconds, megabytes, exit code and output of a run."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(arguments, stdout=output, stderr=subprocess.STDOUT)
        start = time.monotonic()
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() - start > TIMEOUT:
                process.kill()
            time.sleep(0.002)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(max(0, output.seek(0, 2) - 100_000))
        return usage.ru_utime, usage.ru_maxrss / 1024, process.returncode, output.read().decode(errors="replace")


def measure(program, n, files, arguments, prepare, least=3):
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        pathlib.Path(".git").mkdir()
        # The memory of a process counts as that of the programs that it starts, so another one makes the files.
        if not os.fork():
            for name, content in files(n).items():
                pathlib.Path(name).parent.mkdir(exist_ok=True)
                pathlib.Path(name).write_text(content)
            for command in prepare(n, program) if prepare else []:
                run(command)
            os._exit(0)
        if os.wait()[1]:
            sys.exit("the files could not be made")
        found = lambda one: sorted(map(str, pathlib.Path().glob(one))) if "*" in one else [one]
        command = [program, *[name for one in arguments for name in found(one)]]
        runs = []
        while len(runs) < least or least > 1 and sum(one[0] for one in runs) < SECONDS and len(runs) < 20:
            runs.append(run(command))
        os.chdir("/")
    return (*(statistics.mean(one[of] for one in runs) for of in (0, 1)), *runs[-1][2:])


def grows(before, after, noise):
    """Whether a figure grows too fast from n to 4n."""
    return after > RATIO**2 * max(before, noise)


def check(program, name, n, files, arguments, prepare):
    seconds, memory, code, _ = measure(program, 4 * n, files, arguments, prepare, least=1)
    if (code in (0, 1) or name.startswith("list:") and code == 2) and not grows(0, seconds, NOISE_SECONDS) and not grows(0, memory, NOISE_MB):
        print(f"{'ok':8} {name:55} {n:6} {'':32} {seconds:7.2f}s {memory:5.0f}MB", flush=True)
        return True
    measured = [measure(program, size, files, arguments, prepare) for size in (n, 2 * n, 4 * n)]
    (first_time, first_memory, *_), (last_time, last_memory, *_) = measured[0], measured[-1]
    has_grown = grows(first_time, last_time, NOISE_SECONDS) or grows(first_memory, last_memory, NOISE_MB)
    fault = "GROWS" if has_grown else ""
    message = ""
    for _, _, code, output in measured:
        limit = next((line for line in output.splitlines() if LIMIT.search(line)), "")
        # A sample with a repeated line may be none of its format.
        if code not in (0, 1) and not (code == 2 and (limit or "mistakes" in name or name.startswith("list:"))):
            fault, message = f"CODE {code}", (output.splitlines() or [""])[0]
        elif limit and not message:
            message = limit
    figures = " ".join(f"{seconds:7.2f}s {memory:5.0f}MB" for seconds, memory, *_ in measured)
    # A product of two inputs may grow up to its limit.
    if fault == "GROWS" and LIMIT.search(message) and measured[-1][2] == 2:
        fault = ""
    print(f"{fault or 'ok':8} {name:55} {n:6} {figures}  {message.strip()[:110]}", flush=True)
    return not fault


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program, names = os.path.abspath(sys.argv[1]), sys.argv[2:]
    os.nice(19)
    sys.setrecursionlimit(100_000)
    chosen = [row for row in ROWS if not names or any(name in row[0] for name in names)]
    passed = [check(program, *row) for row in chosen]
    print(f"{passed.count(False)} of {len(passed)} rows failed")
    sys.exit(passed.count(False) > 0)


if __name__ == "__main__":
    main()
