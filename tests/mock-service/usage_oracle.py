#!/usr/bin/env python3
"""Compares `sundown usage` with an oracle, on the recorded captures and on a generated log of 30 days with 50 callers.

The oracle knows the facts about the service (through expected.py) and what the generator planted. It reads captures with
the standard library, compares every node of every body with every place, and counts. Then the same calls are written in
five formats, split, shuffled, rotated and compressed: the table must stay the same.

Usage: usage_oracle.py PROGRAM FOLDER      FOLDER is empty or does not exist
"""

import gzip
import json
import random
import re
import shutil
import subprocess
import sys
from collections import Counter
from datetime import date, datetime, timedelta, timezone
from email.utils import format_datetime, parsedate_to_datetime
from pathlib import Path
from typing import NamedTuple, Optional

import expected
from expected import AS_OF, ROOT

CAPTURES = ROOT / "testdata" / "captures"
QUIET_DAYS = 30
# With calls on so many successive days, the counts over time are by hour.
HOURLY_DAYS = 3
SIDES = ("request", "response")
COUNTS = ("calls", "readable", "without_body", "not_json", "unreadable", "undated", "calls_with_use", "uses")


class Body(NamedTuple):
    reading: str  # "read", "absent", "not_json" or "unreadable"
    values: list


class Call(NamedTuple):
    method: str
    url: str
    time: Optional[datetime]
    agent: Optional[str]
    bodies: dict


# ---- captures ----


def body_of(text):
    if not text:
        return Body("absent", [])
    values = expected.values_of(text)
    return Body("read", values) if values else Body("not_json", [])


def plain_value(value):
    return Body("read", [value])


def agent_of(headers):
    """`headers` are pairs. Of a user agent, only the products are shown."""
    values = [value for name, value in headers if name.lower() == "user-agent"]
    return products(values[0]) if values else None


def products(agent):
    found, rest = [], agent.strip()
    while rest:
        if rest.startswith("("):
            rest = without_comment(rest).lstrip()
            continue
        token = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
        product = re.match(rf"{token}(/{token})?(?=[ (]|$)", rest)
        if not product:
            break
        found.append(product[0])
        rest = rest[product.end() :].lstrip()
    return " ".join(found) or None


def without_comment(text):
    depth = 0
    for at, letter in enumerate(text):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth == 0:
            return text[at + 1 :]
    return ""


def time_of(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(timezone.utc)


def har_calls(path):
    for entry in json.loads(path.read_text("utf-8"))["log"]["entries"]:
        request, response = entry["request"], entry["response"]
        halves = {"request": request.get("postData", {}), "response": response.get("content", {})}
        bodies = {}
        for side, half in halves.items():
            values = expected.har_body(side, half).values
            # A recorder that omits bodies notes their sizes.
            size = request["bodySize"] if side == "request" else half.get("size", 0)
            other = "not_json" if half.get("text") else "unreadable" if size > 0 else "absent"
            bodies[side] = Body("read", values) if values else Body(other, [])
        headers = [(header["name"], header["value"]) for header in request["headers"]]
        yield Call(request["method"], request["url"], time_of(entry["startedDateTime"]), agent_of(headers), bodies)


def pino_calls(path):
    for line in expected.lines_of(path.read_text("utf-8")):
        entry = json.loads(line)
        request, response = entry["req"], entry["res"]
        bodies = {
            "request": plain_value(request["body"]) if "body" in request else Body("absent", []),
            "response": body_of(response.get("body")),
        }
        time = datetime.fromtimestamp(entry["time"] / 1000, timezone.utc)
        yield Call(request["method"], request["url"], time, agent_of(request["headers"].items()), bodies)


def cassette_calls(path):
    text = path.read_text("utf-8")
    cassette = json.loads(text) if path.suffix == ".json" else expected.load_yaml(text)
    for interaction in cassette.get("http_interactions") or cassette["interactions"]:
        request = interaction["request"]
        headers = [
            (name, value[0] if isinstance(value, list) else value) for name, value in request["headers"].items()
        ]
        bodies = {}
        for side in SIDES:
            values = expected.cassette_body(side, interaction[side]["body"]).values
            bodies[side] = Body("read", values) if values else Body("absent", [])
        at = interaction.get("recorded_at")
        time = at if at is None or isinstance(at, datetime) else recorded_time(at)
        url = request.get("uri") or request["url"]
        yield Call(request["method"].upper(), url, time, agent_of(headers), bodies)


def recorded_time(text):
    return time_of(text) if text[:1].isdigit() else parsedate_to_datetime(text)


# ---- the table ----


class Rules:
    def __init__(self):
        self.places, self.opaque = expected.load_rules()
        self.elements = {(place.rule, place.operation, place.side) for place in self.places}
        self.of_operation = {}
        for rule, operation, side in self.elements:
            self.of_operation.setdefault(operation, []).append((rule, side))

    def uses(self, operation, side, values):
        here = [p for p in self.places if p.operation == operation and p.side == side]
        return [use for value in values for use in expected.uses_in(value, here, self.opaque)]


class Element:
    def __init__(self):
        self.counts = Counter()
        self.days = {}
        self.hours = {}
        self.times = []
        self.callers = {}
        # Whether a call that is left out, because it may be of another time, has a use.
        self.is_left_out = False

    def add(self, call, reading, uses):
        self.counts["calls"] += 1
        self.counts[{"read": "readable", "absent": "without_body"}.get(reading, reading)] += 1
        if reading == "read":
            self.counts["undated"] += call.time is None
            if call.time:
                self.days.setdefault(call.time.date(), [0, 0])[0] += 1
                self.hours.setdefault(hour_of(call.time), [0, 0])[0] += 1
        if uses:
            self.counts.update(calls_with_use=1, uses=uses)
            caller = self.callers.setdefault(call.agent, {"calls_with_use": 0, "uses": 0, "times": []})
            caller["calls_with_use"] += 1
            caller["uses"] += uses
            if call.time:
                self.days.setdefault(call.time.date(), [0, 0])[1] += 1
                self.hours.setdefault(hour_of(call.time), [0, 0])[1] += 1
                self.times.append(call.time)
                caller["times"].append(call.time)

    def verdict(self, side, quiet_days):
        counts = self.counts
        if counts["calls_with_use"]:
            return "still-sent" if side == "response" else "in-use"
        readable_days = sum(read > 0 for read, _ in self.days.values())
        is_hidden = counts["unreadable"] or self.is_left_out
        if counts["readable"] == 0 or is_hidden or readable_days < quiet_days:
            return "cannot-tell"
        return "not-sent" if side == "response" else "not-seen"

    def row(self, side, quiet_days):
        row = {name: self.counts[name] for name in COUNTS}
        row["first_use"], row["last_use"] = period(self.times)
        row["readable_days"] = sum(read > 0 for read, _ in self.days.values())
        row["days"] = [(str(day), *counts) for day, counts in sorted(self.days.items())]
        row["hours"] = [(hour, *counts) for hour, counts in sorted(self.hours.items())]
        row["callers"] = {
            name: (caller["calls_with_use"], caller["uses"], *period(caller["times"]))
            for name, caller in self.callers.items()
        }
        row["verdict"] = self.verdict(side, quiet_days)
        return row


def period(times):
    if not times:
        return None, None
    return tuple(time.strftime("%Y-%m-%dT%H:%M:%SZ") for time in (min(times), max(times)))


def hour_of(time):
    return time.strftime("%Y-%m-%dT%H:00:00Z")


def table(calls, rules, quiet_days=QUIET_DAYS, left_out=()):
    """The expected rows by element, and the totals. `left_out` are calls that may be of the period."""
    elements = {id: Element() for id in rules.elements}
    counted, unknown = [], 0
    for call in calls:
        operation = expected.operation_of(call.method, call.url, rules.places)
        if operation is None:
            unknown += 1
            continue
        counted.append(call)
        uses = {side: Counter(u.rule for u in rules.uses(operation, side, call.bodies[side].values)) for side in SIDES}
        for rule, side in rules.of_operation[operation]:
            reading = "read" if side == "operation" else call.bodies[side].reading
            found = 1 if side == "operation" else uses[side][rule]
            elements[rule, operation, side].add(call, reading, found)
    for call in left_out:
        operation = expected.operation_of(call.method, call.url, rules.places)
        for side in SIDES:
            for use in rules.uses(operation, side, call.bodies[side].values):
                elements[use.rule, operation, side].is_left_out = True
    times = [call.time for call in counted if call.time]
    totals = {
        "count": len(counted),
        "undated": sum(call.time is None for call in counted),
        "days": len({time.date() for time in times}),
        "period": period(times),
        "no_rule": unknown,
    }
    rows = {id: element.row(id[2], quiet_days) for id, element in elements.items()}
    days = [time.date() for time in times]
    if days and (max(days) - min(days)).days >= HOURLY_DAYS:
        for row in rows.values():
            row["hours"] = None
    return rows, totals


# ---- the program ----


def reported(program, paths, *options):
    command = [program, "usage", *map(str, paths), "--format", "json", "--all", "--as-of", AS_OF, "--by", "user-agent", *options]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if ran.returncode:
        raise expected.Disagreement(f"{command}: {ran.returncode}\n{ran.stderr}{ran.stdout[-2000:]}")
    return json.loads(ran.stdout)


def row_of(element):
    row = {name: element[name] for name in (*COUNTS, "first_use", "last_use", "readable_days", "verdict")}
    row["days"] = [(day["day"], day["readable"], day["calls_with_use"]) for day in element["days"]]
    hours = element.get("hours")
    row["hours"] = hours and [(hour["hour"], hour["readable"], hour["calls_with_use"]) for hour in hours]
    row["callers"] = {
        caller["values"][0].get("value"): tuple(
            caller[name] for name in ("calls_with_use", "uses", "first_use", "last_use")
        )
        for caller in element["callers"]
    }
    return row


def compare(name, report, expectation):
    rows, totals = expectation
    found = {(e["rule"], e["operation"], e["side"]): row_of(e) for e in report["elements"]}
    calls = report["calls"]
    found_totals = {name: calls[name] for name in ("count", "undated", "days")}
    found_totals |= {"period": (calls["first"], calls["last"]), "no_rule": report["input"]["no_rule"]}
    differences = [f"{id}: {kind}" for kind, ids in (("missing", rows.keys() - found.keys()), ("extra", found.keys() - rows.keys())) for id in ids]
    for id in rows.keys() & found.keys():
        for field, value in rows[id].items():
            if found[id][field] != value:
                differences.append(f"{id} {field}: expected {value}, found {found[id][field]}")
    if found_totals != totals:
        differences.append(f"totals: expected {totals}, found {found_totals}")
    if differences:
        raise expected.Disagreement(f"{name}:\n  " + "\n  ".join(sorted(differences)[:20]))
    used = sum(row["calls_with_use"] > 0 for row in rows.values())
    print(f"{name}: {totals['count']} calls, {len(rows)} elements, {used} of them used: equal")


# ---- the generator ----

FIRST_DAY = date(2026, 10, 1)
EARLIEST = datetime.min.replace(tzinfo=timezone.utc)
DAYS = 30
CALLERS = 50
CALLS = 6_000
# The share of calls whose time is not recorded, and of bodies that are cut off: those of other calls of one in three operations,
# since they decide verdicts.
UNDATED = 0.02
CUT_OFF = 0.04


class Generator:
    """Writes bodies with planted uses and look-alikes, and remembers what it planted."""

    def __init__(self, seed, rules):
        self.random, self.rules = random.Random(seed), rules
        self.operations = sorted(rules.of_operation)
        self.callers = [self.caller(number) for number in range(CALLERS)]

    def caller(self, number):
        agent = f"caller-{number:02}/{number % 7}.{number % 3}"
        comments = ["", " (Linux; secret-7f3a)", " okhttp/4.12", " (a (nested) comment) lib/1", " not a product@"]
        operations = self.random.sample(self.operations, 6)
        # Some callers stop to use what is deprecated.
        return agent + self.random.choice(comments), operations, self.random.randrange(DAYS)

    def calls(self):
        made = []
        for _ in range(CALLS):
            agent, operations, last_day = self.random.choice(self.callers)
            day = self.random.randrange(DAYS)
            seconds = self.random.randrange(24 * 3600)
            time = datetime.combine(FIRST_DAY, datetime.min.time(), timezone.utc) + timedelta(days=day, seconds=seconds)
            operation = self.random.choice(operations)
            method, path = operation.split(" ")
            path = re.sub(r"\{[^}]*\}", lambda _: f"id{self.random.randrange(99)}", path)
            if self.random.random() < 0.05:
                path = "/rest/api/v1/unknownoperation"
            if self.random.random() < UNDATED:
                time = None
            may_be_cut = time is not None and self.operations.index(operation) % 3 == 0
            bodies = {side: self.body(operation, side, day <= last_day, may_be_cut) for side in SIDES}
            known = products(agent) if self.random.random() > 0.03 else None
            made.append((Call(method, path, time, known, bodies), agent if known else None))
        return made

    def body(self, operation, side, may_use, may_be_cut):
        kind = self.random.random()
        if kind < 0.1:
            return Body("absent", [])
        if kind < 0.15 and side == "response":
            return Body("not_json", [])
        if kind > 1 - CUT_OFF and may_be_cut:
            return Body("unreadable", [])
        places = [p for p in self.rules.places if p.operation == operation and p.side == side]
        while True:
            value = {"id": self.random.randrange(10**6), "note": "isNegated trackingToken documents", "isNegatedd": 1}
            planted = set()
            if may_use and places:
                for place in self.random.sample(places, min(len(places), self.random.choice([0, 0, 1, 1, 2]))):
                    plant(value, place.selector, self.random, planted)
            uses = self.rules.uses(operation, side, [value])
            # A node below another place, or in a free-form map, would be found in another way than it was planted.
            if {use.path for use in uses} == planted:
                return Body("read", [value])


def plant(value, selector, chance, planted):
    """Adds a member where a selector finds it. `..` becomes some levels of other names."""
    node, path = value, []
    steps = list(selector)
    for index, step in enumerate(steps):
        is_last = index + 1 == len(steps)
        if step == "..":
            for level in range(chance.randrange(3)):
                node = node.setdefault(f"level{level}", {})
                path.append(f"level{level}")
        elif step == "[*]":
            continue
        else:
            is_list = not is_last and steps[index + 1] == "[*]"
            is_end = is_last or is_list and index + 2 == len(steps)
            path.append(step)
            if step in node and not isinstance(node[step], list if is_list else dict):
                return
            if is_end:
                node[step] = [1, 2] if is_list else f"planted-{chance.randrange(999)}"
            elif is_list:
                items = node.setdefault(step, [])
                items.append({})
                path.append(len(items) - 1)
                node = items[-1]
            else:
                node = node.setdefault(step, {})
    planted.add(tuple(path))


# ---- the formats ----


def text_of(body):
    if body.reading == "absent":
        return None
    others = {"not_json": "<html>no JSON</html>", "unreadable": '{"id": 7, "note": "cut of'}
    return others.get(body.reading) or json.dumps(body.values[0])


def media_type(body):
    return "text/html" if body.reading == "not_json" else "application/json"


def body_member(body):
    """The body as a member of a record, if there is one."""
    return {} if body.reading == "absent" else {"body": body.values[0] if body.values else text_of(body)}


def headers_of(agent):
    return {"user-agent": agent} if agent else {}


def pino_line(call, agent):
    request = {"method": call.method, "url": call.url, "headers": headers_of(agent), **body_member(call.bodies["request"])}
    response = {"statusCode": 200, "headers": {"content-type": media_type(call.bodies["response"])}}
    if call.bodies["response"].reading != "absent":
        response["body"] = text_of(call.bodies["response"])
    time = {"time": int(call.time.timestamp() * 1000)} if call.time else {}
    return json.dumps({"level": 30, **time, "req": request, "res": response})


def record_line(call, agent):
    zone = timezone(timedelta(hours=5, minutes=30))
    time = {"time": call.time.astimezone(zone).isoformat()} if call.time else {}
    record = {**time, "method": call.method, "url": f"http://api.example{call.url}"}
    record["request"] = {"headers": headers_of(agent), "body": None, **body_member(call.bodies["request"])}
    record["response"] = {"status": 200, "headers": {"content-type": media_type(call.bodies["response"])}}
    if call.bodies["response"].reading != "absent":
        record["response"]["body"] = text_of(call.bodies["response"])
    return json.dumps(record)


def access_line(call, agent):
    time = call.time.astimezone(timezone(timedelta(hours=-7))).strftime("%d/%b/%Y:%H:%M:%S %z")
    return f'10.0.0.1 - - [{time}] "{call.method} {call.url} HTTP/1.1" 200 57 "-" "{agent or "-"}"'


def har_entry(call, agent):
    request = {"method": call.method, "url": f"http://api.example{call.url}", "headers": [], "bodySize": -1}
    request["headers"] = [{"name": name, "value": value} for name, value in headers_of(agent).items()]
    if call.bodies["request"].reading != "absent":
        request["postData"] = {"mimeType": "application/json", "text": text_of(call.bodies["request"])}
    content = {"mimeType": media_type(call.bodies["response"])}
    if call.bodies["response"].reading != "absent":
        content["text"] = text_of(call.bodies["response"])
    response = {"status": 200, "headers": [], "content": content}
    time = {"startedDateTime": call.time.isoformat()} if call.time else {}
    return {**time, "time": 1, "request": request, "response": response}


def interaction(call, agent):
    def half(side):
        return {"encoding": "UTF-8", "string": text_of(call.bodies[side]) or ""}

    headers = {"User-Agent": [agent]} if agent else {}
    request = {"method": call.method.lower(), "uri": f"http://api.example{call.url}", "body": half("request"), "headers": headers}
    response = {"status": {"code": 200, "message": "OK"}, "body": half("response")}
    response["headers"] = {"Content-Type": [media_type(call.bodies["response"])]}
    time = {"recorded_at": format_datetime(call.time, usegmt=True)} if call.time else {}
    return {"request": request, "response": response, **time}


def write_lines(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")


def write_har(path, made):
    archive = {"version": "1.2", "creator": {"name": "generator", "version": "1"}}
    archive["entries"] = [har_entry(*call) for call in made]
    path.write_text(json.dumps({"log": archive}), "utf-8")


def write_cassette(path, made):
    cassette = {"http_interactions": [interaction(*call) for call in made], "recorded_with": "VCR 6.1.0"}
    path.write_text(json.dumps(cassette), "utf-8")


WRITERS = {
    "pino.ndjson": lambda path, made: write_lines(path, [pino_line(*call) for call in made]),
    "records.ndjson": lambda path, made: write_lines(path, [record_line(*call) for call in made]),
    "access.log": lambda path, made: write_lines(path, [access_line(*call) for call in made]),
    "calls.har": write_har,
    "cassette.json": write_cassette,
}


def as_written(call, name):
    """What a format keeps of a call."""
    if name == "access.log":
        return call._replace(bodies={side: Body("absent", []) for side in SIDES})
    if name in ("pino.ndjson", "records.ndjson") or call.bodies["request"].reading != "not_json":
        return call
    raise AssertionError(name)


def compressed(path, kind):
    data = path.read_bytes()
    name = path.with_name(f"{path.name}.{kind}")
    if kind == "zst":
        subprocess.run(["zstd", "-q", "--rm", str(path), "-o", str(name)], check=True)
        return
    name.write_bytes(gzip.compress(data))
    path.unlink()


def compare_generated(program, folder, rules):
    generator = Generator(7, rules)
    made = generator.calls()
    # A line of an access log always has a time.
    undated = [name for name in WRITERS if name != "access.log"]
    names = [generator.random.choice(list(WRITERS) if call.time else undated) for call, _ in made]
    kept = [as_written(call, name) for (call, _), name in zip(made, names)]
    expectation = table(kept, rules)
    chance = generator.random
    kinds = ["gz"] + (["zst"] if shutil.which("zstd") else [])
    if "zst" not in kinds:
        print("skipped: zstandard needs the program zstd: apt-get install zstd")
    for variant in ("whole", "split", "shuffled", "rotated", "compressed"):
        here = folder / variant
        here.mkdir(parents=True)
        for name, write in WRITERS.items():
            own = [call for call, of in zip(made, names) if of == name]
            if variant == "whole":
                write(here / name, own)
                continue
            if variant != "shuffled":
                own.sort(key=lambda call: call[0].time or EARLIEST)
            else:
                chance.shuffle(own)
            parts = 1 if variant == "shuffled" else chance.randrange(2, 7)
            cuts = sorted(chance.sample(range(1, len(own)), parts - 1))
            for number, (start, end) in enumerate(zip([0, *cuts], [*cuts, len(own)])):
                part = here / (f"{name}.{number}" if variant == "rotated" else f"{number}-{name}")
                write(part, own[start:end])
                if variant == "compressed":
                    compressed(part, kinds[number % len(kinds)])
        compare(f"generated, {variant}", reported(program, [here]), expectation)
    compare_selections(program, folder / "whole", kept, rules)


def compare_selections(program, here, calls, rules):
    since, until = date(2026, 10, 8), date(2026, 10, 20)
    inside = [call for call in calls if call.time and since <= call.time.date() <= until]
    undated = [call for call in calls if call.time is None]
    report = reported(program, [here], "--since", str(since), "--until", str(until), "--quiet-days", "5")
    # Only calls of operations with rules are excluded, and only those are counted.
    rows, totals = table(inside, rules, 5, undated)
    verdicts = {row["verdict"] for row in rows.values()}
    assert len(verdicts) == 5, verdicts
    totals["no_rule"] = report["input"]["no_rule"]
    compare("generated, --since and --until", report, (rows, totals))
    since, until = date(2026, 10, 8), date(2026, 10, 10)
    inside = [call for call in calls if call.time and since <= call.time.date() <= until]
    report = reported(program, [here], "--since", str(since), "--until", str(until))
    rows, totals = table(inside, rules, left_out=undated)
    totals["no_rule"] = report["input"]["no_rule"]
    assert any(row["hours"] for row in rows.values())
    compare("generated, by hour", report, (rows, totals))
    excluded = [call for call in calls if not (call.agent or "").startswith("caller-1")]
    report = reported(program, [here], "--exclude-caller", "caller-1*")
    rows, totals = table(excluded, rules)
    totals["no_rule"] = report["input"]["no_rule"]
    compare("generated, --exclude-caller", report, (rows, totals))


def compare_captures(program, rules):
    readers = [(CAPTURES / name, har_calls) for name in ("mitmproxy.har", "chromium.har", "chromium-omit.har")]
    readers.append((CAPTURES / "pino-http.ndjson", pino_calls))
    cassettes = CAPTURES / "cassettes"
    names = ("vcr.yml", "vcr-exact.yml", "vcr-json.json", "vcrpy.yaml", "vcrpy-text.yaml", "vcrpy-json.json")
    readers += [(cassettes / name, cassette_calls) for name in names]
    everything = []
    for path, read in readers:
        calls = list(read(path))
        everything += calls
        compare(path.name, reported(program, [path]), table(calls, rules))
    compare("all captures together", reported(program, [path for path, _ in readers]), table(everything, rules))


def main():
    program, folder = sys.argv[1], Path(sys.argv[2])
    rules = Rules()
    try:
        compare_captures(program, rules)
        compare_generated(program, folder, rules)
    except expected.Disagreement as disagreement:
        sys.exit(f"the oracle disagrees: {disagreement}")


if __name__ == "__main__":
    main()
