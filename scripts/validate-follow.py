#!/usr/bin/env python3
"""Checks what `sundown usage --follow` shows on a terminal, with pexpect (a pseudo-terminal) and pyte (a terminal emulator).

Usage: validate-follow.py PROGRAM
"""

import os
import signal
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


def order(day, agent):
    head = f'{{"time":"2026-09-{day:02}T10:00:00Z","method":"POST","url":"/v1/orders",'
    request = f'"request":{{"headers":{{"User-Agent":"{agent}"}},"body":{{"legacyId":1}}}},"response":{{"status":200}}}}\n'
    return head + request


class Terminal:
    """The program in a terminal of a size, in a folder with a log."""

    def __init__(self, program, rows, columns, term="xterm-256color"):
        self.folder = Path(tempfile.mkdtemp())
        (self.folder / "rules.toml").write_text(RULES)
        self.log = self.folder / "log"
        self.log.write_text(order(1, "shop/1"))
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        arguments = ["usage", "--no-builtin-rules", "--rules", "rules.toml", "--by", "user-agent", "--follow", "log"]
        environment = {**os.environ, "TERM": term}
        self.run = pexpect.spawn(
            program, arguments, dimensions=(rows, columns), cwd=self.folder, env=environment, timeout=30
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
    terminal.wait_for("by shop/9")
    terminal.run.sendintr()
    report, code = terminal.end()
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


if __name__ == "__main__":
    for check in (updates_in_place, ends_by_signals, small_and_dumb):
        check(sys.argv[1])
