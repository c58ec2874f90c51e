"""Writes traffic for validate-page.sh: hostile names, and 1,000 elements that 200 callers use."""

import datetime
import json
import pathlib
import sys

MARKUP = "<script>alert(1)</script><img src=x onerror=alert(1)>\"' onfocus=alert(1) autofocus \u202e\u2028"
OPERATIONS, FIELDS, CALLERS = 20, 50, 200


def call(path, headers, body, time):
    return json.dumps({"time": time, "method": "POST", "url": path, "request": {"headers": headers, "body": body}}) + "\n"


def rule(name, path, field, week):
    removal = datetime.date(2026, 11, 1) + datetime.timedelta(weeks=week)
    quoted = lambda text: json.dumps(text, ensure_ascii=False)
    return (f"[[rule]]\nid = {quoted(name)}\noperation = {quoted('POST ' + path)}\nfield = {quoted(field)}\n"
            f"sides = [\"request\"]\nreplacement = {quoted(field + 'Id')}\nremoval = {removal}\n")


def hostile(folder):
    keys = json.loads(pathlib.Path("testdata/reports/hostile-keys.json").read_text())
    names = [MARKUP, *keys, "k" * 1_000_000]
    rules = "".join(rule(f"r{index}", "/x", "x" if "\0" in name or len(name) > 1000 else name, index) for index, name in enumerate(names))
    calls = "".join(call("/x", {"X-Team": name, "User-Agent": f"a/{index} {name[:500]}"}, {name: 1, "x": 1}, f"2026-11-{index + 1:02}T00:00:00Z")
                    for index, name in enumerate(names))
    return {"rules.toml": "api = '<b>x</b>'\n" + rules, f"{MARKUP.replace('/', '%2F')}.ndjson": calls + '{"method": "POST", "url": "/x", "body": {'}


def many():
    paths = [f"/v1/resource-{index}" for index in range(OPERATIONS)]
    fields = [f"deprecatedField{index}" for index in range(FIELDS)]
    rules = "".join(rule(f"{path[4:]}-{field}".lower(), path, field, week) for path in paths for week, field in enumerate(fields))
    calls = []
    for caller in range(CALLERS):
        for index, path in enumerate(paths):
            day = datetime.date(2026, 9, 1) + datetime.timedelta(days=(caller * 7 + index) % 60)
            body = {field: caller for field in fields}
            calls.append(call(path, {"User-Agent": f"service-{caller}/1.{caller % 7}"}, body, f"{day}T00:00:00Z"))
    return {"rules.toml": "api = 'many'\n" + rules, "calls.ndjson": "".join(calls)}


if __name__ == "__main__":
    root = pathlib.Path(sys.argv[1])
    for name, files in {"hostile-usage": hostile(root), "many-usage": many()}.items():
        (root / name).mkdir()
        for file, text in files.items():
            (root / name / file).write_text(text)
