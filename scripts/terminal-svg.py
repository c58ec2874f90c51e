#!/usr/bin/env python3
"""Draws the output of a program, with its colours, as an SVG picture of a terminal.

Usage: PROGRAM | scripts/terminal-svg.py 'COMMAND' > PICTURE.svg    (COMMAND is shown as the first line)
"""

import re
import sys
from html import escape

COLUMNS = 100
# Pixels of a character and of a line.
WIDTH, HEIGHT, MARGIN = 8.4, 19, 16
# Viewers join ordinary spaces.
NO_BREAK = "\u00a0"
TEXT, BACKGROUND = "#e6e6e6", "#1e1e2e"
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


def main():
    text = f"\x1b[32m$\x1b[0m {sys.argv[1]}\n{sys.stdin.read().rstrip()}\n"
    lines = list(rows(text))
    width, height = COLUMNS * WIDTH + 2 * MARGIN, len(lines) * HEIGHT + 2 * MARGIN
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" font-size="14" '
          f'font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, \'DejaVu Sans Mono\', monospace">')
    print(f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>')
    for number, row in enumerate(lines):
        if row:
            print(line(row, number))
    print("</svg>")


main()
