#!/usr/bin/env python3
"""Measures the cost of rule packs: at the start of the program, of many values, in a log of calls to language models, and in a
log of another service.

    benches/packs.py --sundown target/release/sundown [--bytes 1000000000] [--ndjson FILE.ndjson] [start] [values] [log]

FILE is a log of the generator (examples/traffic.rs). All other files are made in a temporary folder, the same on every machine.
The programs run in turns; printed are medians of the processor time and of the ratios of runs side by side, and the budgets. If
Valgrind is installed, the instructions of a start are counted, too: their number does not depend on what else the machine does.
"""

import argparse
import json
import random
import re
import resource
import shutil
import statistics
import sys
import tempfile
import tomllib
from pathlib import Path

from peers import process

ROOT = Path(__file__).resolve().parent.parent
PACKS = ROOT / "rules/packs"
AS_OF = ["--as-of", "2026-11-25"]
PARTS = ["start", "values", "log"]
COPIES = 4


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sundown", type=Path, required=True)
    parser.add_argument("--bytes", type=int, default=1_000_000_000, help="size of the log of calls to language models")
    parser.add_argument("--ndjson", type=Path, help="log of another service")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("parts", nargs="*", metavar="PART", help="start, values, log; all by default")
    options = parser.parse_args()
    parts = set(options.parts or PARTS)
    sundown = options.sundown.resolve()
    with tempfile.TemporaryDirectory() as folder:
        if "start" in parts:
            start(sundown, Path(folder), options.runs)
        if "values" in parts:
            many_values(sundown, Path(folder), options)
        if "log" in parts:
            retired_models(sundown, Path(folder), options)
    if options.ndjson:
        another_service(sundown, options)


def start(sundown, folder, runs):
    """One call that no rule covers, so that nothing but the rules is read."""
    capture = folder / "one.ndjson"
    capture.write_text('{"method":"GET","url":"https://shop.example/health","status":200}\n')
    packs = all_packs()
    tables = [copy_table(path, copy, folder) for path in sorted(PACKS.rglob("*.toml")) for copy in range(COPIES)]
    rules = sum(count_rules(table) for table in tables)
    check = [sundown, "check", *AS_OF, "--fail-on", "never", capture]
    cases = {
        "without packs": check,
        f"{len(packs)} packs, {rules // COPIES} rules": [*check, *flags("--pack", packs)],
        f"{rules} rules of packs (under 60 ms)": [*check, *flags("--rules", tables)],
    }
    for name, seconds in zip(cases, in_turns(list(cases.values()), capture, runs)):
        least = f"{1000 * min(seconds):.0f} ms at least"
        print(f"start, {name}: {1000 * statistics.median(seconds):.0f} ms, {least}{instructions(cases[name])}")


def all_packs():
    return sorted({path.relative_to(PACKS).parts[0].removesuffix(".toml") for path in PACKS.rglob("*.toml")})


def flags(flag, values):
    return [part for value in values for part in (flag, value)]


def copy_table(path, copy, folder):
    """A table like that of a pack, with other ids, values, hosts and paths."""
    text = path.read_text()
    text = re.sub(r'\b((?:id|value) = "[^"]*)"', rf'\1-{copy}"', text)
    text = re.sub(r'"([A-Z]+|\*) /', rf'"\1 /{copy}/', text)
    text = re.sub(r'(?m)^hosts = \["', f'hosts = ["{copy}.', text)
    table = folder / f"{'-'.join(path.relative_to(PACKS).parts)}-{copy}.toml"
    table.write_text(text)
    return table


def count_rules(table):
    entries = tomllib.loads(table.read_text())["rule"]
    return sum(len(entry.get("values", [entry])) for entry in entries)


def instructions(command):
    if shutil.which("valgrind") is None:
        return ""
    tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    counted = re.search(r"Collected : (\d+)", checked(process.run([*tool, *command])).error)
    return f", {int(counted[1]) / 1e6:.0f} million instructions" if counted else ""


def many_values(sundown, folder, options):
    """The value of the table with one value is the only one that occurs, so both find the same uses."""
    log = folder / "values.ndjson"
    write_log(log, options.bytes // 4, ["retired-model-0"])
    rule = '[[rule]]\nid = "m"\noperation = "POST /v1/chat/completions"\nfield = "model"\nat = ["$.model"]\nvalues = [{}]\n'
    commands = []
    for count in (1, 500):
        table = folder / f"{count}.toml"
        values = ", ".join(f'"retired-model-{number}"' for number in range(count))
        table.write_text('api = "Models"\n' + rule.format(values))
        commands.append([sundown, "check", *AS_OF, "--no-builtin-rules", "--rules", table, *quiet(log)])
    one, many = in_turns(commands, log, options.runs)
    print(f"500 values on one member: {ratio(many, one)} the time of one value (at most 1.3 ×)")
    print(f"uses found: {uses(commands[0])} and {uses(commands[1])}")
    log.unlink()


def retired_models(sundown, folder, options):
    """With the built-in tables, no call of the log has rules, and no body is searched; with the pack, each request is."""
    log = folder / "models.ndjson"
    entries = tomllib.loads((PACKS / "llm-models/openai.toml").read_text())["rule"]
    values = next(entry for entry in entries if entry["id"] == "openai-model")["values"]
    write_log(log, options.bytes, [value["value"] for value in values if {"value", "removal"} <= value.keys()])
    check = [sundown, "check", *AS_OF, *quiet(log)]
    commands = [check, [*check, "--pack", "llm-models"]]
    builtin, packed = in_turns(commands, log, min(options.runs, 10))
    print(f"{log.stat().st_size // 1_000_000} MB of calls of models: {statistics.median(builtin):.2f} s with the built-in tables,")
    print(f"with the pack {ratio(packed, builtin)} (at most 1.5 ×); uses found: {uses(commands[0])} and {uses(commands[1])}")
    log.unlink()


def another_service(sundown, options):
    """No call goes to a host of a pack, and the log names hosts in header fields only."""
    check = [sundown, "check", *AS_OF, *quiet(options.ndjson)]
    builtin, packed = in_turns([check, [*check, *flags("--pack", all_packs())]], options.ndjson, min(options.runs, 10))
    print(f"{options.ndjson.name}: {statistics.median(builtin):.2f} s with the built-in tables, with all packs {ratio(packed, builtin)}")


def quiet(log):
    return ["--fail-on", "never", "--threads", "1", "--format", "json", log]


def uses(command):
    report = json.loads(checked(process.run(command)).output)
    return sum(finding.get("seen", 1) for finding in report["findings"])


def ratio(these, those):
    ratios = [one / other for one, other in zip(these, those)]
    return f"{statistics.median(ratios):.2f} × ({min(ratios):.2f} to {max(ratios):.2f})"


def write_log(path, size, retired):
    """Calls of one service as a client logs them. In 1 % of them, the model is one of the retired ones."""
    chance = random.Random(7)
    calls = [[record(chance, model) for _ in range(count)] for model, count in models(chance, retired)]
    current, old = sum(calls[: len(CURRENT)], []), sum(calls[len(CURRENT) :], [])
    with path.open("wb") as out:
        while out.tell() < size:
            out.write(chance.choice(old if chance.random() < 0.01 else current))


CURRENT = ["gpt-5.6-terra", "gpt-5.6-sol", "gpt-5.6-luna", "text-embedding-4", "o5-mini"]


def models(chance, retired):
    return [(model, 400) for model in CURRENT] + [(chance.choice(retired), 1) for _ in range(200)]


def record(chance, model):
    messages = [{"role": role, "content": text(chance, 20, 250)} for role in ("system", "user", "assistant", "user")]
    body = {"model": model, "messages": messages, "temperature": 0.2, "max_completion_tokens": 800, "stream": False}
    message = {"role": "assistant", "content": text(chance, 40, 400), "refusal": None}
    usage = {"prompt_tokens": 500, "completion_tokens": 300, "total_tokens": 800}
    answer = {"id": f"chatcmpl-{chance.getrandbits(64):x}", "object": "chat.completion", "created": 1763980000, "model": model}
    answer |= {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": usage}
    if chance.random() < 0.5:
        body, answer = json.dumps(body), json.dumps(answer)
    headers = {"user-agent": "OpenAI/Python 3.57.0", "content-type": "application/json", "accept": "application/json"}
    url = "https://api.openai.com/v1/chat/completions"
    request = {"id": 1, "method": "POST", "url": url, "headers": headers, "body": body}
    answered = {"date": "Tue, 24 Nov 2026 10:00:00 GMT", "content-type": "application/json", "x-request-id": "req_1f"}
    response = {"statusCode": 200, "headers": answered, "body": answer}
    line = {"level": 30, "time": 1795182834993, "req": request, "res": response, "responseTime": 812}
    return (json.dumps(line, separators=(",", ":")) + "\n").encode()


WORDS = (
    "the model of this answer should name its sources and quote \"each of them\" with a page or an address so that readers "
    "can check what was said\nlists are short and begin with the most important item while code stays as it is written"
).split(" ")


def text(chance, least, most):
    return " ".join(chance.choices(WORDS, k=chance.randint(least, most)))


def in_turns(commands, file, runs):
    """The seconds of processor time of each command, which other programs disturb less than what the clock shows."""
    process.warm(file)
    seconds = [[] for _ in commands]
    for _ in range(runs):
        for command, taken in zip(commands, seconds):
            before = processor_time()
            checked(process.run(command, keep_output=False))
            taken.append(processor_time() - before)
    return seconds


def processor_time():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def checked(run):
    if run.status != 0:
        sys.exit(f"exit code {run.status}: {run.error}")
    return run


if __name__ == "__main__":
    main()
