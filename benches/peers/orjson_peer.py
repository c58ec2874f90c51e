"""The peers' job (places.py) in Python with orjson: prints how many uses a capture has.

Usage: orjson_peer.py PLACES ndjson|har FILE
"""

import base64
import re
import sys
from collections import defaultdict
from pathlib import Path
from urllib.parse import unquote

import orjson

EACH = "*"


class Table:
    def __init__(self, text):
        self.members = defaultdict(lambda: defaultdict(list))  # by operation and side, by the last step's name
        self.endpoints, operations = set(), set()
        for operation, side, selector in (line.split("\t") for line in text.splitlines()):
            operations.add(operation)
            if side == "operation":
                self.endpoints.add(operation)
            else:
                *parents, name = selector.removeprefix(".. ").split(" ")
                self.members[operation, side][name].append((selector.startswith(".. "), parents))
        self.literal = operations
        self.templates = [(re.compile(re.sub(r"\{\w+\}", "[^/]+", name)), name) for name in operations if "{" in name]
        self.opaque = self.members["*", "opaque"]

    def operation_of(self, method, url):
        path = re.sub(r"^\w+://[^/]*|[?#].*", "", url).rstrip("/")
        called = f"{method} {unquote(path)}"
        if called in self.literal:
            return called
        return next((name for pattern, name in self.templates if pattern.fullmatch(called)), None)

    def uses(self, method, url, bodies):
        """`bodies`: by side, either what the JSON held or a string."""
        operation = self.operation_of(method, url)
        found = operation in self.endpoints
        for side, body in bodies.items():
            wanted = self.members.get((operation, side))
            if wanted and body is not None:
                found += sum(self.walk(value, [], wanted) for value in values_of(body))
        return found

    def walk(self, value, path, wanted):
        found = 0
        if isinstance(value, dict):
            for key, child in value.items():
                found += key in wanted and selected(path, wanted[key])
                if isinstance(child, (dict, list)) and not (key in self.opaque and selected(path, self.opaque[key])):
                    found += self.walk(child, path + [key], wanted)
        elif isinstance(value, list):
            below = path + [EACH]
            for child in value:
                found += self.walk(child, below, wanted)
        return found


def selected(path, selectors):
    for floating, parents in selectors:
        if path[len(path) - len(parents) :] == parents if floating else path == parents:
            return True
    return False


def values_of(body):
    """One value, or several: one a line, or one an event."""
    if not isinstance(body, (str, bytes)):
        return [body]
    try:
        return [orjson.loads(body)]
    except orjson.JSONDecodeError:
        text = body if isinstance(body, str) else body.decode("utf-8", "replace")
        return [value for line in text.split("\n") for value in value_in(line.removeprefix("data:"))]


def value_in(line):
    try:
        return [orjson.loads(line)]
    except orjson.JSONDecodeError:
        return []


def ndjson(file, table):
    with file.open("rb") as lines:
        for line in lines:
            for record in value_in(line):
                request, response = record["req"], record.get("res", {})
                bodies = {"request": request.get("body"), "response": response.get("body")}
                yield table.uses(request["method"], request["url"], bodies)


def har(file, table):
    for entry in orjson.loads(file.read_bytes())["log"]["entries"]:
        request, content = entry["request"], entry["response"].get("content", {})
        response = content.get("text")
        if response and content.get("encoding") == "base64":
            response = base64.b64decode(response)
        bodies = {"request": request.get("postData", {}).get("text"), "response": response}
        yield table.uses(request["method"], request["url"], bodies)


def main():
    places, format, file = sys.argv[1:]
    table = Table(Path(places).read_text("utf-8"))
    print(sum({"ndjson": ndjson, "har": har}[format](Path(file), table)))


if __name__ == "__main__":
    main()
