#!/usr/bin/env python3
"""Measures how long `sundown lsp` takes from a change to the findings, in fixtures of 200 kB.

Usage: benches/editor.py PROGRAM
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SIZE = 200_000
CHANGES = 50
PAYLOAD = '[[payload]]\nfiles = "*.body.json"\noperation = "POST /rest/api/v1/chat"\nside = "request"\n'


def fixtures():
    """A body, requests of an HTTP client, and a log. A twentieth of their parts has a use."""
    part = {"author": "USER", "fragments": [{"text": "é " * 40}], "ts": 1}
    used = {"citations": [{"sourceDocument": {"id": "d"}}], **part}
    parts = [used if number % 20 == 0 else part for number in range(SIZE // 200)]
    call = "POST https://api.example/rest/api/v1/chat\nContent-Type: application/json\n\n{}\n\n###\n\n"
    record = '{{"method": "POST", "url": "/rest/api/v1/chat", "request": {{"body": {}}}}}\n'
    bodies = [json.dumps({"messages": [one]}, ensure_ascii=False) for one in parts]
    yield "chat.body.json", json.dumps({"messages": parts}, indent=2, ensure_ascii=False)
    yield "chat.http", "".join(call.format(body) for body in bodies)
    yield "chat.ndjson", "".join(record.format(body) for body in bodies)


class Session:
    def __init__(self, program, folder):
        pipe = subprocess.PIPE
        self.server = subprocess.Popen([program, "lsp", "--any-host"], cwd=folder, stdin=pipe, stdout=pipe)
        self.id = 0
        capabilities = {"textDocument": {"diagnostic": {}}}
        self.ask("initialize", {"rootUri": Path(folder).as_uri(), "capabilities": capabilities})

    def send(self, **message):
        content = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(content), content))
        self.server.stdin.flush()

    def ask(self, method, params):
        self.id += 1
        self.send(id=self.id, method=method, params=params)
        length = int(self.server.stdout.readline().split(b":")[1])
        self.server.stdout.readline()
        return json.loads(self.server.stdout.read(length))["result"]


def main():
    program = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "sundown.toml").write_text(PAYLOAD)
        session = Session(program, folder)
        for name, text in fixtures():
            text = text[:SIZE] if name.endswith("http") else text
            uri = Path(folder, name).as_uri()
            item = {"uri": uri, "languageId": "x", "version": 0, "text": text}
            session.send(method="textDocument/didOpen", params={"textDocument": item})
            times = []
            for version in range(1, CHANGES + 1):
                changes = [{"text": text + " " * version}]
                document = {"uri": uri, "version": version}
                begin = time.perf_counter()
                session.send(method="textDocument/didChange", params={"textDocument": document, "contentChanges": changes})
                found = session.ask("textDocument/diagnostic", {"textDocument": {"uri": uri}})["items"]
                times.append((time.perf_counter() - begin) * 1000)
            median, slowest = statistics.median(times), max(times)
            print(f"{name}: {len(text) // 1000} kB, {len(found)} findings, median {median:.1f} ms, slowest {slowest:.1f} ms")


main()
