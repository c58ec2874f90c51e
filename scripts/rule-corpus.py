#!/usr/bin/env python3
"""Writes and checks testdata/rules: for every built-in rule, exchanges that use it, valid look-alikes of it, and what
all built-in rules find in each.

    python3 scripts/rule-corpus.py           write the files
    python3 scripts/rule-corpus.py --check   compare instead; exit 1 and name the files that differ

It has two parts that share only the facts (testdata/facts/locations.json):

- The *oracle* reads the text of a line and computes what all rules find in it. It is as simple as possible: it tries
  every place of every rule on the whole body.
- The *generator* writes the lines, and knows only the intent of each line.

The script fails if they disagree: a use without a finding of its rule, a place without a use, or a look-alike with a
finding of its rule. It uses no randomness and no clock, so its output is always the same.
"""

import argparse
import datetime
import hashlib
import json
import re
import sys
import urllib.parse
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FACTS = json.loads((ROOT / "testdata/facts/locations.json").read_text(encoding="utf-8"))
OUT = ROOT / "testdata/rules"
AS_OF = "2026-11-20"
ERROR_WITHIN = 30
SIDES = ("request", "response")

# The rule of each element, by (schema, field), or by the announced operation where the element is a whole endpoint.
RULE_IDS = {
    "POST /rest/api/v1/listanswers": "listanswers-endpoint",
    ("FacetFilterValue", "isNegated"): "createannouncement-is-negated",
    ("AnswerMutableProperties", "boardId"): "createannouncement-board-id",
    ("RelatedDocuments", "documents"): "createannouncement-documents",
    ("SearchResultSnippet", "snippet"): "createannouncement-snippet",
    ("InviteInfo", "inviter"): "invite-info-inviter",
    ("InviteInfo", "inviteTime"): "createannouncement-invite-time",
    ("InviteInfo", "reminderTime"): "createannouncement-reminder-time",
    ("DocumentInteractions", "reactions"): "createannouncement-reactions",
    ("ViewerInfo", "role"): "createannouncement-role",
    ("AnswerResult", "trackingToken"): "getanswer-tracking-token",
    ("GetCollectionResponse", "trackingToken"): "getcollection-tracking-token",
    ("ChatMessage", "citations"): "chat-citations",
    ("InsightsOverviewResponse", "searchSessionSatisfaction"): "insights-search-session-satisfaction",
    ("InsightsResponse", "gleanAssist"): "insights-glean-assist",
    ("SensitiveInfoType", "likelihoodThreshold"): "policy-likelihood-threshold",
    ("InputOptions", "urlGreenlist"): "policy-url-greenlist",
    ("InputOptions", "datasources"): "policy-datasources",
    ("SharingOptions", "enabled"): "policy-enabled",
    ("SharingOptions", "anyoneWithLinkEnabled"): "policy-anyone-with-link-enabled",
    ("DlpConfig", "externalSharingOptions"): "policy-external-sharing-options",
    ("DlpConfig", "sensitiveInfoTypes"): "policy-sensitive-info-types",
    ("SensitiveContentOptions", "sensitiveInfoTypes"): "policy-content-sensitive-info-types",
    ("SensitiveContentOptions", "sensitiveTerms"): "policy-sensitive-terms",
    ("SensitiveContentOptions", "sensitiveRegexes"): "policy-sensitive-regexes",
    "POST /api/index/v1/getdocumentstatus": "getdocumentstatus-endpoint",
    "POST /api/index/v1/getdocumentcount": "getdocumentcount-endpoint",
    "POST /api/index/v1/getusercount": "getusercount-endpoint",
    "POST /api/index/v1/bulkindexemployees": "bulkindexemployees-endpoint",
    ("EmployeeInfoDefinition", "location"): "indexemployee-location",
}
# Another rule has the extra places that the announcement adds for this name.
ONLY_ITS_LOCATIONS = {"policy-content-sensitive-info-types"}


# ---------------------------------------------------------------------------------------------------------------------
# The table
# ---------------------------------------------------------------------------------------------------------------------


class Rule:
    def __init__(self, element):
        self.field = element["field"]
        self.announced = element["announced_operation"]
        key = (element["schema"], self.field) if self.field else self.announced
        self.id = RULE_IDS[key]
        self.element = element
        left = datetime.date.fromisoformat(element["removal"]) - datetime.date.fromisoformat(AS_OF)
        self.severity = "error" if left.days <= ERROR_WITHIN else "warning"
        self.places = []  # (operation, side, path); the path of an endpoint is None
        for location in element["locations"]:
            operations = location["operations"]
            if isinstance(operations, str):
                operations = FACTS["operation_groups"][operations.lstrip("@")]
            self.places += [(op, location["side"], location["path"]) for op in operations]
        if self.field and self.announced and self.id not in ONLY_ITS_LOCATIONS:
            extra = ["$." + self.field]
            if not element["lookalike_examples_in_announced_operation"]:
                extra.append("$.." + self.field)
            self.places += [
                (self.announced, side, path)
                for path in extra
                for side in SIDES
                if (self.announced, side, path) not in self.places
            ]


RULES = [Rule(element) for element in FACTS["deprecated_elements"]]
BY_ID = {rule.id: rule for rule in RULES}
OPERATIONS = sorted({op for rule in RULES for op, _, _ in rule.places})
assert len(BY_ID) == len(RULES) == len(RULE_IDS) == 30


# ---------------------------------------------------------------------------------------------------------------------
# The oracle: JSON with places
# ---------------------------------------------------------------------------------------------------------------------


class Node:
    """A JSON value. kind: object (items: key, byte offset of the key, Node), array (items: Node), string, other."""

    def __init__(self, kind, at, items=None, text=None, offsets=None):
        self.kind, self.at, self.items, self.text, self.offsets = kind, at, items, text, offsets

    def get(self, key):
        if self.kind != "object":
            return None
        return next((node for k, _, node in self.items if k == key), None)


class Reader:
    """Reads JSON text whose character i is at byte offsets[i] of the line."""

    ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}

    def __init__(self, text, offsets):
        self.text, self.offsets, self.i = text, offsets, 0

    def document(self):
        node = self.value()
        self.space()
        if self.i != len(self.text):
            raise ValueError("text after the value")
        return node

    def space(self):
        while self.i < len(self.text) and self.text[self.i] in " \t\r\n":
            self.i += 1

    def peek(self):
        self.space()
        if self.i == len(self.text):
            raise ValueError("cut")
        return self.text[self.i]

    def take(self, char):
        if self.peek() != char:
            raise ValueError("expected " + char)
        self.i += 1

    def value(self):
        first, at = self.peek(), self.offsets[self.i]
        if first == "{":
            items = []
            for _ in self.members("{", "}"):
                self.peek()
                key_at = self.offsets[self.i]
                key, _ = self.string()
                self.take(":")
                items.append((key, key_at, self.value()))
            return Node("object", at, items)
        if first == "[":
            return Node("array", at, [self.value() for _ in self.members("[", "]")])
        if first == '"':
            text, offsets = self.string()
            return Node("string", at, text=text, offsets=offsets)
        match = re.compile(r"true|false|null|-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?").match(self.text, self.i)
        if not match:
            raise ValueError("no value")
        self.i = match.end()
        return Node("other", at)

    def members(self, opening, closing):
        self.take(opening)
        if self.peek() == closing:
            self.i += 1
            return
        while True:
            yield
            if self.peek() == closing:
                self.i += 1
                return
            self.take(",")

    def string(self):
        self.take('"')
        chars, offsets = [], []
        while True:
            if self.i >= len(self.text):
                raise ValueError("cut string")
            char, at = self.text[self.i], self.offsets[self.i]
            if char == '"':
                self.i += 1
                return "".join(chars), offsets
            if char < " ":
                raise ValueError("control character")
            if char == "\\":
                char, width = self.escape()
                self.i += width
            else:
                self.i += 1
            chars.append(char)
            offsets.append(at)

    def escape(self):
        def unit(i):
            match = re.compile(r"\\u([0-9a-fA-F]{4})").match(self.text, i)
            return int(match.group(1), 16) if match else None

        code = unit(self.i)
        if code is None:
            return self.ESCAPES[self.text[self.i + 1]], 2
        low = unit(self.i + 6)
        if 0xD800 <= code < 0xDC00 and low is not None and 0xDC00 <= low < 0xE000:
            return chr(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)), 12
        return chr(code), 6


def read_line(line):
    offsets, at = [], 0
    for char in line:
        offsets.append(at)
        at += len(char.encode("utf-8"))
    return Reader(line, offsets).document()


def read_body(message):
    """The body of a message: nested JSON, or a string that holds JSON."""
    body = message.get("body") if message else None
    if body is None or body.kind != "string":
        return body
    try:
        return Reader(body.text, body.offsets).document()
    except (ValueError, KeyError, IndexError):
        return None


# ---------------------------------------------------------------------------------------------------------------------
# The oracle: paths, operations, findings
# ---------------------------------------------------------------------------------------------------------------------


def steps_of(path):
    """'$.a..b[*].c' -> [('a', False), ('b', True), ('*', False), ('c', False)]; True: at any depth"""
    steps = []
    rest = path[1:]
    while rest:
        match = re.match(r"(\.\.|\.)([A-Za-z]\w*)|\[(\*)\]", rest)
        assert match, path
        steps.append((match.group(2) or "*", match.group(1) == ".."))
        rest = rest[match.end():]
    return steps


def specificity(path):
    """Smaller is more specific: more member names, then fewer '..'"""
    steps = steps_of(path)
    return (-sum(1 for name, _ in steps if name != "*"), sum(1 for _, deep in steps if deep))


def children(node, pointer):
    if node.kind == "object":
        return [(child, pointer + (key,), at) for key, at, child in node.items]
    if node.kind == "array":
        return [(child, pointer + (i,), None) for i, child in enumerate(node.items)]
    return []


def descendants(node, pointer):
    found = [(node, pointer)]
    for child, below, _ in children(node, pointer):
        found += descendants(child, below)
    return found


def select(path, root, star_takes_members=False):
    """All (pointer, offset of the last key) that the path selects."""
    current = [(root, (), None)]
    for name, deep in steps_of(path):
        if deep:
            current = [(n, p, None) for node, pointer, _ in current for n, p in descendants(node, pointer)]
        following = []
        for node, pointer, _ in current:
            for child, below, at in children(node, pointer):
                if name == "*":
                    wanted = node.kind == "array" or star_takes_members
                else:
                    wanted = node.kind == "object" and below[-1] == name
                if wanted:
                    following.append((child, below, at))
        current = following
    return [(pointer, at) for _, pointer, at in current]


def operation_of(method, url):
    path = url.split("#")[0].split("?")[0]
    path = re.sub(r"^[A-Za-z][A-Za-z0-9+.-]*://[^/]*", "", path)
    segments = [urllib.parse.unquote(segment) for segment in path.strip("/").split("/")]
    matching = []
    for operation in OPERATIONS:
        wanted_method, template = operation.split(" ")
        wanted = template.strip("/").split("/")
        tail = segments[-len(wanted):]
        if wanted_method != method.upper() or len(tail) != len(wanted):
            continue
        if all(w == s or (w.startswith("{") and s) for w, s in zip(wanted, tail)):
            matching.append((template.count("{"), operation))
    return min(matching)[1] if matching else None


def pointer_text(pointer):
    return "".join("/" + str(token).replace("~", "~0").replace("/", "~1") for token in pointer)


def body_findings(body, operation, side, star_takes_members):
    opaque = [p for path in FACTS["opaque"] for p, _ in select(path, body, star_takes_members)]
    best = {}  # pointer -> (specificity, rule id, offset), the most specific
    for rule in RULES:
        for op, place_side, path in rule.places:
            if path is None or (op, place_side) != (operation, side):
                continue
            for pointer, at in select(path, body, star_takes_members):
                if any(len(pointer) > len(o) and pointer[: len(o)] == o for o in opaque):
                    continue
                candidate = (specificity(path), rule.id, at)
                best[pointer] = min(best.get(pointer, candidate), candidate)
    findings = {}  # pointer -> finding
    for pointer, (_, rule_id, at) in sorted(best.items(), key=lambda item: item[1][2]):
        outer = None
        for length in range(len(pointer) - 1, 0, -1):
            if pointer[:length] in findings:
                outer = findings[pointer[:length]]
                break
        severity = BY_ID[rule_id].severity
        if outer and not (severity == "error" and outer["severity"] == "warning"):
            outer["related"].append({"rule": rule_id, "pointer": pointer_text(pointer)})
        else:
            findings[pointer] = {
                "at": at,
                "rule": rule_id,
                "operation": operation,
                "side": side,
                "pointer": pointer_text(pointer),
                "severity": severity,
                "related": [],
            }
    return list(findings.values())


def find(line, star_takes_members=False):
    """The findings of all rules in one line, in the order of its text."""
    exchange = read_line(line)
    url = exchange.get("url")
    operation = operation_of(exchange.get("method").text, url.text)
    if operation is None:
        return []
    findings = [
        {"at": url.at, "rule": r.id, "operation": operation, "side": "operation", "severity": r.severity, "related": []}
        for r in RULES
        if r.field is None and operation == r.announced
    ]
    for side in SIDES:
        body = read_body(exchange.get(side))
        if body is not None:
            findings += body_findings(body, operation, side, star_takes_members)
    findings.sort(key=lambda finding: finding["at"])
    raw = line.encode("utf-8")
    for finding in findings:
        assert len(finding["related"]) <= 10, "the reports cut the list after ten"
        assert raw[finding.pop("at"):].startswith((b'"', b'\\"')), "a place is a key or the URL"
    return findings


def places_used(rule, line):
    """The places of the rule that this line uses, without opaque maps, distinguished by the depth that '..' matched."""
    exchange = read_line(line)
    operation = operation_of(exchange.get("method").text, exchange.get("url").text)
    used = set()
    for op, side, path in rule.places:
        if op != operation:
            continue
        if path is None:
            used.add((op, side, path, "direct"))
            continue
        body = read_body(exchange.get(side))
        if body is None:
            continue
        opaque = [p for o in FACTS["opaque"] for p, _ in select(o, body)]
        for pointer, _ in select(path, body):
            if not any(len(pointer) > len(o) and pointer[: len(o)] == o for o in opaque):
                used.add((op, side, path, "direct" if len(pointer) == len(steps_of(path)) else "deep"))
    return used


# ---------------------------------------------------------------------------------------------------------------------
# The generator: writing lines
# ---------------------------------------------------------------------------------------------------------------------

ABSENT = object()

LEAVES = {
    "isNegated": [True, False, None],
    "boardId": [7, 4711, "b-12", None],
    "documents": [[{"id": "d1", "title": "Plan"}], [], [{"id": "d1"}, {"id": "d2", "url": "https://example.com/d2"}]],
    "snippet": ["the <b>plan</b>", "", "größer als"],
    "inviter": [{"name": "Ada"}, {}, None],
    "inviteTime": ["2026-03-01T09:00:00Z", None],
    "reminderTime": ["2026-04-01T09:00:00Z", 0],
    "reactions": [[{"type": "LIKE", "count": 2}], [], {"LIKE": 1}],
    "role": ["VIEWER", "OWNER", None],
    "trackingToken": ["tt-made-up-1", "", None],
    "citations": [[{"sourceDocument": {"id": "s1"}}], [], [{"snippetIndex": 1}]],
    "searchSessionSatisfaction": [0.75, {"value": 1}, None],
    "gleanAssist": [{"activeUsers": 3}, {}, None],
    "likelihoodThreshold": ["LIKELY", "POSSIBLE", None],
    "urlGreenlist": [["https://example.com/a"], []],
    "datasources": [["wiki", "tickets"], [], ["wiki"]],
    "enabled": [True, False, None],
    "anyoneWithLinkEnabled": [False, True],
    "externalSharingOptions": [{"threshold": "ANY"}, {}, None],
    "sensitiveInfoTypes": [[{"name": "EMAIL"}], [], [{"name": "IBAN"}, {"name": "PASSPORT"}]],
    "sensitiveTerms": [["secret plan"], [], [{"value": "x"}]],
    "sensitiveRegexes": [["[0-9]+\\.x"], [], [{"value": "\"q\""}]],
    "location": ["Lisbon", {"city": "Oslo"}, None],
}

# Possible parents for '$..x': those in the look-alike paths, and a few difficult ones.
AWKWARD = [["a/b~c"], ["größe"], [""], ["details", "input"], ["CustomData"], ["*"], ["data", "*", "*"]]
REALISTIC = {
    "values": [["requestOptions", "facetFilters", "*"], ["body", "structuredList", "*", "facetFilters", "*"]],
    "answer": [["results", "*", "structuredResults", "*"], ["body", "structuredList", "*", "structuredResult"]],
    "snippets": [["results", "*"], ["results", "*", "clusteredResults", "*"]],
    "interactions": [["results", "*", "document"], ["sourceDocument", "metadata"]],
    "viewerInfo": [["sourceDocument", "metadata"], ["results", "*", "document", "metadata"]],
    "config": [["report"], ["policies", "*"], ["policy"]],
    "inputOptions": [["config"], ["report", "config"], ["policies", "*", "config"]],
    "broadSharingOptions": [["config"], ["report", "config"], ["policies", "*", "config"]],
    "sensitiveContentOptions": [["config"], ["report", "config"], ["policies", "*", "config"]],
    # below 'config' these two are inside another deprecated field
    "externalSharingOptions": [["report"], ["policies", "*"]],
    "sensitiveInfoTypes": [["report"], ["policies", "*"], ["report", "options"]],
}
GOVERNANCE = {"config", "inputOptions", "broadSharingOptions", "sensitiveContentOptions"}
GOVERNANCE |= {"externalSharingOptions", "sensitiveInfoTypes"}


def names_of(path):
    return [name for name, _ in steps_of(path)]


def lookalikes_of(element):
    """(method, path of the operation, side, JSONPath)"""
    for example in element["lookalike_examples_in_announced_operation"]:
        yield tuple(element["announced_operation"].split(" ") + example.split(" "))
    for example in element["lookalike_examples_elsewhere"]:
        yield tuple(example.split(" "))


def parents_in_the_facts():
    """The parents in the look-alike paths of the Client API, by side; no deprecated field, no opaque map among them."""
    found = {side: [] for side in SIDES}
    bad = {rule.field for rule in RULES} | {"input", "config"}
    for element in FACTS["deprecated_elements"]:
        for _, _, side, path in lookalikes_of(element):
            names = names_of(path)[:-1]
            if names and not bad & set(names) and names not in found[side]:
                found[side].append(names)
    return found


PARENTS = parents_in_the_facts()

UNICODE = ["Zürich – 漢字 😀", "naïve café", "Ω≈ç√ \u2028 line", "\"quoted\" \\ back/slash"]


def build(names, leaf, index=0):
    """Names ('*': an array step, the item at `index` and a few others before it) around a leaf."""
    value = leaf
    for name in reversed(names):
        if name == "*":
            before = [{"id": "n%d" % i} if i % 2 == 0 else None for i in range(index)]
            value = before + [value]
        else:
            value = {name: value}
    return value


class Writer:
    """Writes the lines of one file. Every choice uses all its options before it repeats one."""

    def __init__(self, seed, escapable):
        self.seed, self.escapable = seed, escapable
        self.bags, self.draws = {}, {}
        self.lines = []
        self.inside = set()  # numbers of the lines whose use is only inside another field

    def pick(self, what, options):
        options = list(options)
        bag = self.bags.setdefault(what, [])
        if not bag:
            self.draws[what] = self.draws.get(what, 0) + 1

            def key(i):
                text = "%s|%s|%d|%d" % (self.seed, what, self.draws[what], i)
                return hashlib.sha256(text.encode("utf-8")).hexdigest()

            bag.extend(sorted(range(len(options)), key=key))
        return options[bag.pop() % len(options)]

    def index(self):
        return self.pick("index", [0, 1, 2, 0, 3])

    def leaf(self, field):
        return self.pick("leaf " + field, LEAVES[field])

    def body(self, names, leaf=ABSENT):
        return build(names, self.leaf(names[-1]) if leaf is ABSENT else leaf, self.index())

    # -- the URL

    def url(self, template):
        form = self.pick(
            "url",
            "full path query fragment slash percent variable template proxy port host both slashes full path".split(),
        )
        path = template
        for name in re.findall(r"\{(\w+)\}", template):
            if form == "variable":
                value = "{{%s}}" % name
            elif form == "template":
                value = "{%s}" % name
            else:
                value = self.pick("id", ["42", "pol_7f3a", "a%2Fb", "0b6e8e0c-54f4-4d5e-9c55-6a1f3d2b7c10"])
            path = path.replace("{%s}" % name, value)
        if form == "percent":
            segments = path.split("/")
            last = max(i for i, s in enumerate(segments) if s.isalpha())
            at = len(segments[last]) // 2
            code = "%%%02X" if self.pick("hex", [0, 1]) else "%%%02x"
            segments[last] = segments[last][:at] + code % ord(segments[last][at]) + segments[last][at + 1:]
            path = "/".join(segments)
        return {
            "path": path,
            "query": "https://api.example.com%s?locale=en&q=a/b" % path,
            "fragment": "https://api.example.com%s#top" % path,
            "slash": "https://api.example.com%s/" % path,
            "variable": "{{base_url}}%s" % path,
            "proxy": "https://gateway.example.com/proxy/v2%s" % path,
            "port": "http://localhost:8080%s" % path,
            "host": "api.example.com%s" % path,
            "both": "%s/?page=2#top" % path,
        }.get(form, "https://api.example.com" + path)

    # -- the text

    def escaped_key(self, text):
        name = self.pick("escaped key", self.escapable)
        way = self.pick("way to escape", ["first", "last", "all"])
        codes = ["\\u%04x" % ord(c) if self.pick("u hex", [0, 1]) else "\\u%04X" % ord(c) for c in name]
        if way == "first":
            written = codes[0] + name[1:]
        elif way == "last":
            written = name[:-1] + codes[-1]
        else:
            written = "".join(codes)
        return text.replace('"%s":' % name, '"%s":' % written).replace('"%s" :' % name, '"%s" :' % written)

    def body_text(self, body, string):
        ascii_only = self.pick("ascii", [False, False, True])
        separators = self.pick("separators", [(",", ":"), (",", ":"), (", ", ": "), (" , ", " : ")])
        text = json.dumps(body, ensure_ascii=ascii_only, separators=separators)
        escape = self.pick("escape", [None, None, "key", None, None, "outer"])
        if escape and self.escapable and (escape == "key" or not string):
            text = self.escaped_key(text)
        assert json.loads(text) == body
        if string:
            inner = text
            text = json.dumps(text, ensure_ascii=self.pick("outer ascii", [False, True]))
            if escape == "outer" and self.escapable:
                name = self.escapable[0]
                text = text.replace('\\"%s\\"' % name, '\\"\\u%04x%s\\"' % (ord(name[0]), name[1:]))
            assert json.loads(text) == inner
        return text

    def padded(self, body):
        """With text before the use, often not ASCII."""
        pad = self.pick("padding", [None] + UNICODE + [None, "plain"])
        if pad is None or body is ABSENT:
            return body
        if isinstance(body, list):
            return [pad] + body
        if isinstance(body, dict) and "note" not in body:
            padded = {"note": pad}
            padded.update(body)
            return padded
        return body

    def line(self, operation, request=ABSENT, response=ABSENT, url=None, headers=None, pad=True, inside=False):
        method, template = operation.split(" ")
        url = url or self.url(template)
        sides = {}
        for side, body in (("request", request), ("response", response)):
            if body is ABSENT:
                bodies = [ABSENT, None, {"ok": True}] if side == "response" else [ABSENT, {"query": "plan"}, ABSENT]
                body = self.pick("empty " + side, bodies)
            elif pad:
                body = self.padded(body)
            parts = []
            if side == "request":
                shown = {"Authorization": "Bearer made-up"} if self.pick("authorized", [0, 0, 0, 1]) else {}
                shown.update(headers or {})
                parts.append(("headers", json.dumps(shown, separators=(",", ":"))))
            else:
                parts.append(("status", self.pick("status", ["200", "200", "200", "400"])))
                parts.append(("headers", json.dumps(headers or {}, separators=(",", ":"))))
            if body is not ABSENT:
                string = body is not None and self.pick("string", [True, False])
                parts.append(("body", self.body_text(body, string)))
            sides[side] = "{%s}" % ",".join('"%s":%s' % part for part in parts)
        url_text = json.dumps(url, ensure_ascii=False)
        if self.pick("escaped slashes", [0, 0, 0, 0, 0, 0, 1]):
            url_text = url_text.replace("/", "\\/")
        method = self.pick("method", [method, method, method.lower(), method, method.capitalize()])
        members = {
            "method": '"method":"%s"' % method,
            "url": '"url":%s' % url_text,
            "request": '"request":%s' % sides["request"],
            "response": '"response":%s' % sides["response"],
        }
        order = self.pick(
            "order",
            [
                "method url request response",
                "method url response request",
                "method url request response",
                "url method request response",
                "request response method url",
                "response url method request",
            ],
        )
        line = "{%s}" % ",".join(members[name] for name in order.split())
        json.loads(line)
        self.lines.append(line)
        if inside:
            self.inside.add(len(self.lines))

    def on(self, operation, side, body, **more):
        self.line(operation, **{side: body}, **more)


# ---------------------------------------------------------------------------------------------------------------------
# The generator: uses of a field
# ---------------------------------------------------------------------------------------------------------------------


def merged(first, second):
    if isinstance(first, dict) and isinstance(second, dict) and not set(first) & set(second):
        both = dict(first)
        both.update(second)
        return both
    return second


def always_inside(rule, operation, side, names):
    """Is the parent itself a use of another rule, at any place?"""
    for other in RULES:
        for name in names[:-1]:
            if (operation, side, "$.." + name) in other.places:
                return True
    return False


def parents_for(writer, path, side):
    """What to put around the part after '$..', deeper than the root."""
    first = names_of(path)[0]
    if first in REALISTIC:
        pool = REALISTIC[first]
    else:
        pool = []
    if first not in GOVERNANCE:
        pool = pool + PARENTS[side]
    # one in four is difficult
    if writer.pick("awkward?", [0, 0, 0, 1]):
        return writer.pick("awkward", AWKWARD)
    return writer.pick("parents %s %s" % (first, side), pool) if pool else writer.pick("awkward", AWKWARD)


def use_body(writer, path, side, form):
    names = names_of(path)
    direct = writer.body(names)
    if form == "direct" or not steps_of(path)[0][1]:
        return direct
    deep = writer.body(parents_for(writer, path, side) + names)
    return deep if form == "deep" else merged(direct, deep)


def nested_uses(rule):
    """(operation, side, body): the rule's field around other deprecated fields, or inside one."""
    snippet = {"snippets": [{"text": "x"}, {"snippet": "old"}]}
    documents = {"relatedDocuments": [{"documents": [dict(snippet, id="d1")]}]}
    person = {"name": "Ada", "metadata": {"inviteInfo": {"inviteTime": "2026-01-01T00:00:00Z", "inviter": {"name": "Bo"}}}}
    policies = [op for op in OPERATIONS if "/governance/data/policies" in op]
    written = [op for op in policies if op.startswith("POST")] + ["POST /rest/api/v1/governance/data/reports"]
    one = "GET /rest/api/v1/governance/data/policies/{id}"
    sharing = {"enabled": True, "threshold": "ANY", "anyoneWithLinkEnabled": False}
    kinds = [{"name": "EMAIL"}, {"name": "IBAN", "likelihoodThreshold": "LIKELY"}]
    if rule.id == "createannouncement-documents":
        yield "POST /rest/api/v1/search", "response", {"results": [documents, {"relatedResults": [{"documents": [documents]}]}]}
        yield "POST /rest/api/v1/createannouncement", "request", {"documents": [{"documents": [], "answer": {"boardId": 1}}]}
        yield "POST /rest/api/v1/people", "response", {"people": [dict(person, **documents)]}
    elif rule.id == "createannouncement-snippet":
        # once inside a deprecated field, once not
        yield "POST /rest/api/v1/search", "response", {"results": [documents, snippet]}
    elif rule.id == "invite-info-inviter":
        inner = {"inviteInfo": {"inviter": dict(person, **documents), "reminderTime": None}}
        yield "POST /rest/api/v1/people", "response", {"people": [{"id": "p0"}, {"metadata": inner}]}
        yield "POST /rest/api/v1/createanswer", "request", {"data": {"author": {"metadata": inner}}}
    elif rule.id in ("createannouncement-invite-time", "createannouncement-reminder-time"):
        inner = {"inviter": {"metadata": {"inviteInfo": {rule.field: "x"}}}, rule.field: "2026-01-01T00:00:00Z"}
        yield "POST /rest/api/v1/people", "response", {"people": [{"metadata": {"inviteInfo": inner}}]}
    elif rule.id == "createannouncement-reactions":
        actor = {"reactors": [{"user": person}, {"user": {"interactions": {"reactions": []}}}]}
        yield "POST /rest/api/v1/search", "response", {"results": [{"document": {"interactions": {"reactions": [actor]}}}]}
        yield "POST /rest/api/v1/editanswer", "request", {"interactions": {"reactions": [actor], "reacts": [{}]}}
    elif rule.id == "createannouncement-role":
        yield "POST /rest/api/v1/search", "response", {"viewerInfo": {"role": {"viewerInfo": {"role": "OWNER"}}}}
    elif rule.id == "createannouncement-board-id":
        yield "POST /rest/api/v1/editanswer", "request", {"boardId": {"answer": {"boardId": 3}}, "answer": {"boardId": 4}}
    elif rule.id == "createannouncement-is-negated":
        yield "POST /rest/api/v1/search", "request", {"facetFilters": [{"values": [{"isNegated": {"values": [{"isNegated": 1}]}}]}]}
    elif rule.id == "chat-citations":
        source = {"sourceDocument": {"metadata": {"author": dict(person, **documents)}}, "trackingToken": "tt"}
        yield "POST /rest/api/v1/chat", "request", {"messages": [{"author": "USER"}, {"citations": [source]}]}
        yield "POST /rest/api/v1/chat", "response", {"messages": [{"citations": [source]}, {"citations": [{"citations": []}]}]}
        yield "POST /rest/api/v1/getchat", "response", {"chatResult": {"chat": {"messages": [{"citations": [source]}]}}}
    elif rule.id in ("getanswer-tracking-token", "insights-search-session-satisfaction", "getcollection-tracking-token"):
        # a warning around errors: the errors are findings of their own, with the elements inside them
        names = names_of(rule.places[0][2])
        yield rule.announced, "response", build(names, dict(documents, answer={"boardId": 1, "trackingToken": "x"}))
        yield rule.announced, "response", merged({"answer": {"boardId": 2}}, build(names, [{"values": [{"isNegated": False}]}]))
    elif rule.id == "insights-glean-assist":
        yield "POST /rest/api/v1/insights", "response", {"gleanAssist": dict(documents, searchSessionSatisfaction=1)}
    elif rule.id == "policy-external-sharing-options":
        for op in written:
            yield op, "request", {"config": {"externalSharingOptions": sharing, "broadSharingOptions": sharing}}
        yield one, "response", {"config": {"broadSharingOptions": sharing, "externalSharingOptions": sharing}}
        yield one, "request", {"x": [{"externalSharingOptions": {"externalSharingOptions": sharing}}]}
    elif rule.id in ("policy-enabled", "policy-anyone-with-link-enabled"):
        for op in written:
            yield op, "request", {"config": {"externalSharingOptions": sharing}, "broadSharingOptions": sharing}
        yield one, "response", {"config": {"broadSharingOptions": {rule.field: {rule.field: 1}}}}
    elif rule.id == "policy-sensitive-info-types":
        for op in written:
            yield op, "request", {"config": {"sensitiveInfoTypes": kinds, "sensitiveContentOptions": {"sensitiveInfoTypes": kinds}}}
        yield one, "response", {"config": {"sensitiveInfoTypes": kinds, "sensitiveContentOptions": {"sensitiveInfoTypes": kinds}}}
    elif rule.id == "policy-content-sensitive-info-types":
        content = {"sensitiveInfoTypes": kinds, "sensitiveTerms": [], "sensitiveRegexes": None}
        for op in written:
            yield op, "request", {"config": {"sensitiveContentOptions": content}}
        # the more specific selector wins over '$..sensitiveInfoTypes' of the other rule
        yield one, "response", {"sensitiveInfoTypes": kinds, "config": {"sensitiveContentOptions": content}}
    elif rule.id == "policy-likelihood-threshold":
        for op in written:
            yield op, "request", {"config": {"sensitiveInfoTypes": kinds}, "extra": {"sensitiveInfoTypes": kinds}}
    elif rule.id == "policy-datasources":
        yield one, "response", {"config": {"inputOptions": {"datasources": [{"datasources": ["x"], "enabled": True}]}}}
    elif rule.id in ("policy-sensitive-terms", "policy-sensitive-regexes"):
        yield one, "response", {"config": {"sensitiveContentOptions": {rule.field: [{"enabled": True}], "sensitiveInfoTypes": kinds}}}


def field_uses(rule, writer):
    turn = 0
    done = set()
    for operation, side, path in rule.places:
        if (operation, side, path) in done:
            continue
        turn += 1
        inside = always_inside(rule, operation, side, names_of(path))
        form = ["direct", "deep", "deep", "direct", "both"][turn % 5]
        other = SIDES[1 - SIDES.index(side)]
        body = use_body(writer, path, side, form)
        if turn % 4 == 0 and (operation, other, path) in rule.places and (operation, other, path) not in done:
            # both sides in one exchange
            writer.line(operation, **{side: body, other: use_body(writer, path, other, "deep")}, inside=inside)
            done.add((operation, other, path))
        else:
            writer.on(operation, side, body, inside=inside)
        done.add((operation, side, path))
    # any depth, in the announced operation
    own = [p for p in rule.places if not always_inside(rule, p[0], p[1], names_of(p[2]))]
    anywhere = [p for p in own if p[2] == "$.." + rule.field]
    for operation, side, path in anywhere:
        for form in ("direct", "deep", "deep"):
            writer.on(operation, side, use_body(writer, path, side, form))
        writer.on(operation, side, {"items": [[{"deeper": writer.body(["x", "*", rule.field])}]]})
    for operation, side, body in nested_uses(rule):
        writer.on(operation, side, body)
    # among decoys: in an opaque map, as a value, in text, and at last the use
    decoys = own[:: max(1, len(own) // 4)][:4]
    for operation, side, path in decoys:
        names = names_of(path)
        hidden = writer.body(names)
        body = {
            writer.pick("opaque", ["customData", "parameters", "rawResponse", "input"]): {"nested": [hidden], "hidden": hidden},
            "value": rule.field,
            "text": json.dumps(hidden),
        }
        body.update(writer.body(names))
        writer.on(operation, side, body)
    # few places: more of the same, so that each shape of URL and body comes up
    turn = 0
    while len(writer.lines) < 16:
        operation, side, path = own[turn % len(own)]
        writer.on(operation, side, use_body(writer, path, side, ["direct", "deep", "both"][turn % 3]))
        turn += 1
    # every path with '..' occurs at the root and deeper
    for path in sorted({path for _, _, path in own if steps_of(path)[0][1]}):
        forms = {used[3] for line in writer.lines for used in places_used(rule, line) if used[2] == path}
        for form in {"direct", "deep"} - forms:
            operation, side, _ = next(p for p in own if p[2] == path)
            writer.on(operation, side, use_body(writer, path, side, form))


# ---------------------------------------------------------------------------------------------------------------------
# The generator: look-alikes of a field
# ---------------------------------------------------------------------------------------------------------------------

ENDPOINTS = {rule.announced for rule in RULES if rule.field is None}


def anywhere_in(field, operation, side):
    return any((operation, side, "$.." + field) in rule.places for rule in RULES)


def spread(items, count):
    items = list(items)
    if len(items) <= count:
        return items
    return [items[i * len(items) // count] for i in range(count)]


def field_lookalikes(rule, writer):
    field = rule.field
    operations = sorted({op for op, _, _ in rule.places})
    paths = sorted({(side, path) for _, side, path in rule.places if path not in ("$." + field, "$.." + field)})
    if not paths:
        paths = sorted({(side, path) for _, side, path in rule.places})

    # 1. the valid look-alikes that the facts list
    for method, where, side, path in lookalikes_of(rule.element):
        body = writer.body(names_of(path))
        line = len(writer.lines)
        if "#" in where:
            writer.on(method + " " + where, side, body, url="https://api.example.com" + where)
        else:
            writer.on(method + " " + where, side, body)
        exchange = read_line(writer.lines[line])
        assert select(path, read_body(exchange.get(side))), "the look-alike is there"

    # 2. in the rule's operations, under a wrong parent
    quiet = [p for p in rule.places if not anywhere_in(field, p[0], p[1]) and p[0] not in ENDPOINTS]
    quiet = quiet or [p for p in rule.places if not anywhere_in(field, p[0], p[1])]
    quiet = [p for p in quiet if not always_inside(rule, p[0], p[1], names_of(p[2]))]
    quiet = [p for p in quiet if p[2] != "$." + field or len(quiet) == 1 or rule.id == "createannouncement-board-id"]
    wrong = []
    for operation, side, path in spread(quiet, 6):
        names = names_of(path)
        at_root = any(p[:2] == (operation, side) and p[2] == "$." + field for p in rule.places)
        wrong.append((operation, side, ["details", field]))
        wrong.append((operation, side, ["items", "*", field]))
        if not at_root:
            wrong.append((operation, side, [field]))
        if len(names) > 1:
            wrong.append((operation, side, names[:-1] + ["extra", field]))
            wrong.append((operation, side, names[:-1] + ["*", field]))
            if names[-2] == "*":
                wrong.append((operation, side, names[:-2] + [field]))
                wrong.append((operation, side, names[:-3] + [names[-3].capitalize(), "*", field]))
            else:
                wrong.append((operation, side, names[:-2] + [names[-2].upper(), field]))
        if not steps_of(path)[0][1]:
            wrong.append((operation, side, ["data"] + names))
            wrong.append((operation, side, ["*"] + names))
    for operation, side, names in spread(dedupe(wrong), 18):
        writer.on(operation, side, writer.body(names))

    # 3. on the wrong side
    covered = {(op, side) for op, side, _ in rule.places}
    one_sided = [(op, s) for op in operations for s in SIDES if (op, s) not in covered]
    one_sided = [p for p in one_sided if not anywhere_in(field, *p)]
    for operation, side in spread(one_sided, 6):
        writer.on(operation, side, writer.body(names_of(writer.pick("path", paths)[1])))

    # 4. in operations of the table that are not this rule's, and in others
    others = [op for op in OPERATIONS if op not in operations and op not in ENDPOINTS]
    others = [op for op in others if not any(r.field == field and op in {p[0] for p in r.places} for r in RULES)]
    unknown = ["POST /rest/api/v1/peoplesuggest", "GET /rest/api/v1/tools/list", "POST /rest/api/v1/uploadchatfiles"]
    for operation in spread(others, 5) + unknown:
        names = names_of(writer.pick("path", paths)[1])
        side = writer.pick("side", SIDES)
        writer.on(operation, side, writer.body(writer.pick("around", [[], ["results", "*"], ["data"]]) + names))

    # 5. in siblings of its operations
    for operation in spread(operations, 3):
        method, path = operation.split(" ")
        last = path.split("/")[-1]
        last = last if last.isalpha() else "policies"
        more = "/history/all" if path.endswith("/policies") else "/history"
        siblings = [
            (method, path + more),
            (writer.pick("other method", ["PUT", "DELETE", "PATCH"]), path),
            (method, path.replace("/v1/", "/v2/")),
            (method, "/api/" + last),
            (method, "/api/index/v1/" + last if path.startswith("/rest/") else "/rest/api/v1/" + last),
            (method, "/rest/api/v1/%ss" % last),
        ]
        for other, sibling in siblings:
            side, names = writer.pick("path", paths)
            writer.on(other + " " + sibling, side, writer.body(names_of(names)))

    # 6. inside opaque maps, in places that would otherwise match
    opaque = [["customData"], ["parameters", "x"], ["rawResponse", "*"], ["data", "customData"], ["input"], ["input", "*"]]
    opaque += [["results", "*", "parameters"], ["a", "*", "rawResponse", "b"]]
    real = [p for p in rule.places if p[0] not in ENDPOINTS and not always_inside(rule, p[0], p[1], names_of(p[2]))]
    deep = [p for p in real if steps_of(p[2])[0][1]] or real
    for i, around in enumerate(opaque):
        operation, side, path = spread(deep, len(opaque))[i % min(len(deep), len(opaque))]
        writer.on(operation, side, writer.body(around + names_of(path)))

    # 7. the name outside of a key, or almost the name; the announced operation first, where any depth can match
    announced = [p for p in real if p[0] == rule.announced]
    targets = spread(announced, 4) + spread([p for p in real if p[0] != rule.announced], 4)

    def target():
        operation, side, path = writer.pick("target", targets)
        return operation, side, names_of(path)

    def around(names, inner):
        """`inner` in place of the field's object"""
        return build(names[:-1], inner, writer.index()) if names[:-1] else inner

    flipped = field[0].upper() + field[1:]
    almost = [flipped, field.upper(), field + "s", field + "2", "x" + field, "_" + field, field + " ", " " + field]
    almost += [field[:-1], "%s.x" % field, "$." + field, field + "\u0000", field.replace("a", "\u0430", 1) + "\u200b"]
    almost += [field[:1] + "\\u%04x" % ord(field[1]) + field[2:]]  # a backslash in the name, not an escape
    live = {r.field for r in RULES}
    for name in almost:
        operation, side, names = target()
        assert name not in live
        writer.on(operation, side, around(names, {name: writer.leaf(field)}))
    for _ in range(2):
        operation, side, names = target()
        writer.on(operation, side, around(names, {"name": field, "key": [field], field + "Kind": field}))
        operation, side, names = target()
        writer.on(operation, side, {"fields": [field, ".".join(n for n in names if n != "*"), {"is": field}]})
        operation, side, names = target()
        writer.on(operation, side, {".".join(n for n in names if n != "*") + ".": 1, "/".join(names) + "/": 2})
        operation, side, names = target()
        writer.on(operation, side, around(names, {"text": json.dumps(writer.body(names)), "n": '{"%s":1}' % field}))
        operation, side, names = target()
        writer.on(operation, side, {"query": '","%s":1,"' % field, "more": '\\"%s\\":' % field, "end": field + '"'})
        operation, side, names = target()
        writer.on(operation, side, [field, [field, ":", 1], '"%s":' % field], pad=False)

    # 8. only in headers, query string, fragment
    for _ in range(2):
        operation, side, names = target()
        method, path = operation.split(" ")
        path = re.sub(r"\{\w+\}", "42", path)
        text = urllib.parse.quote(json.dumps(build(names, 1)), safe="")
        base = "https://api.example.com" + path
        writer.line(operation, url=base, headers={field: "1", "X-" + field: field})
        writer.line(operation, url="%s?%s=1&fields=%s" % (base, field, ".".join(n for n in names if n != "*")))
        writer.line(operation, url="%s?body=%s" % (base, text))
        writer.line(operation, url="%s#/%s" % (path, "/".join(n for n in names if n != "*")), headers={"x-fields": field})

    # 9. findings of other rules only
    if rule.id == "policy-content-sensitive-info-types":
        for operation, side in [
            ("GET /rest/api/v1/governance/data/policies/{id}", "response"),
            ("POST /rest/api/v1/governance/data/policies", "request"),
        ]:
            writer.on(operation, side, {"config": {field: [{"name": "EMAIL"}], "contentOptions": {}}})


def dedupe(items):
    kept = []
    for item in items:
        if item not in kept:
            kept.append(item)
    return kept


# ---------------------------------------------------------------------------------------------------------------------
# The generator: endpoints
# ---------------------------------------------------------------------------------------------------------------------


def endpoint_uses(rule, writer):
    samples = {
        "listanswers-endpoint": (
            {"boardId": 7, "pageSize": 10},
            {"answerResults": [{"answer": {"id": 1}}, {"trackingToken": "tt-made-up", "answer": {"boardId": 3}}]},
        ),
        "bulkindexemployees-endpoint": (
            {"uploadId": "u1", "employees": [{"email": "ada@example.com"}, {"email": "bo@example.com", "location": "Oslo"}]},
            {"status": "accepted"},
        ),
    }
    request, response = samples.get(rule.id, ({"datasource": "wiki", "objectType": "Article"}, {"count": 12, "status": "OK"}))
    for _ in range(6):
        writer.line(rule.announced, request=request)
        writer.line(rule.announced)
        writer.line(rule.announced, request=request, response=response)
    path = rule.announced.split(" ")[1]
    writer.line(rule.announced, request="", response=None)
    writer.line(rule.announced, request=[request], response=[])
    writer.line(rule.announced, url="HTTPS://API.EXAMPLE.COM:443%s?a=/other/path&b=%%2F#frag/ment?x" % path)
    writer.line(rule.announced, url="{{scheme}}://{{host}}%s" % path, request={"customData": request})
    writer.line(rule.announced, url="/tenants/42%s/" % path)


def endpoint_lookalikes(rule, writer):
    method, path = rule.announced.split(" ")
    prefix, name = path.rsplit("/", 1)
    other_prefix = "/rest/api/v1" if prefix.startswith("/api/index") else "/api/index/v1"
    body = {"datasource": "wiki", "pageSize": 10}
    for other in ("GET", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"):
        writer.line("%s %s" % (other, path), request=body)
    paths = [
        path + "/42",
        path + "/export/all",
        path + "/{id}",
        "/" + name,
        "/v1/" + name,
        prefix.replace("/v1", "") + "/" + name,
        prefix,
        prefix + "/" + name[:-1],
        prefix + "/" + name + "v2",
        prefix + "/x" + name,
        prefix + "/" + name + "-beta",
        prefix + "/" + name[:4] + "/" + name[4:],
        prefix.replace("v1", "v2") + "/" + name,
        prefix.replace("/v1", "/v1/beta") + "/" + name,
        other_prefix + "/" + name,
        "/api/" + name,
    ]
    for other in paths:
        writer.line("POST " + other, request=body, response={"ok": True})
        if paths.index(other) % 3 == 0:
            writer.line("POST " + other)
    relatives = {
        "listanswers": ["listcollections", "getanswer", "listpins"],
        "getdocumentstatus": ["debug/{datasource}/status", "debug/{datasource}/document", "getdocumentstatuses"],
        "getdocumentcount": ["debug/{datasource}/status", "getdocumentscount", "documentcount"],
        "getusercount": ["debug/{datasource}/user", "getusercounts", "getgroupcount"],
        "bulkindexemployees": ["bulkindexteams", "indexemployee", "bulkindexusers"],
    }
    for relative in relatives[name]:
        writer.line("POST %s/%s" % (prefix, relative), request=body)
    # the name elsewhere: in a body, a header, a query string, a fragment
    quiet = "POST /rest/api/v1/search"
    url = "https://api.example.com/rest/api/v1/search"
    writer.line(quiet, request={"query": rule.announced, name: path, "url": "https://api.example.com" + path})
    writer.line(quiet, response={"results": [{"url": path, "method": "POST"}, path]})
    writer.line(quiet, request={"requests": [{"method": "POST", "url": path, "request": {"body": body}}]})
    writer.line(quiet, request={"query": json.dumps({"method": "POST", "url": path})})
    writer.line(quiet, url="%s?next=%s" % (url, path))
    writer.line(quiet, url="%s?next=https%%3A%%2F%%2Fapi.example.com%s" % (url, path.replace("/", "%2F")))
    writer.line(quiet, url="%s#%s" % (url, path))
    writer.line(quiet, url="/rest/api/v1/search/?op=%s#POST%%20%s" % (name, path))
    writer.line(quiet, url=url, headers={"Referer": "https://api.example.com" + path, "X-Original-Url": path})


# ---------------------------------------------------------------------------------------------------------------------
# Files
# ---------------------------------------------------------------------------------------------------------------------


def fail(message):
    sys.exit("rule-corpus: " + message)


def expected(lines):
    """The text of the expectation file, and its findings by line."""
    per_line = []
    for line in lines:
        findings = find(line)
        if findings != find(line, star_takes_members=True):
            fail("this line depends on whether [*] takes the members of an object: " + line)
        per_line.append(findings)
    rows = [
        json.dumps(dict([("line", number)] + list(finding.items())), ensure_ascii=False)
        for number, findings in enumerate(per_line, 1)
        for finding in findings
    ]
    inner = "[\n    " + ",\n    ".join(rows) + "\n  ]" if rows else "[]"
    text = '{\n  "as_of": "%s",\n  "findings": %s\n}\n' % (AS_OF, inner)
    assert len(json.loads(text)["findings"]) == len(rows)
    return text, per_line


def mentions(rule, finding):
    return finding["rule"] == rule.id or any(related["rule"] == rule.id for related in finding["related"])


def make(rule):
    """The four files of a rule, and a line of statistics."""
    names = sorted({name for _, _, path in rule.places if path for name in names_of(path) if name != "*"})
    escapable = [rule.field] + [name for name in names if name != rule.field] if rule.field else []
    uses = Writer(rule.id + " uses", escapable)
    lookalikes = Writer(rule.id + " look-alikes", escapable)
    if rule.field:
        field_uses(rule, uses)
        field_lookalikes(rule, lookalikes)
    else:
        endpoint_uses(rule, uses)
        endpoint_lookalikes(rule, lookalikes)

    uses_text, uses_found = expected(uses.lines)
    covered = set()
    for number, (line, findings) in enumerate(zip(uses.lines, uses_found), 1):
        own = any(finding["rule"] == rule.id for finding in findings)
        if number in uses.inside:
            own = any(mentions(rule, finding) for finding in findings)
        if not own:
            fail("%s: use in line %d is not found: %s" % (rule.id, number, line))
        covered |= places_used(rule, line)
    for place in rule.places:
        if place not in {used[:3] for used in covered}:
            fail("%s: no use of %s" % (rule.id, place))
    for path in {path for _, _, path in rule.places if path and steps_of(path)[0][1]}:
        if {used[3] for used in covered if used[2] == path} != {"direct", "deep"}:
            fail("%s: %s should occur both at the root and deeper" % (rule.id, path))

    lookalikes_text, lookalikes_found = expected(lookalikes.lines)
    for number, (line, findings) in enumerate(zip(lookalikes.lines, lookalikes_found), 1):
        if any(mentions(rule, finding) for finding in findings):
            fail("%s: look-alike in line %d is found: %s" % (rule.id, number, line))

    files = {
        "%s/uses.ndjson" % rule.id: "".join(line + "\n" for line in uses.lines),
        "%s/uses.expected.json" % rule.id: uses_text,
        "%s/lookalikes.ndjson" % rule.id: "".join(line + "\n" for line in lookalikes.lines),
        "%s/lookalikes.expected.json" % rule.id: lookalikes_text,
    }
    mine = sum(1 for findings in uses_found for finding in findings if finding["rule"] == rule.id)
    related = sum(1 for fs in uses_found for f in fs for r in f["related"] if r["rule"] == rule.id)
    row = (
        rule.id,
        len(rule.places),
        len(uses.lines),
        mine,
        related,
        sum(map(len, uses_found)),
        len(lookalikes.lines),
        sum(map(len, lookalikes_found)),
        sum(len(text.encode("utf-8")) for text in files.values()),
    )
    return files, row


def main():
    parser = argparse.ArgumentParser(description="Makes testdata/rules, the corpus of uses and look-alikes of each rule.")
    parser.add_argument("--check", action="store_true", help="compare the files instead of writing them")
    parser.add_argument("--table", action="store_true", help="also print how many lines and findings each rule has")
    arguments = parser.parse_args()
    files, rows = {}, []
    for rule in RULES:
        made, row = make(rule)
        files.update(made)
        rows.append(row)
    if arguments.table:
        head = ("rule", "places", "uses", "own", "related", "all", "look-alikes", "found", "bytes")
        for row in [head] + rows:
            print("%-38s %6s %6s %6s %8s %6s %12s %6s %8s" % row)
    if arguments.check:
        present = {p.relative_to(OUT).as_posix() for p in OUT.glob("*/*") if p.is_file()}
        different = sorted(present - set(files))
        for name, text in sorted(files.items()):
            if name not in present or (OUT / name).read_bytes() != text.encode("utf-8"):
                different.append(name)
        for name in different:
            print("differs: testdata/rules/" + name)
        return 1 if different else 0
    for name, text in files.items():
        target = OUT / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode("utf-8"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
