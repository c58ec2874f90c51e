#!/usr/bin/env python3
"""Works out what a check of the recorded captures has to find, from the facts and the captures alone.

An oracle, not a second linter: it compares every node of every body with every place of every rule, knows no byte
offsets, and then holds its own answer against the markers in the bodies. Each `planted-NNN` has to be the value of a
use that it found (or the first string in that value), each use has to hold one, and no `alive-NNN` may be the value
of a use. It ends with an error where that is not so. Standard library only, but for cassettes in YAML, which take PyYAML.

Usage: expected.py CAPTURE...      writes CAPTURE's name with .expected.json in place of its extension
"""

import base64
import gzip
import json
import re
import sys
from pathlib import Path
from typing import NamedTuple, Optional
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parent.parent.parent
FACTS = ROOT / "testdata" / "facts" / "locations.json"
AS_OF = "2026-11-20"
MARKER = re.compile(r"(?:planted|alive)-\d+")

# The built-in tables' name for each element of the facts: schema and field; an endpoint's is made of its path.
RULE_IDS = {
    "FacetFilterValue.isNegated": "createannouncement-is-negated",
    "AnswerMutableProperties.boardId": "createannouncement-board-id",
    "RelatedDocuments.documents": "createannouncement-documents",
    "SearchResultSnippet.snippet": "createannouncement-snippet",
    "InviteInfo.inviter": "invite-info-inviter",
    "InviteInfo.inviteTime": "createannouncement-invite-time",
    "InviteInfo.reminderTime": "createannouncement-reminder-time",
    "DocumentInteractions.reactions": "createannouncement-reactions",
    "ViewerInfo.role": "createannouncement-role",
    "AnswerResult.trackingToken": "getanswer-tracking-token",
    "GetCollectionResponse.trackingToken": "getcollection-tracking-token",
    "ChatMessage.citations": "chat-citations",
    "InsightsOverviewResponse.searchSessionSatisfaction": "insights-search-session-satisfaction",
    "InsightsResponse.gleanAssist": "insights-glean-assist",
    "SensitiveInfoType.likelihoodThreshold": "policy-likelihood-threshold",
    "InputOptions.urlGreenlist": "policy-url-greenlist",
    "InputOptions.datasources": "policy-datasources",
    "SharingOptions.enabled": "policy-enabled",
    "SharingOptions.anyoneWithLinkEnabled": "policy-anyone-with-link-enabled",
    "DlpConfig.externalSharingOptions": "policy-external-sharing-options",
    "DlpConfig.sensitiveInfoTypes": "policy-sensitive-info-types",
    "SensitiveContentOptions.sensitiveInfoTypes": "policy-content-sensitive-info-types",
    "SensitiveContentOptions.sensitiveTerms": "policy-sensitive-terms",
    "SensitiveContentOptions.sensitiveRegexes": "policy-sensitive-regexes",
    "EmployeeInfoDefinition.location": "indexemployee-location",
}

# Its name has a second rule in the same table, which alone has the places that the announcement gives.
ONLY_OWN_PLACES = "policy-content-sensitive-info-types"


class Disagreement(Exception):
    """The findings and the markers do not fit together: one of the two is wrong."""


class Place(NamedTuple):
    rule: str
    severity: int
    operation: str
    side: str
    selector: Optional[tuple]


class Use(NamedTuple):
    rule: str
    severity: int
    path: tuple
    value: object


class Body(NamedTuple):
    side: str
    embedded: str
    values: list


# ---- the rules, from the facts ----


def parse_selector(path):
    """`$..a[*].b` as ("..", "a", "[*]", "b")."""
    tokens = re.findall(r"\.\.|\[\*\]|[^.\[\]]+", path.removeprefix("$"))
    return tuple(tokens)


def places_of(element, groups):
    severity = 2 if element["removal"] < AS_OF else 1
    rule = rule_id(element)
    for location in element["locations"]:
        operations = location["operations"]
        operations = groups[operations[1:]] if isinstance(operations, str) else operations
        selector = None if location["path"] is None else parse_selector(location["path"])
        for operation in operations:
            yield Place(rule, severity, operation, location["side"], selector)
    for selector in announced_selectors(element, rule):
        for side in ("request", "response"):
            yield Place(rule, severity, element["announced_operation"], side, selector)


def rule_id(element):
    if element["field"] is None:
        return element["announced_operation"].rsplit("/", 1)[1] + "-endpoint"
    return RULE_IDS[f"{element['schema']}.{element['field']}"]


def announced_selectors(element, rule):
    field = element["field"]
    if field is None or element["announced_operation"] is None or rule == ONLY_OWN_PLACES:
        return []
    if element["lookalike_examples_in_announced_operation"]:
        return [(field,)]
    return [(field,), ("..", field)]


def load_rules():
    facts = json.loads(FACTS.read_text("utf-8"))
    places = [p for e in facts["deprecated_elements"] for p in places_of(e, facts["operation_groups"])]
    return places, [parse_selector(path) for path in facts["opaque"]]


# ---- matching ----


def selects(selector, path):
    if not selector:
        return not path
    head, rest = selector[0], selector[1:]
    if head == "..":
        return any(selects(rest, path[skip:]) for skip in range(len(path) + 1))
    if not path:
        return False
    fits = isinstance(path[0], int) if head == "[*]" else path[0] == head
    return fits and selects(rest, path[1:])


def specificity(place):
    """Sorts the most specific selector first."""
    names = sum(token not in ("..", "[*]") for token in place.selector)
    return (-names, place.selector.count(".."), place.rule)


def nodes(value, path=()):
    """Every node below the root, in the order in which the text has them."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield path + (key,), child
        yield from nodes(child, path + (key,))


def is_opaque(path, opaque):
    return any(selects(selector, path[:end]) for selector in opaque for end in range(1, len(path)))


def uses_in(value, places, opaque):
    for path, node in nodes(value):
        if isinstance(path[-1], int) or is_opaque(path, opaque):
            continue
        matching = sorted((p for p in places if selects(p.selector, path)), key=specificity)
        if matching:
            yield Use(matching[0].rule, matching[0].severity, path, node)


def segments(url):
    parts = [unquote(part) for part in urlsplit(url).path.split("/")[1:]]
    return parts[:-1] if parts and parts[-1] == "" else parts


def operation_of(method, url, places):
    known = sorted({p.operation for p in places}, key=lambda operation: operation.count("{"))
    for operation in known:
        known_method, template = operation.split(" ")
        wanted, got = template.split("/")[1:], segments(url)
        if known_method == method and len(wanted) == len(got):
            if all(w.startswith("{") or w == g for w, g in zip(wanted, got)):
                return operation
    return None


# ---- bodies ----


def strict_object(pairs):
    made = dict(pairs)
    if len(made) != len(pairs):
        raise Disagreement(f"a repeated key, which this oracle does not model: {[k for k, _ in pairs]}")
    return made


def parse(text):
    return json.loads(text, object_pairs_hook=strict_object)


def values_of(text):
    """The JSON values of a body: one, or one a line, or one an event; none where it is not JSON."""
    for split in (lambda t: [t], event_data, lines_of):
        try:
            parts = split(text)
            if parts:
                return [parse(part) for part in parts]
        except json.JSONDecodeError:
            continue
    return []


def lines_of(text):
    """Not `splitlines`: it also ends lines at letters such as U+2028, which may occur in JSON strings."""
    return [line for line in text.split("\n") if line.strip()]


def event_data(text):
    """The data of server-sent events: an event's `data:` lines are one text."""
    events = [[line[5:] for line in lines_of(event) if line.startswith("data:")] for event in text.split("\n\n")]
    return ["\n".join(event) for event in events if event]


def har_body(side, holder):
    if "text" not in holder:
        return Body(side, "text", [])
    if holder.get("encoding") != "base64":
        return Body(side, "text", checked_values(holder["text"]))
    text = base64.b64decode(holder["text"]).decode("utf-8", errors="replace")
    return Body(side, "base64", checked_values(text))


def checked_values(text):
    values = values_of(text)
    if not values and MARKER.search(text):
        raise Disagreement(f"a marker in a body that is not JSON: {text[:200]!r}")
    return values


def har_exchanges(text):
    for entry in parse(text)["log"]["entries"]:
        request, response = entry["request"], entry["response"]
        bodies = {
            "request": har_body("request", request.get("postData", {})),
            "response": har_body("response", response.get("content", {})),
        }
        yield request["method"], request["url"], [bodies[side] for side in entry if side in bodies]


def pino_exchanges(text):
    for line in lines_of(text):
        entry = parse(line)
        nested = [entry["req"]["body"]] if "body" in entry["req"] else []
        bodies = {
            "req": Body("request", "nested", nested),
            "res": Body("response", "text", checked_values(entry["res"].get("body", ""))),
        }
        yield entry["req"]["method"], entry["req"]["url"], [bodies[side] for side in entry if side in bodies]


def cassette_exchanges(capture):
    text = capture.read_text("utf-8")
    cassette = parse(text) if capture.suffix == ".json" else load_yaml(text)
    for interaction in cassette.get("http_interactions") or cassette["interactions"]:
        request = interaction["request"]
        bodies = [cassette_body(side, interaction[side]["body"]) for side in interaction if side in ("request", "response")]
        yield request["method"].upper(), request.get("uri") or request["url"], bodies


def load_yaml(text):
    import yaml

    class Loader(yaml.SafeLoader):
        pass

    # What Ruby writes in front of base64.
    Loader.add_constructor("!binary", yaml.SafeLoader.construct_yaml_binary)
    return yaml.load(text, Loader)


def cassette_body(side, body):
    if isinstance(body, dict):
        body = base64.b64decode(body["base64_string"]) if "base64_string" in body else body.get("string")
    if not isinstance(body, bytes):
        return Body(side, "text", checked_values(body or ""))
    plain = gzip.decompress(body) if body.startswith(b"\x1f\x8b") else body
    return Body(side, "base64", checked_values(plain.decode("utf-8", errors="replace")))


def exchanges_of(capture):
    if capture.suffix == ".har":
        return har_exchanges(capture.read_text("utf-8"))
    if capture.suffix == ".ndjson":
        return pino_exchanges(capture.read_text("utf-8"))
    return cassette_exchanges(capture)


# ---- findings ----


def pointer(path):
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def first_string(value):
    if isinstance(value, str):
        return value
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next((found for found in map(first_string, children) if found is not None), None)


def marker_of(use):
    text = first_string(use.value)
    if text is None or not re.fullmatch(r"planted-\d+", text):
        raise Disagreement(f"{use.rule} at {pointer(use.path)}: a use whose value is not planted: {text!r}")
    return text


def contains(outer, inner):
    return len(outer) < len(inner) and inner[: len(outer)] == outer


def reported(uses):
    """(use, related uses) of each finding. Uses come in text order, so a container comes before what is in it."""
    findings = []
    for use in uses:
        enclosing = [finding for finding in findings if contains(finding[0].path, use.path)]
        nearest = max(enclosing, key=lambda finding: len(finding[0].path), default=None)
        if nearest and use.severity <= nearest[0].severity:
            nearest[1].append(use)
        else:
            findings.append((use, []))
    return findings


def endpoint_findings(entry, operation, places):
    for place in places:
        if place.operation == operation and place.side == "operation":
            yield {
                "entry": entry,
                "rule": place.rule,
                "operation": operation,
                "side": "operation",
                "marker": None,
                "value": 0,
                "embedded": None,
                "related": [],
            }


def body_findings(entry, operation, body, places, opaque):
    here = [p for p in places if p.operation == operation and p.side == body.side]
    for index, value in enumerate(body.values):
        uses = list(uses_in(value, here, opaque))
        check_markers(value, uses)
        for use, related in reported(uses):
            yield {
                "entry": entry,
                "rule": use.rule,
                "operation": operation,
                "side": body.side,
                "pointer": pointer(use.path),
                "marker": marker_of(use),
                "value": index,
                "embedded": body.embedded,
                "related": [{"rule": r.rule, "pointer": pointer(r.path)} for r in related],
            }


def markers_in(value):
    strings = [node for _, node in nodes([value]) if isinstance(node, str)]
    return [marker for text in strings for marker in MARKER.findall(text)]


def check_markers(value, uses):
    found = sorted(marker_of(use) for use in uses)
    planted = sorted(m for m in markers_in(value) if m.startswith("planted"))
    if found != planted:
        missed, invented = set(planted) - set(found), set(found) - set(planted)
        raise Disagreement(f"missed {sorted(missed)}, invented {sorted(invented)}, or a repetition")


def check_all_seen(text, exchanges):
    """Each marker in the file's text was in a decoded body, and none in two bodies."""
    seen = [m for _, _, bodies in exchanges for body in bodies for value in body.values for m in markers_in(value)]
    lost = set(MARKER.findall(text)) - set(seen)
    if lost:
        raise Disagreement(f"markers outside of the decoded bodies: {sorted(lost)}")
    if len(set(seen)) != len(seen):
        raise Disagreement(f"repeated markers: {sorted(m for m in set(seen) if seen.count(m) > 1)}")
    return seen


def findings_of(exchanges, places, opaque):
    for entry, (method, url, bodies) in enumerate(exchanges):
        operation = operation_of(method, url, places)
        yield from endpoint_findings(entry, operation, places)
        for body in bodies:
            yield from body_findings(entry, operation, body, places, opaque)


def write_expected(capture):
    text = capture.read_text("utf-8")
    places, opaque = load_rules()
    exchanges = list(exchanges_of(capture))
    seen = check_all_seen(text, exchanges)
    findings = list(findings_of(exchanges, places, opaque))
    lines = ",\n".join("    " + json.dumps(finding) for finding in findings)
    expected = f'{{\n  "as_of": "{AS_OF}",\n  "findings": [\n{lines}\n  ]\n}}\n'
    json.loads(expected)
    capture.with_suffix(".expected.json").write_text(expected, "utf-8")
    alive = sum(m.startswith("alive") for m in seen)
    related = sum(len(finding["related"]) for finding in findings)
    print(f"{capture.name}: {len(exchanges)} exchanges, {len(findings)} findings, {related} related, {alive} look-alikes")


def main():
    failed = False
    for capture in map(Path, sys.argv[1:]):
        try:
            write_expected(capture)
        except Disagreement as problem:
            print(f"{capture.name}: {problem}", file=sys.stderr)
            failed = True
    sys.exit(failed)


if __name__ == "__main__":
    main()
