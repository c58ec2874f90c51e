#!/usr/bin/env python3
"""Draws what the program prints, with its colours, as the SVG pictures of terminals in the documentation.

Usage: scripts/draw-terminals.py PROGRAM [--check] [--editor NEOVIM]    (--check only compares, and exits with 1 if a picture is out
of date; --editor draws what Neovim shows instead, and needs the package pyte)
"""

import argparse
import os
import pathlib
import re
import select
import subprocess
import sys
import tempfile
import time
from html import escape

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLUMNS = 100
# Pixels of a character and of a line.
WIDTH, HEIGHT, MARGIN = 8.4, 19, 16
# Viewers join ordinary spaces.
NO_BREAK = "\u00a0"
TEXT, BACKGROUND, EDGE = "#e6e6e6", "#1e1e2e", "#585b70"
COLOURS = {31: "#ff7b72", 32: "#7ee787", 33: "#e3b341", 34: "#79c0ff", 35: "#d2a8ff", 36: "#76e3ea", 37: "#ffffff"}


BOLD, STRUCK = ' font-weight="bold"', ' text-decoration="line-through"'


def spans(text):
    """The parts of a text, each with its colour and its style."""
    colour, style = TEXT, ""
    for part in re.split(r"(\x1b\[[0-9;]*m)", text):
        codes = re.fullmatch(r"\x1b\[([0-9;]*)m", part)
        if not codes:
            yield part, colour, style
            continue
        codes = [int(code or 0) for code in codes[1].split(";")]
        while codes:
            code = codes.pop(0)
            if code == 0:
                colour, style = TEXT, ""
            elif code == 1:
                style = BOLD
            elif code == 38 and codes[:1] == [5]:
                colour = COLOURS.get(30 + codes[1] % 8, TEXT)
                codes = codes[2:]
            elif code in COLOURS or code - 60 in COLOURS:
                colour = COLOURS.get(code, COLOURS.get(code - 60))


def rows(text):
    """The lines as a terminal wraps them: lists of characters with their colours."""
    row = []
    for part, colour, style in spans(text):
        for character in part:
            if character == "\n" or len(row) == COLUMNS:
                yield row
                row = []
            if character != "\n":
                row.append((character, colour, style))
    if row:
        yield row


def line(row, number):
    """A line as an element, with runs of the same colour as parts."""
    parts, start = [], 0
    for end in range(1, len(row) + 1):
        if end == len(row) or row[end][1:] != row[start][1:]:
            text = "".join(character for character, _, _ in row[start:end])
            _, colour, style = row[start]
            at, length = MARGIN + start * WIDTH, len(text) * WIDTH
            parts.append(f'<tspan x="{at:.1f}" textLength="{length:.1f}" fill="{colour}"{style}>{escape(text).replace(" ", NO_BREAK)}</tspan>')
            start = end
    return f'<text y="{MARGIN + (number + 0.75) * HEIGHT:.1f}">{"".join(parts)}</text>'


def draw_run(title, command, output):
    """The picture of a terminal in which a command was run."""
    return draw(title, list(rows(f"\x1b[32m$\x1b[0m {command}\n{output.rstrip()}\n")))


def draw(title, lines):
    """The picture of a terminal with these lines of characters."""
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
    page = (ROOT / "docs/first-finding.md").read_text(encoding="utf-8")
    *files, command = [block.strip() for block in re.findall(r"^```sh\n(.*?)^```$", page, re.S | re.M)]
    for block in files:
        run(program, block, folder)
    output = run(program, f"{command} --color always", folder)
    return draw_run("sundown finds a deprecated field in a log, and names its place and its replacement", command, output)


PICTURES = {"docs/terminal.svg": first_finding}


def in_editor(program, folder, neovim):
    """The file of the guide to fixes in Neovim, with what it shows about the cursor's place."""
    page = (ROOT / "docs/fix.md").read_text(encoding="utf-8")
    files = re.findall(r"^cat > (\S+) <<'END'\n(.*?)^END$", page, re.S | re.M)
    for name, text in [*files, ("sundown.toml", 'rules = ["shop.toml"]\nbuiltin-rules = false\n')]:
        (folder / name).write_text(text)
    settings = f"""
      vim.o.termguicolors, vim.o.winborder, vim.o.laststatus, vim.o.shortmess = true, 'rounded', 0, 'FI'
      vim.o.ruler, vim.o.fillchars = false, 'eob: '
      vim.diagnostic.config({{ virtual_text = true }})
      vim.lsp.config('sundown', {{ cmd = {{ '{program}', 'lsp', '--as-of', '2026-11-20' }}, root_markers = {{ 'sundown.toml' }} }})
      vim.lsp.enable('sundown')
    """
    (folder / "settings.lua").write_text(settings)
    screen = show([neovim, "--clean", "-u", "settings.lua", "orders.http"], folder, [
        ("is deprecat", "4GfcK"),
        ("Until ", ""),
    ])
    return draw("Neovim strikes a deprecated field through, and shows until when it works and what to use", screen)


def show(command, folder, steps):
    """The rows of a terminal in which a program runs: each step waits for a text, and then types."""
    import pty

    import pyte

    rows = 30
    screen = pyte.Screen(COLUMNS, rows)
    stream = pyte.ByteStream(screen)
    process, terminal = pty.fork()
    if process == 0:
        environment = {"HOME": str(folder), "TERM": "xterm-256color", "LANG": "C.UTF-8", "COLUMNS": str(COLUMNS), "LINES": str(rows)}
        try:
            os.chdir(folder)
            os.execve(command[0], command, environment)
        finally:
            os._exit(127)
    import fcntl
    import struct
    import termios

    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, COLUMNS, 0, 0))
    for wanted, typed in steps:
        end = time.monotonic() + 30
        while not re.search(wanted, "\n".join(screen.display)):
            if time.monotonic() > end:
                sys.exit("\n".join(screen.display))
            if select.select([terminal], [], [], 0.1)[0]:
                stream.feed(os.read(terminal, 65536))
        os.write(terminal, typed.encode())
    while select.select([terminal], [], [], 1)[0]:
        stream.feed(os.read(terminal, 65536))
    os.kill(process, 9)
    os.waitpid(process, 0)
    lines = []
    for number in range(screen.lines):
        cells = [screen.buffer[number][column] for column in range(COLUMNS)]
        row = [(cell.data, TEXT if cell.fg == "default" else f"#{cell.fg}", STRUCK if cell.strikethrough else BOLD if cell.bold else "") for cell in cells]
        while row and row[-1][0] == " ":
            row.pop()
        lines.append(row)
    while lines and not lines[-1]:
        lines.pop()
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--editor", metavar="NEOVIM")
    options = parser.parse_args()
    program, pictures = options.program.resolve(), PICTURES
    if options.editor:
        neovim = str(pathlib.Path(options.editor).absolute())
        pictures = {"docs/editor.svg": lambda program, folder: in_editor(program, folder, neovim)}
    for name, picture in pictures.items():
        with tempfile.TemporaryDirectory() as folder:
            drawn = picture(program, pathlib.Path(folder))
        if not options.check:
            (ROOT / name).write_text(drawn, encoding="utf-8")
        elif (ROOT / name).read_text(encoding="utf-8") != drawn:
            sys.exit(f"{name} is out of date: {' '.join(arg for arg in sys.argv if arg != '--check')}")
    if options.check:
        print(f"{', '.join(pictures)} show what the program prints")


main()
