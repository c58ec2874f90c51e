#!/usr/bin/env python3
"""Draws what the program prints, with its colours, as the SVG pictures of terminals in the documentation.

Usage: scripts/draw-terminals.py PROGRAM [--check]    (--check only compares, and exits with 1 if a picture is out of date)
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from html import escape

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLUMNS = 100
# Pixels of a character and of a line.
WIDTH, HEIGHT, MARGIN = 8.4, 19, 16
# Viewers join ordinary spaces.
NO_BREAK = "\u00a0"
TEXT, BACKGROUND, EDGE = "#e6e6e6", "#1e1e2e", "#585b70"
COLOURS = {31: "#ff7b72", 32: "#7ee787", 33: "#e3b341", 34: "#79c0ff", 35: "#d2a8ff", 36: "#76e3ea", 37: "#ffffff"}


def spans(text):
    """The parts of a text, each with its colour and whether it is bold."""
    colour, bold = TEXT, False
    for part in re.split(r"(\x1b\[[0-9;]*m)", text):
        codes = re.fullmatch(r"\x1b\[([0-9;]*)m", part)
        if not codes:
            yield part, colour, bold
            continue
        codes = [int(code or 0) for code in codes[1].split(";")]
        while codes:
            code = codes.pop(0)
            if code == 0:
                colour, bold = TEXT, False
            elif code == 1:
                bold = True
            elif code == 38 and codes[:1] == [5]:
                colour = COLOURS.get(30 + codes[1] % 8, TEXT)
                codes = codes[2:]
            elif code in COLOURS or code - 60 in COLOURS:
                colour = COLOURS.get(code, COLOURS.get(code - 60))


def rows(text):
    """The lines as a terminal wraps them: lists of characters with their colours."""
    row = []
    for part, colour, bold in spans(text):
        for character in part:
            if character == "\n" or len(row) == COLUMNS:
                yield row
                row = []
            if character != "\n":
                row.append((character, colour, bold))
    if row:
        yield row


def line(row, number):
    """A line as an element, with runs of the same colour as parts."""
    parts, start = [], 0
    for end in range(1, len(row) + 1):
        if end == len(row) or row[end][1:] != row[start][1:]:
            text = "".join(character for character, _, _ in row[start:end])
            _, colour, bold = row[start]
            weight = ' font-weight="bold"' if bold else ""
            at, length = MARGIN + start * WIDTH, len(text) * WIDTH
            parts.append(f'<tspan x="{at:.1f}" textLength="{length:.1f}" fill="{colour}"{weight}>{escape(text).replace(" ", NO_BREAK)}</tspan>')
            start = end
    return f'<text y="{MARGIN + (number + 0.75) * HEIGHT:.1f}">{"".join(parts)}</text>'


def draw(title, command, output):
    """The picture of a terminal in which a command was run."""
    lines = list(rows(f"\x1b[32m$\x1b[0m {command}\n{output.rstrip()}\n"))
    width, height = COLUMNS * WIDTH + 2 * MARGIN, len(lines) * HEIGHT + 2 * MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}" '
        f'role="img" aria-labelledby="title" font-size="14" '
        f'font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, \'DejaVu Sans Mono\', monospace">',
        f'<title id="title">{escape(title)}</title>',
        # The edge separates the terminal from a page that is dark, too.
        f'<rect x="0.5" y="0.5" width="{width - 1:.0f}" height="{height - 1:.0f}" rx="8" fill="{BACKGROUND}" stroke="{EDGE}"/>',
        *(line(row, number) for number, row in enumerate(lines) if row),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def run(program, command, folder):
    """What a command prints, in a folder and with colours."""
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    environment = {"PATH": path, "HOME": str(folder)}
    ran = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True)
    return ran.stdout


def first_finding(program, folder):
    """The quick start, in an empty folder: its last command finds something."""
    page = (ROOT / "docs/quick-start/first-finding.md").read_text(encoding="utf-8")
    *files, command = [block.strip() for block in re.findall(r"^```sh\n(.*?)^```$", page, re.S | re.M)]
    for block in files:
        run(program, block, folder)
    output = run(program, f"{command} --color always", folder)
    return draw("sundown finds a deprecated field in a log, and names its place and its replacement", command, output)


def source_code(program, folder):
    """The recording of the web application, in a folder as that of the application."""
    shutil.copytree(ROOT / "testdata/web-app", folder, dirs_exist_ok=True)
    command = "sundown check recorded.har --source-root dist --as-of 2026-11-24"
    output = run(program, f"{command} --color always", folder)
    return draw("sundown finds a deprecated field in a capture, and names the line of source code that sent it", command, output)


PICTURES = {"docs/terminal.svg": first_finding, "docs/code.svg": source_code}


def main():
    program, check = pathlib.Path(sys.argv[1]).resolve(), "--check" in sys.argv
    for name, picture in PICTURES.items():
        with tempfile.TemporaryDirectory() as folder:
            drawn = picture(program, pathlib.Path(folder))
        if not check:
            (ROOT / name).write_text(drawn, encoding="utf-8")
        elif (ROOT / name).read_text(encoding="utf-8") != drawn:
            sys.exit(f"{name} is out of date: scripts/draw-terminals.py {sys.argv[1]}")
    if check:
        print(f"the {len(PICTURES)} pictures of terminals show what the program prints")


main()
