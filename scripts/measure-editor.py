#!/usr/bin/env python3
"""Measures that `sundown lsp` answers every request about hostile documents within a second, and that its memory stays flat.

For each format that has edits, and each hostile text, a document of a megabyte is opened, and every request is made at its first
use. Each must take at most a second of processor time. Then a document of 4 MB may take at most 30 times its size, and 10,000
changes of a document no more memory than 1,000. The program must be a release build.

Usage: scripts/measure-editor.py PROGRAM
"""

import json
import os
import pathlib
import queue
import re
import subprocess
import sys
import tempfile
import threading

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "crates/captures/samples"
SIZE, SECONDS, TIMES, EDITS, GROWTH_MB = 1 << 20, 1, 30, 10_000, 8
RULES = """
api = "Shop"

[[rule]]
id = "customer"
operation = "POST /v1/orders"
field = "customer"
fix = { rename = "customerId", safe = true }

[[rule]]
id = "old"
operation = "POST /v1/orders"
field = "old"
fix = { remove = true }

[[rule]]
id = "kind"
operation = "POST /v1/orders"
field = "kind"
value = "LEGACY"
fix = { set = "STANDARD", safe = true }
"""
REQUESTS = ["textDocument/hover", "textDocument/codeAction", "textDocument/completion", "textDocument/diagnostic"]


class Server:
    def __init__(self, program, folder):
        self.process = subprocess.Popen([program, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder)
        self.answers, self.number = queue.Queue(), 0
        threading.Thread(target=self.read, daemon=True).start()
        self.ask("initialize", {"processId": None, "rootUri": folder.as_uri(), "capabilities": {}})
        self.notify("initialized", {})

    def read(self):
        while line := self.process.stdout.readline():
            self.process.stdout.readline()
            self.answers.put(json.loads(self.process.stdout.read(int(line.split(b":")[1]))))
        self.answers.put(None)

    def write(self, **message):
        content = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(content), content))
        self.process.stdin.flush()

    def notify(self, method, params):
        self.write(method=method, params=params)

    def expect(self, is_expected):
        while True:
            try:
                message = self.answers.get(timeout=60)
            except queue.Empty:
                # The time that it took fails the row.
                return {"params": {"diagnostics": []}}
            if message is None:
                sys.exit("the server has ended")
            if is_expected(message):
                return message

    def ask(self, method, params):
        self.number += 1
        number = self.number
        self.write(id=number, method=method, params=params)
        return self.expect(lambda message: message.get("id") == number)

    def open(self, uri, text):
        self.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "x", "version": 1, "text": text}})
        return self.published(uri)

    def change(self, uri, version, text):
        document = {"uri": uri, "version": version}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})

    def published(self, uri):
        is_own = lambda message: message.get("method") == "textDocument/publishDiagnostics" and message["params"]["uri"] == uri
        return self.expect(is_own)["params"]["diagnostics"]

    def seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def megabytes(self, figure):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(figure + r":\s*(\d+)", status)[1]) / 1024


# Hostile bodies of about a size.


def repeated(part, size):
    return part * (size // len(part))


def numbered(part, size):
    return ",".join(part.replace("#", str(at)) for at in range(size // (len(part) + 5)))


def nested(name, size):
    depth = size // (len(name) + 5)
    return f'{{"{name}":' * depth + "1" + "}" * depth


BODIES = {
    "nested uses": lambda size: nested("customer", size),
    "nested uses to remove": lambda size: nested("old", size),
    "nested lists with uses": lambda size: '[{"customer":1},' * (size // 17) + "1" + "]" * (size // 17),
    "uses deep inside": lambda size: '{"a":' * 200 + "[" + repeated('{"customer":1},', size)[:-1] + "]" + "}" * 200,
    "uses in a list": lambda size: "[" + repeated('{"customer":1,"old":2},', size)[:-1] + "]",
    "uses in lines": lambda size: "[" + repeated('{"customer":1,"old":2},\n', size)[:-2] + "]",
    "uses of values": lambda size: "[" + repeated('{"kind":"LEGACY"},', size)[:-1] + "]",
    "uses of many names": lambda size: "{" + numbered('"a#":{"customer":1}', size) + "}",
    "one name again and again": lambda size: "{" + repeated('"customer":1,', size)[:-1] + "}",
    "a long name": lambda size: '{"' + "a" * size + '":{"customer":1}}',
    "a long value": lambda size: '{"customer":"' + "\u00e9" * (size // 2) + '","old":1}',
    "short lines": lambda size: '{"customer":1,\n' + "\n" * size + '"old":1}',
    "escapes": lambda size: "[" + repeated('{"\\u0063ustomer":"\\u0061"},', size)[:-1] + "]",
    "brackets": lambda size: "[" * size,
    "cut off": lambda size: '{"customer":1,"a":"' + "x" * size,
}


def requests(method_line):
    return lambda size: {name: method_line + make(size) + "\n" for name, make in BODIES.items()}


def pact(size):
    contract = lambda body: (
        '{"consumer":{"name":"a"},"provider":{"name":"b"},"interactions":[{"description":"x","request":{"method":"POST",'
        '"path":"/v1/orders","body":%s},"response":{"status":200}}],"metadata":{"pactSpecification":{"version":"2.0.0"}}}' % body
    )
    return {name: contract(make(size)) for name, make in BODIES.items()}


def postman(size):
    schema = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"
    collection = lambda body: json.dumps({"info": {"name": "a", "schema": schema}, "item": [{"name": "x", "request": {"method": "POST", "url": "https://h/v1/orders", "body": {"mode": "raw", "raw": body, "options": {"raw": {"language": "json"}}}}}]})
    return {name: collection(make(size)) for name, make in BODIES.items()}


def wiremock(size):
    stub = lambda body: '{"mappings":[{"request":{"method":"POST","urlPath":"/v1/orders","bodyPatterns":[{"equalToJson":%s}]},"response":{"status":200}}]}' % body
    return {name: stub(make(size)) for name, make in BODIES.items()}


def described(size):
    example = lambda body: (
        '{"openapi":"3.1.0","info":{"title":"t","version":"1"},"paths":{"/v1/orders":{"post":{"requestBody":{"content":'
        '{"application/json":{"example":%s}}},"responses":{"200":{"description":"x"}}}}}}' % body
    )
    return {name: example(make(size)) for name, make in BODIES.items()}


def many_calls(size):
    one = 'POST https://h/v1/orders\n\n{"customer":1}\n\n###\n\n'
    return {"many calls": repeated(one, size)}


def rules_file(size):
    one = '[[rule]]\nid = "r#"\noperation = "POST /v1/orders"\nfield = "f#"\n\n'
    rules = lambda count: 'api = "X"\n\n' + "".join(one.replace("#", str(at)) for at in range(count))
    return {"many rules": rules(size // len(one) // 2), "mistakes": "a = 1\n" * (size // 8), "brackets": "a = " + "[" * size}


FORMATS = [
    ("a.http", requests("POST https://h/v1/orders\nContent-Type: application/json\n\n")),
    ("b.http", many_calls),
    ("a.hurl", requests("POST https://h/v1/orders\n")),
    ("a.sh", lambda size: {name: "curl https://h/v1/orders --json '" + text + "'\n" for name, text in requests("")(size).items()}),
    ("a.json", requests("")),
    ("pact.json", pact),
    ("postman.json", postman),
    ("wiremock.json", wiremock),
    ("openapi.json", described),
    ("r.toml", rules_file),
    ("sundown.toml", rules_file),
]


def first_use(text):
    found = re.search(r'customer|\\?"old|kind', text)
    before = text[: found.start() + 2 if found else 0]
    line = before.count("\n")
    return {"line": line, "character": len(before) - before.rfind("\n") - 1}


def measure_requests(program, folder):
    faults = 0
    for name, texts in FORMATS:
        for kind, text in texts(SIZE).items():
            server = Server(program, folder)
            uri = (folder / name).as_uri()
            figures, last = [], server.seconds()

            def note(method):
                nonlocal last
                figures.append((server.seconds() - last, method))
                last += figures[-1][0]

            marked = server.open(uri, text)
            note("didOpen")
            at = first_use(text)
            for range_end in (at, {"line": at["line"] + 1000, "character": 0}):
                params = {"textDocument": {"uri": uri}, "position": at, "range": {"start": at, "end": range_end}, "context": {"diagnostics": []}}
                for method in REQUESTS:
                    server.ask(method, params)
                    note(method)
            params["context"]["only"] = ["source.fixAll"]
            answer = server.ask("textDocument/codeAction", params)
            note("fixAll")
            server.process.kill()
            slowest, method = max(figures)
            fault = slowest > SECONDS
            faults += fault
            made = len(answer.get("result") or [])
            print(f"{'SLOW' if fault else 'ok':5} {name:15} {kind:28} {slowest:5.2f} s {method:25} {len(marked):5} marks, {made} fix", flush=True)
    return faults


def measure_memory(program, folder):
    faults = 0
    for kind, make in BODIES.items():
        server = Server(program, folder)
        uri = (folder / "a.http").as_uri()
        text = "POST https://h/v1/orders\nContent-Type: application/json\n\n" + make(4_000_000)
        server.open(uri, text)
        at = first_use(text)
        params = {"textDocument": {"uri": uri}, "position": at, "range": {"start": at, "end": at}, "context": {"diagnostics": [], "only": ["source.fixAll", "quickfix"]}}
        server.ask("textDocument/codeAction", params)
        peak, most = server.megabytes("VmHWM"), TIMES * len(text.encode()) / (1 << 20)
        server.process.kill()
        fault = peak > most
        faults += fault
        print(f"{'LARGE' if fault else 'ok':5} {'4 MB':15} {kind:28} {peak:5.0f} MB of {most:.0f}", flush=True)
    return faults


def measure_edits(program, folder):
    server = Server(program, folder)
    uri = (folder / "a.http").as_uri()
    text = "POST https://h/v1/orders\n\n[" + repeated('{"customer":1},', 20_000)[:-1] + "]\n"
    server.open(uri, text)
    for version in range(EDITS):
        server.change(uri, version + 2, text + "\n" * (version % 7))
        if version % 10 == 0:
            params = {"textDocument": {"uri": uri}, "position": {"line": 2, "character": 4}}
            server.ask("textDocument/hover", params)
        if version == EDITS // 10:
            before = server.megabytes("VmRSS")
    after = server.megabytes("VmRSS")
    server.process.kill()
    fault = after > before + GROWTH_MB
    print(f"{'GROWS' if fault else 'ok':5} {EDITS} edits{'':35} {before:5.0f} MB, then {after:.0f} MB", flush=True)
    return int(fault)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / ".git").mkdir()
        (folder / "r.toml").write_text(RULES)
        payload = '[[payload]]\nfiles = ["a.json"]\noperation = "POST /v1/orders"\n'
        (folder / "sundown.toml").write_text('rules = ["r.toml"]\nbuiltin-rules = false\n' + payload)
        faults = measure_requests(program, folder) + measure_memory(program, folder) + measure_edits(program, folder)
    print(f"{faults} faults")
    sys.exit(faults > 0)


if __name__ == "__main__":
    main()
