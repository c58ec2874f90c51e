"""Reads exports with other libraries and compares the results (called by validate-exports.sh)."""

import csv
import html.parser
import json
import re
import pathlib
import sys


class Cells(html.parser.HTMLParser):
    """The cell texts of a table's body."""

    def __init__(self):
        super().__init__()
        self.rows, self.cell, self.body = [], None, False

    def handle_starttag(self, tag, attributes):
        assert tag in ("table", "thead", "tbody", "tr", "th", "td", "code", "a"), f"<{tag}> came out of a cell"
        if tag == "tbody":
            self.body = True
        if tag == "tr" and self.body:
            self.rows.append([])
        if tag == "td":
            self.rows[-1].append("")

    def handle_data(self, data):
        if self.body and self.rows and self.rows[-1] and data.strip("\n"):
            self.rows[-1][-1] += data


def table(path):
    import cmarkgfm

    reader = Cells()
    reader.feed(cmarkgfm.github_flavored_markdown_to_html(path.read_text()))
    return reader.rows


def item(row):
    if row["type"] == "endpoint":
        return "whole endpoint"
    if row["type"] == "enum-value":
        return f"value {row['value']} of field {row['name']}"
    return f"{row['type']} {row['name']}"


def shown(text):
    """Text as exports for people show it, with control characters made visible."""
    return "".join(f"\\u{{{ord(c):x}}}" if ord(c) < 32 else c for c in text)


def literal(cell):
    """The text of a cell: an apostrophe guards what a spreadsheet would take for a formula, and characters have escapes."""
    if cell.startswith("'") and cell.lstrip("'").lstrip()[:1] in set("=+-@＝＋－＠"):
        cell = cell[1:]
    return re.sub(r"\\u\{([0-9a-f]+)\}", lambda found: chr(int(found[1], 16)), cell)


def same_everywhere(folder, name):
    with open(folder / f"{name}.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, strict=True))
    assert rows and all(None not in row and None not in row.values() for row in rows)
    rows = [{key: literal(cell) for key, cell in row.items()} for row in rows]

    feed = json.loads((folder / f"{name}.json").read_text())
    entries = [
        (f"{endpoint['method']} {endpoint['path']}", entry["type"], entry["id"], entry.get("removal", ""))
        for endpoint in feed["endpoints"]
        for entry in endpoint["deprecations"]
    ]
    assert feed["totalCount"] == len(entries)
    assert sorted(entries) == sorted((row["operation"], row["type"], row["id"], row["removal"]) for row in rows)

    cells = table(folder / f"{name}.markdown")
    assert len(cells) == len(rows), (len(cells), len(rows))
    for cell, row in zip(cells, rows):
        expected = [row["operation"], shown(item(row)), shown(row["replacement"]) or "none stated", shown(row["note"])]
        assert cell[:4] == expected, (cell, expected)
        assert cell[5] == (row["removal"] or "not announced"), cell
    print(f"{name}: {len(rows)} rows, read alike from CSV, JSON and Markdown")


if __name__ == "__main__":
    scratch = pathlib.Path(sys.argv[1])
    for table_name in ("built-in", "shop"):
        same_everywhere(scratch, table_name)
