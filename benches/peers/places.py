"""The job of the peers: which members of which bodies are uses of a deprecated element.

The places come from testdata/facts/locations.json, as those of the built-in rules do, or from a rules file. They are
boiled down to what a peer has to look for, so that each use is found by exactly one selector and counting matches
counts uses. `as_table` writes them in the form that the peer programs read: lines of three fields between tabs,

    operation   request    selector     a deprecated member of the requests of this operation
    operation   response   selector     the same of its responses
    operation   operation               the whole endpoint
    *           opaque     selector     a free-form map: nothing inside is a use

A selector is its steps between blanks: member names, `*` for an array step, and at the very start `..` where it may
begin at any depth.
"""

import json
import re
import tomllib
from pathlib import Path
from typing import NamedTuple

ANY_DEPTH = ".."
EACH = "*"
SIDES = ("request", "response")


class Selector(NamedTuple):
    floating: bool
    steps: tuple[str, ...]

    @classmethod
    def parse(cls, path):
        """`$..a[*].b` or `$.a.b`: more than that the peers cannot do."""
        match = re.fullmatch(r"\$(\.\.|\.)((?:\w+|\[\*\]|\.(?=\w))+)", path)
        if not match:
            raise ValueError(f"the peers have no way to look for {path}")
        steps = re.findall(r"\w+|\[\*\]", match[2])
        return cls(match[1] == ANY_DEPTH, tuple(EACH if step == "[*]" else step for step in steps))

    def covers(self, other):
        """Whether it selects whatever the other one selects."""
        return self == other or (self.floating and self.steps == other.steps[-len(self.steps) :])

    def __str__(self):
        return " ".join([ANY_DEPTH] * self.floating + list(self.steps))


class Job(NamedTuple):
    endpoints: frozenset[str]
    members: dict[tuple[str, str], tuple[Selector, ...]]  # by operation and side
    opaque: tuple[Selector, ...]

    def as_table(self):
        lines = [f"*\topaque\t{selector}" for selector in self.opaque]
        lines += [f"{operation}\toperation\t" for operation in sorted(self.endpoints)]
        for (operation, side), selectors in sorted(self.members.items()):
            lines += [f"{operation}\t{side}\t{selector}" for selector in selectors]
        return "".join(line + "\n" for line in lines)


def from_facts(path: Path):
    facts = json.loads(path.read_text("utf-8"))
    places = [place for element in facts["deprecated_elements"] for place in places_of_element(element, facts)]
    return job(places, facts["opaque"])


def places_of_element(element, facts):
    """(operation, side, path), as in the facts and as the list announces it: at the root, or at any depth where the
    name has no live look-alike."""
    for location in element["locations"]:
        operations = location["operations"]
        if isinstance(operations, str):
            operations = facts["operation_groups"][operations.removeprefix("@")]
        yield from ((operation, location["side"], location["path"]) for operation in operations)
    if element["field"] and element["announced_operation"]:
        start = "$." if element["lookalike_examples_in_announced_operation"] else "$.."
        yield from ((element["announced_operation"], side, start + element["field"]) for side in SIDES)


def from_rules(path: Path):
    table = tomllib.loads(path.read_text("utf-8"))
    places = [place for rule in table["rule"] for place in places_of_rule(rule, table.get("groups", {}))]
    return job(places, table.get("opaque", []))


def places_of_rule(rule, groups):
    unknown = {"parameter", "header", "value", "except"} & rule.keys()
    if unknown:
        raise ValueError(f"the peers have no way to look for {rule['id']}: it has {', '.join(sorted(unknown))}")
    if "field" not in rule:
        yield rule["operation"], "operation", None
        return
    announced = [{"operation": rule["operation"], "at": ["$.." + rule["field"]]} | rule] if "operation" in rule else []
    for place in announced + rule.get("also", []):
        operations = groups[place["group"]] if "group" in place else [place["operation"]]
        for operation in operations:
            for side in place.get("sides", SIDES):
                yield from ((operation, side, at) for at in place["at"])


def job(places, opaque):
    endpoints = frozenset(operation for operation, side, _ in places if side == "operation")
    members = {}
    for operation, side, path in places:
        if side != "operation":
            members.setdefault((operation, side), set()).add(Selector.parse(path))
    members = {key: fewest(selectors) for key, selectors in members.items()}
    return Job(endpoints, members, tuple(Selector.parse(path) for path in opaque))


def fewest(selectors):
    """Without those that a wider one covers: no member is selected twice then."""
    return tuple(sorted(s for s in selectors if not any(o != s and o.covers(s) for o in selectors)))
