#!/usr/bin/env python3
"""A mock of the service: its Client API and Indexing API on a loopback port, for recording test captures.

It is not a model of the service's behaviour: every operation answers with a fixed body from `bodies/`, in which
the places `planted-#` (a deprecated use) and `alive-#` (a live look-alike) get a running number, so that each value
in a capture identifies its origin. Standard library only.

Usage: server.py PORT
"""

import gzip
import json
import re
import struct
import sys
import threading
import time
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

HERE = Path(__file__).resolve().parent
BODIES = HERE / "bodies"
PAGES = HERE / "pages"

TOKENS = {"/rest/": "made-up-token-client-4b1d", "/api/index/": "made-up-token-index-77ce"}

# Method and path template -> (status, file in bodies/). An empty file name: the answer has no body.
CANNED = {
    "POST /rest/api/v1/autocomplete": (200, "autocomplete.response.json"),
    "POST /rest/api/v1/createannouncement": (200, "createannouncement.response.json"),
    "POST /rest/api/v1/createanswer": (200, "createanswer.response.json"),
    "POST /rest/api/v1/editanswer": (200, "editanswer.response.json"),
    "POST /rest/api/v1/feed": (200, "feed.response.json"),
    "POST /rest/api/v1/getanswer": (200, "getanswer.response.json"),
    "POST /rest/api/v1/getchat": (200, "getchat.response.json"),
    "POST /rest/api/v1/getcollection": (200, "getcollection.response.json"),
    "POST /rest/api/v1/getdocuments": (200, "getdocuments.response.json"),
    "POST /rest/api/v1/insights": (200, "insights.response.json"),
    "POST /rest/api/v1/listanswers": (200, "listanswers.response.json"),
    "POST /rest/api/v1/people": (200, "people.response.json"),
    "POST /rest/api/v1/governance/data/findings/exports": (200, "exports.response.json"),
    "GET /rest/api/v1/governance/data/policies": (200, "policies.response.json"),
    "GET /rest/api/v1/governance/data/policies/{id}": (200, "policy.response.json"),
    "POST /rest/api/v1/governance/data/policies/{id}": (200, "policy-update.response.json"),
    "POST /api/index/v1/bulkindexemployees": (200, ""),
    "POST /api/index/v1/debug/{datasource}/status": (200, "debug-status.response.json"),
    "POST /api/index/v1/getdatasourceconfig": (200, "getdatasourceconfig.response.json"),
    "POST /api/index/v1/getdocumentcount": (200, "getdocumentcount.response.json"),
    "POST /api/index/v1/getdocumentstatus": (200, "getdocumentstatus.response.json"),
    "POST /api/index/v1/indexdocument": (200, ""),
    "POST /api/index/v1/indexemployee": (200, ""),
}

PAGE_TYPES = {".html": "text/html; charset=utf-8", ".json": "application/json", ".js": "text/javascript"}


class Markers:
    """Numbers the marker places of the bodies in the order they are served."""

    def __init__(self, first):
        self.next = first
        self.lock = threading.Lock()

    def fill(self, text):
        with self.lock:
            return re.sub(r"\b(planted|alive)-#", self._number, text)

    def _number(self, match):
        self.next += 1
        return f"{match.group(1)}-{self.next}"


# The clients number the markers of their own bodies below 1000.
MARKERS = Markers(1000)


def large_search(count=170):
    """One long minified line: a few deprecated uses deep inside among many live look-alikes."""
    results = [plain_result(index) for index in range(count)]
    results[57]["document"]["metadata"]["viewerInfo"]["role"] = "planted-#"
    results[93]["relatedResults"] = [{"relation": "RECENT", "documents": [{"id": "planted-#"}]}]
    results[121]["snippets"][1]["snippet"] = "planted-#"
    results[150]["structuredResults"] = [{"trackingToken": "alive-#", "answer": {"boardId": "planted-#"}}]
    results[count - 1]["document"]["metadata"]["interactions"]["reactions"] = ["planted-#"]
    body = {"requestId": "req-large", "trackingToken": "alive-#", "results": results}
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def plain_result(index):
    """A search result with no deprecated use. Its text has escapes and non-ASCII letters in changing amounts."""
    text = f"Ligne {index}: «{'é' * (index % 7)}» \"quoted\" \\ tab\t" + "🚀" * (index % 3)
    author = {"name": "Zoë", "metadata": {"location": "alive-#", "permissions": {"role": "alive-#"}}}
    metadata = {
        "datasource": "wiki",
        "author": author,
        "viewerInfo": {"lastViewedTime": "2026-11-18T10:00:00Z"},
        "interactions": {"numComments": index, "reacts": []},
        "customData": {"boardId": "alive-#", "note": f"n°{index}"},
    }
    return {
        "trackingToken": "alive-#",
        "title": text,
        "url": f"https://wiki.example.com/p/{index}",
        "document": {"id": f"WIKI_{index}", "metadata": metadata},
        "snippets": [{"text": text, "ranges": []}, {"text": f"second {text}", "snippetTextOrdering": 1}],
    }


def png(size=8):
    """A small square picture, so that captures also hold a body that is not text."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + bytes([200, 80, 40]) * size for _ in range(size))
    header = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def decoded_segments(path):
    segments = [unquote(segment) for segment in path.split("/")[1:]]
    return segments[:-1] if segments[-1] == "" else segments


def fits(template, segments):
    wanted = template.split("/")[1:]
    return len(wanted) == len(segments) and all(w.startswith("{") or w == s for w, s in zip(wanted, segments))


def canned(method, path):
    for operation, answer in CANNED.items():
        known_method, template = operation.split(" ")
        if known_method == method and fits(template, decoded_segments(path)):
            return answer
    return None


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.answer("GET")

    def do_POST(self):
        self.answer("POST")

    def answer(self, method):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = urlsplit(self.path).path
        plain = "/" + "/".join(decoded_segments(path))
        if plain.startswith("/console"):
            return self.page(plain)
        if not self.authorised(plain):
            return self.error(401, "Token invalid or expired")
        special = SPECIAL.get(f"{method} {plain}")
        if special:
            return special(self, body)
        found = canned(method, path)
        if found is None:
            return self.error(404, "No such operation")
        status, name = found
        self.send_json(status, MARKERS.fill((BODIES / name).read_text("utf-8")) if name else "")

    def authorised(self, path):
        token = next((token for prefix, token in TOKENS.items() if path.startswith(prefix)), None)
        return token is None or self.headers.get("Authorization") == f"Bearer {token}"

    def search(self, body):
        large = json.loads(body or b"{}").get("pageSize", 10) >= 100
        text = large_search() if large else (BODIES / "search.response.json").read_text("utf-8")
        self.send_json(200, MARKERS.fill(text))

    def chat(self, body):
        """Plain, streamed or as server-sent events. A stream's media type is that of one JSON value unless asked."""
        accept = self.headers.get("Accept", "")
        if not json.loads(body or b"{}").get("stream"):
            return self.send_json(200, MARKERS.fill((BODIES / "chat.response.json").read_text("utf-8")))
        lines = MARKERS.fill((BODIES / "chat.stream.ndjson").read_text("utf-8")).splitlines(keepends=True)
        if "text/event-stream" in accept:
            events = [f"id: {n}\nevent: message\ndata: {line}\n" for n, line in enumerate(lines)]
            return self.send_stream("text/event-stream", [": keep-alive\n\n", *events])
        kind = "application/x-ndjson" if "application/x-ndjson" in accept else "application/json; charset=utf-8"
        self.send_stream(kind, lines)

    def rotate(self, _body):
        rotated = {"rawSecret": "made-up-token-rotated-09aa", "createdAt": 1795190400, "rotationPeriodMinutes": 1440}
        self.send_json(200, json.dumps(rotated))

    def current_policy(self, _body):
        self.send_bytes(307, "", b"", {"Location": "/rest/api/v1/governance/data/policies/pol-7f3a"})

    def gone(self, _body):
        self.error(410, "This operation was removed on 2026-10-15")

    def image(self, _body):
        self.send_bytes(200, "image/png", png())

    def page(self, path):
        if path == "/console":
            return self.send_bytes(302, "", b"", {"Location": f"/console/index.html?{urlsplit(self.path).query}"})
        if path == "/console/logo.png":
            return self.image(b"")
        file = PAGES / path.removeprefix("/console/").replace("/", "")
        if not file.is_file():
            return self.error(404, "No such page")
        cookie = {"Set-Cookie": "session=made-up-cookie-5d2; HttpOnly; Path=/"}
        self.send_bytes(200, PAGE_TYPES[file.suffix], file.read_bytes(), cookie)

    def error(self, status, message):
        self.send_json(status, json.dumps({"error": {"status": status, "message": message}}))

    def send_json(self, status, text):
        self.send_bytes(status, "application/json; charset=utf-8", text.encode("utf-8"), {})

    def send_bytes(self, status, kind, data, headers=None):
        headers = dict(headers or {})
        if kind:
            headers["Content-Type"] = kind
        if kind.startswith("application/json") and data and "gzip" in self.headers.get("Accept-Encoding", ""):
            # A fixed time stamp keeps the compressed bytes the same from run to run.
            data = gzip.compress(data, mtime=0)
            headers["Content-Encoding"] = "gzip"
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def send_stream(self, kind, pieces):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in pieces:
            data = piece.encode("utf-8")
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
            self.wfile.flush()
            # The pause makes clients and recorders see several chunks.
            time.sleep(0.02)
        self.wfile.write(b"0\r\n\r\n")

    def version_string(self):
        return "stand-in"

    def log_message(self, *_args):
        pass


SPECIAL = {
    "POST /rest/api/v1/search": Handler.search,
    "POST /rest/api/v1/chat": Handler.chat,
    "GET /rest/api/v1/governance/data/policies/current": Handler.current_policy,
    "GET /rest/api/v1/images": Handler.image,
    "POST /api/index/v1/rotatetoken": Handler.rotate,
    "POST /api/index/v1/getusercount": Handler.gone,
}


def main():
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
    server.daemon_threads = True
    server.serve_forever()


if __name__ == "__main__":
    main()
