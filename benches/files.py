"""Logs, archives, cassettes and folders as people have them, for benches/ordinary.py.

They differ from those of the generator (examples/traffic.rs) in that their records have no common layout: members vary, and
their order, and the bodies. Size and seed decide about every byte.
"""

import base64
import gzip
import json
import random
import re
from collections.abc import Callable
from string import ascii_lowercase
from typing import NamedTuple

HOST = "https://acme-be.example.com"
SEARCH = "/rest/api/v1/search"
PATHS = [f"/rest/api/v1/{name}" for name in ("search", "chat", "getdocuments", "autocomplete", "feedback")]
PATHS += ["/api/index/v1/indexdocument", "/v1/orders", "/health", "/login"]
AGENTS = [f"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{n}.0.0.0" for n in range(110, 130)]
AGENTS += [f"shop-app/1.{n}" for n in range(9)] + ["python-requests/2.32.3", "okhttp/4.12.0", "curl/8.10.1"]
# Some are those of rules, in other places.
NAMES = (
    "status success data id sku items name body total currency results snippet query message error updatedAt created type "
    "role documents title url size count cursor pageSize owner tags metadata score author isPublic createTime"
).split()
# So many bytes are written for each that is made up: records come again in another order.
REPEATS = 5


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


class Content:
    """Made-up values, the same for the same seed."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.words = ["".join(self.chance.choices(ascii_lowercase, k=self.chance.randint(2, 11))) for _ in range(3000)]

    def word(self):
        return self.chance.choice(self.words)

    def text(self, count):
        return " ".join(self.chance.choices(self.words, k=count))

    def number(self, digits):
        return self.chance.randrange(10**digits)

    def hex(self, digits):
        return f"{self.chance.getrandbits(4 * digits):0{digits}x}"

    def time(self):
        return f"2026-11-{self.chance.randint(1, 24):02}T{self.number(1):02}:{self.chance.randrange(60):02}:00Z"

    def string(self):
        return self.chance.choices(STRINGS, STRING_WEIGHTS)[0](self)

    def value(self, depth=0):
        draw = self.chance.random()
        if depth < 4 and draw < 0.25:
            return self.object(depth + 1)
        if depth < 4 and draw < 0.35:
            return [self.value(depth + 2) for _ in range(self.chance.randint(0, 6))]
        if draw < 0.75:
            return self.string()
        return self.chance.choice([None, True, False, self.number(2), self.number(7), self.number(9) / 1000])

    def object(self, depth=0):
        return {name: self.value(depth) for name in self.chance.sample(NAMES, self.chance.randint(2, 8))}

    def path(self):
        if self.chance.random() < 0.75:
            return self.chance.choice(PATHS)
        return f"/v2/users/{self.number(5)}/{self.chance.choice(self.words[:50])}"

    def headers(self):
        address = f"10.0.{self.number(2)}.{self.number(2)}"
        fields = {"Accept": "*/*", "X-Request-Id": self.hex(32), "X-Forwarded-For": address, "Accept-Language": "en-US,en;q=0.9"}
        fields |= {"Cookie": f"sid={self.hex(64)}", "Host": "acme-be.example.com", "Authorization": "Bearer " + "x" * 40}
        always = {"Content-Type": "application/json", "User-Agent": self.chance.choice(AGENTS)}
        return always | {name: value for name, value in fields.items() if self.chance.random() < 0.6}

    def shuffled(self, value):
        """The value with the members of each object in another order."""
        if isinstance(value, dict):
            return {name: self.shuffled(value[name]) for name in self.chance.sample(list(value), len(value))}
        return [self.shuffled(element) for element in value] if isinstance(value, list) else value


STRINGS, STRING_WEIGHTS = zip(
    (Content.word, 50),
    (lambda content: content.text(content.chance.randint(2, 12)), 25),
    (lambda content: f"https://example.com/{content.word()}?id={content.number(4)}", 7),
    (Content.time, 6),
    (lambda content: f'{content.text(3)}\n"{content.text(3)}"', 4),
    (lambda content: f"Größe {content.text(3)} – 日本語", 3),
    (lambda content: content.hex(32), 5),
)


class File(NamedTuple):
    """A file of records: how one is made, and what is written around them. A record that is no text is written as JSON."""

    name: str
    ending: str
    record: Callable  # Content -> value or text
    unit: str | None = None  # what a parser of JSON reads: "lines", "document"
    between: str = "\n"
    around: tuple[str, str] = ("", "\n")

    def write(self, folder, size, seed):
        """Returns the path, the size before compression, and the number of records."""
        content, records, distinct = Content(seed), [], 0
        while distinct < size / REPEATS:
            record = self.record(content)
            records.append((record if isinstance(record, str) else compact(record)).encode())
            distinct += len(records[-1])
        path, between = folder / f"{self.name}.{self.ending}", self.between.encode()
        with path.open("wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) if path.suffix == ".gz" else raw as out:
            written, count = out.write(self.around[0].encode()), 0
            while written < size:
                written += out.write((between if count else b"") + records[count % len(records)])
                count += 1
                if count % len(records) == 0:
                    content.chance.shuffle(records)
            written += out.write(self.around[1].encode())
        return path, written, count


class Folder(NamedTuple):
    """A repository: small files, few of them with a call."""

    name: str
    unit: str | None = None

    def write(self, folder, size, seed):
        content, root, written, count = Content(seed), folder / self.name, 0, 0
        while written < size:
            module = root / f"packages/part-{count}"
            module.mkdir(parents=True)
            written += sum(module.joinpath(name).write_bytes(text(content).encode()) for name, text in SMALL.items())
            count += 1
        return root, written, None


def lines(line):
    return lambda content: "".join(line(content) + "\n" for _ in range(content.chance.randint(10, 400)))


def indented(value):
    return lambda content: json.dumps(value(content), indent=2)


PAGE = lines(lambda content: f'<div class="{content.word()}">{content.text(12)}</div>')
SCRIPT = lines(lambda content: f'export function {content.word()}(a) {{ return a["{content.word()}"] }}')
SMALL = {
    "package.json": indented(lambda content: {"name": content.word(), "dependencies": {f"@{content.word()}/a": "^1.2.0"}}),
    "fixture.json": indented(lambda content: [content.object() for _ in range(9)]),
    "messages.json": indented(lambda content: {f"page.{n}": content.text(6) for n in range(100)}),
    "README.md": lines(lambda content: content.text(8)),
    "index.ts": SCRIPT,
    "index.html": PAGE,
    "config.yaml": lines(lambda content: f"{content.word()}: {content.text(3)}"),
    "call.http": lambda content: f"POST {HOST}{SEARCH}\nContent-Type: application/json\n\n{json.dumps(content.object())}\n",
}


def service(content):
    """A line of a service's log, with the members that this call has."""
    path = content.path()
    call = {"timestamp": content.time(), "level": "info", "method": "POST", "url": HOST + path, "status": 200}
    optional = {"duration_ms": content.number(3), "trace_id": content.hex(32), "msg": "request completed", "region": "eu-west-1"}
    optional |= {"remote_ip": f"10.0.0.{content.number(2)}", "service": content.chance.choice(content.words[:8])}
    call |= {name: value for name, value in optional.items() if content.chance.random() < 0.5}
    call["request"] = {"headers": content.headers(), "body": content.object()}
    if path == SEARCH and content.chance.random() < 0.3:
        use = {"isNegated": True} if content.chance.random() < 0.05 else {}
        filters = [{"fieldName": content.word(), "values": [{"value": content.word(), "relationType": "EQUALS"} | use]}]
        call["request"]["body"]["requestOptions"] = {"facetFilters": filters, "facetBucketSize": 10}
    return call | {"response": {"status": 200, "headers": content.headers(), "body": content.object()}}


def gateway(content):
    """A line of a gateway's log: bodies are strings, in which each quote is escaped."""
    call = service(content)
    sides = {side: call[side] | {"body": json.dumps(call[side]["body"])} for side in ("request", "response")}
    sides["request"] |= {"method": "POST", "url": call["url"]}
    line = {"requestId": content.hex(12), "ip": f"10.0.{content.number(2)}.{content.number(2)}", "requestTime": call["timestamp"]}
    line |= {"httpMethod": "POST", "path": call["url"].removeprefix(HOST), "protocol": "HTTP/1.1", "latency": content.number(3)}
    return json.dumps(line | sides)


def results(content):
    return compact({"results": [content.object() for _ in range(content.chance.randint(1, 20))]})


def image(content):
    return base64.b64encode(content.chance.randbytes(content.number(5))).decode()


RESOURCES = [("application/json", results), ("text/html", PAGE), ("image/png", image), ("application/javascript", SCRIPT)]


def entry(content):
    """An entry of a browser's archive, at its depth in the document."""
    call, (media_type, body) = service(content), content.chance.choices(RESOURCES, (45, 20, 20, 15))[0]
    fields = [{"name": name, "value": value} for name, value in call["request"]["headers"].items()]
    place = {"scriptId": "7", "url": HOST + "/js/app.js", "lineNumber": 1, "columnNumber": content.number(4)}
    frames = [{"functionName": content.word()} | place for _ in range(content.chance.randint(1, 8))]
    request = {"method": "GET", "url": call["url"], "httpVersion": "http/2.0", "headers": fields, "queryString": []}
    request |= {"cookies": [{"name": "sid", "value": content.hex(64), "path": "/", "httpOnly": True}], "headersSize": -1}
    if body is results:
        request |= {"method": "POST", "postData": {"mimeType": media_type, "text": compact(call["request"]["body"])}}
    answer = {"size": 0, "mimeType": media_type, "text": body(content)} | ({"encoding": "base64"} if body is image else {})
    response = {"status": 200, "statusText": "", "httpVersion": "http/2.0", "headers": fields, "cookies": []}
    response |= {"content": answer, "redirectURL": "", "headersSize": -1, "bodySize": -1}
    around = {"_initiator": {"type": "script", "stack": {"callFrames": frames}}, "_priority": "High", "cache": {}}
    around |= {"connection": "443", "request": request, "response": response, "startedDateTime": call["timestamp"], "time": 9}
    text = json.dumps(around | {"timings": {"send": 0.1, "wait": 8.2, "receive": 0.7}}, indent=2, ensure_ascii=False)
    return "      " + text.replace("\n", "\n      ")


ARCHIVE = '{\n  "log": {\n    "version": "1.2",\n    "creator": {"name": "WebInspector", "version": "537.36"},\n    "entries": [\n'


def access(content):
    """A line in the combined format, with a URL of its own."""
    address = ".".join(str(content.chance.randint(1, 223)) for _ in range(4))
    query = f"?{content.word()}={content.word()}&id={content.number(4)}" if content.chance.random() < 0.4 else ""
    request = f"{content.chance.choice(['GET', 'GET', 'POST', 'HEAD'])} {content.path()}{query} HTTP/1.1"
    time = f"{content.chance.randint(1, 24):02}/Nov/2026:10:{content.chance.randrange(60):02}:00 +0000"
    answer = f"{content.chance.choice([200, 200, 200, 304, 404, 301, 500])} {content.number(5)}"
    return f'{address} - - [{time}] "{request}" {answer} "https://example.com/{content.word()}" "{content.chance.choice(AGENTS)}"'


def interaction(content):
    """A call of a cassette. Long texts are folded at spaces."""
    call = service(content)
    texts = json.dumps(call["request"]["body"]), results(content).replace(",", ", ")
    request, response = (re.sub("(.{70}[^ ]*) (?! )", r"\1\n        ", json.dumps(text)) for text in texts)
    fields = "".join(f"      {name}:\n      - {json.dumps(value)}\n" for name, value in call["request"]["headers"].items())
    return (
        f"- request:\n    body: {request}\n    headers:\n{fields}    method: POST\n    uri: {call['url']}\n"
        f"  response:\n    body:\n      string: {response}\n    headers:\n{fields}    status:\n      code: 200\n      message: OK"
    )


FILES = [
    File("mixed", "ndjson", service, "lines"),
    File("shuffled", "ndjson", lambda content: content.shuffled(service(content)), "lines"),
    File("gateway", "ndjson", gateway, "lines"),
    File("browser", "har", entry, "document", ",\n", (ARCHIVE, "\n    ]\n  }\n}\n")),
    File("access", "log", access),
    File("cassette", "yaml", interaction, around=("interactions:\n", "\nversion: 1\n")),
    Folder("small-files"),
]
