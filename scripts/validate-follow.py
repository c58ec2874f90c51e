#!/usr/bin/env python3
"""Checks `sundown usage --follow` as people use it: on a terminal, with pexpect (a pseudo-terminal) and pyte (a terminal emulator),
in pipes, and with a partial result on disk.

Usage: validate-follow.py PROGRAM
"""

import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pexpect
import pyte

RULES = """api = "Shop"
[[rule]]
id = "legacy-id"
operation = "POST /v1/orders"
field = "legacyId"
sides = ["request"]
"""
USAGE = ["usage", "--no-builtin-rules", "--rules", "rules.toml", "--by", "user-agent", "--follow"]


def order(day, agent):
    head = f'{{"time":"2026-09-{day:02}T10:00:00Z","method":"POST","url":"/v1/orders",'
    request = f'"request":{{"headers":{{"User-Agent":"{agent}"}},"body":{{"legacyId":1}}}},"response":{{"status":200}}}}\n'
    return head + request


def make_folder():
    folder = Path(tempfile.mkdtemp())
    (folder / "rules.toml").write_text(RULES)
    return folder


class Terminal:
    """The program in a terminal of a size, in a folder with a log."""

    def __init__(self, program, rows, columns, term="xterm-256color", before="", logged=1):
        self.folder = make_folder()
        self.log = self.folder / "log"
        if logged:
            self.log.write_text(order(1, "shop/1"))
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        environment = {**os.environ, "TERM": term}
        command, arguments = (program, [*USAGE, "log"])
        if before:
            command, arguments = "sh", ["-c", f"{{ {before}; }} | {shlex.join([program, *USAGE, '-'])}"]
        self.run = pexpect.spawn(
            command, arguments, dimensions=(rows, columns), cwd=self.folder, env=environment, timeout=60
        )

    def wait_for(self, text, seconds=30):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.read()
            if text in "\n".join(self.screen.display) or text.encode() in self.raw:
                return
        raise AssertionError(f"{text!r} does not appear:\n" + "\n".join(self.screen.display))

    def read(self):
        try:
            data = self.run.read_nonblocking(65536, 0.1)
        except (pexpect.TIMEOUT, pexpect.EOF):
            return False
        self.raw += data
        self.stream.feed(data)
        return True

    def end(self):
        """Reads up to the end; returns the output after the last frame, and the exit code."""
        self.run.expect(pexpect.EOF)
        rest = self.run.before
        self.raw += rest
        self.run.close()
        return self.raw.rsplit(b"\x1b[?1049l", 1)[-1].decode(), self.run.exitstatus


def updates_in_place(program):
    terminal = Terminal(program, 12, 60)
    terminal.wait_for("Following log: 1 record.")
    with terminal.log.open("a") as log:
        log.write("".join(order(day, f"shop/{day}") for day in range(2, 20)))
    terminal.wait_for("Following log: 19 records.")
    lines = terminal.screen.display
    assert len(lines) == 12 and "more lines" in lines[-1], lines
    assert any("in use" in line for line in lines), lines
    assert terminal.screen.cursor.hidden, "the cursor is hidden"
    frames = terminal.raw.count(b"\x1b[?2026h")
    assert 2 <= frames <= 8, f"{frames} frames"
    # Nothing is cleared before it is drawn again: that would flicker.
    assert terminal.raw.count(b"\x1b[2J") == 1
    terminal.run.setwinsize(30, 100)
    terminal.screen.resize(30, 100)
    terminal.wait_for("Read: 19 records in 1 file.")
    terminal.run.sendintr()
    report, code = terminal.end()
    assert any("by shop/18" in line for line in terminal.screen.display), terminal.screen.display
    assert code == 0 and report.startswith("1 element: 1 in use"), (code, report)
    assert "Read: 19 records in 1 file." in report
    is_restored(terminal.raw)
    print("in place: 12 and 30 rows, restored, and the whole report after an interrupt")


def is_restored(raw):
    for on, off in ((b"\x1b[?1049h", b"\x1b[?1049l"), (b"\x1b[?25l", b"\x1b[?25h"), (b"\x1b[?7l", b"\x1b[?7h")):
        assert raw.count(on) == raw.count(off) == 1, (on, raw.count(on), raw.count(off))


def ends_by_signals(program):
    for number in (signal.SIGTERM, signal.SIGHUP):
        terminal = Terminal(program, 24, 80)
        terminal.wait_for("Following log: 1 record.")
        terminal.run.kill(number)
        report, code = terminal.end()
        assert code == 0 and "Read: 1 record in 1 file." in report, (number, code, report)
        is_restored(terminal.raw)
    print("SIGTERM and SIGHUP: everything counted, restored, exit code 0")


def small_and_dumb(program):
    terminal = Terminal(program, 3, 20)
    terminal.wait_for("Following log")
    terminal.run.sendintr()
    assert terminal.end()[1] == 0
    terminal = Terminal(program, 24, 80, term="dumb")
    terminal.wait_for("following log")
    terminal.run.sendintr()
    terminal.run.expect(pexpect.EOF)
    assert b"\x1b[" not in terminal.raw + terminal.run.before, terminal.raw
    print("3 rows of 20 columns; a terminal without escapes gets none")


def other_inputs(program):
    terminal = Terminal(program, 24, 80, logged=0)
    terminal.wait_for("Following log: 0 records.")
    with terminal.log.open("a") as log:
        log.write(order(1, "shop/1"))
    terminal.wait_for("Following log: 1 record.")
    terminal.run.sendintr()
    assert terminal.end()[1] == 0
    # Standard input that stays open for a while, and ends.
    terminal = Terminal(program, 24, 80, before="cat log; read line; cat log")
    terminal.wait_for("1 record.")
    terminal.run.send("\n")
    report, code = terminal.end()
    assert code == 0 and "Read: 2 records in 1 file." in report, (code, report)
    is_restored(terminal.raw)
    terminal = Terminal(program, 24, 80, before="gzip -c log")
    report, code = terminal.end()
    assert code == 2 and "cannot be followed: it is compressed with gzip" in report, (code, report)
    is_restored(terminal.raw)
    print("a log that appears later; standard input; a compressed log is refused")


def ends_with_its_reader(program):
    folder = make_folder()
    orders = "".join(order(day, f"shop/{day}") for day in range(1, 29))
    (folder / "log").write_text(orders)
    follow = shlex.join([program, *USAGE, "log", "--format", "csv"])
    pipeline = f"(echo $BASHPID >process; exec {follow}) 2>messages | head -1; echo ${{PIPESTATUS[0]}} >code"
    # More than a pipe holds: `head` has ended before all of it is written.
    rules = "".join(f'[[rule]]\nid = "r{n}"\noperation = "GET /{n}"\n' for n in range(3000))
    with (folder / "rules.toml").open("a") as file:
        file.write(rules)
    run = subprocess.Popen(["bash", "-c", pipeline], cwd=folder, stdout=subprocess.PIPE)
    followed = wait_until(lambda: (folder / "messages").read_text() if (folder / "messages").exists() else "")
    time.sleep(1)
    os.kill(int((folder / "process").read_text()), signal.SIGINT)
    output = run.communicate(timeout=60)[0].decode()
    assert output.count("\n") == 1, output
    assert (folder / "messages").read_text() == followed, (folder / "messages").read_text()
    assert (folder / "code").read_text() == "0\n"
    print("| head -1: no message and exit code 0")


def wait_until(get, seconds=60):
    """Returns what `get` returns as soon as that is true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := get():
            return found
        time.sleep(0.02)
    raise AssertionError("waited in vain")


def writes_partials(program):
    folder = make_folder()
    log, partial = folder / "log", folder / "counts.partial"
    log.write_text(order(1, "shop/1"))
    run = subprocess.Popen(
        [program, *USAGE, "log", "--partial", partial.name], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )

    def records():
        if not partial.exists():
            return 0
        merged = subprocess.run([program, "merge", partial, "--format", "json"], capture_output=True, check=False)
        # A reader never sees half a partial result.
        assert merged.returncode == 0, merged.stderr
        return json.loads(merged.stdout)["input"]["records"]

    seen = [wait_until(records)]
    inode = partial.stat().st_ino
    for day in (2, 3):
        with log.open("a") as file:
            file.write(order(day, "shop/1"))
        seen.append(wait_until(lambda: records() > seen[-1] and records()))
    assert seen == [1, 2, 3], seen
    assert partial.stat().st_ino != inode, "each partial result replaces the file as a whole"
    with log.open("a") as file:
        file.write(order(4, "shop/2"))
    time.sleep(1)
    run.terminate()
    _, messages = run.communicate(timeout=60)
    assert run.returncode == 0, messages
    plain = folder / "plain.partial"
    scan = [argument for argument in USAGE if argument != "--follow"]
    subprocess.run([program, *scan, "log", "--partial", plain], cwd=folder, check=True, capture_output=True)
    assert partial.read_bytes() == plain.read_bytes(), "the last partial result is that of a scan"
    print(f"--partial: {', '.join(map(str, seen))} records on disk, and all of them after SIGTERM")


if __name__ == "__main__":
    for check in (
        updates_in_place,
        ends_by_signals,
        small_and_dumb,
        other_inputs,
        ends_with_its_reader,
        writes_partials,
    ):
        check(sys.argv[1])
