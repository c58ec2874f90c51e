#!/usr/bin/env python3
"""Gives each page of the built book a link to its source. mdbook runs this after its HTML renderer: see docs/book.toml.

Without a public home (packaging/repository says `unset`), the Markdown is copied beside the page.
"""

import html
import json
import pathlib
import shutil
import sys


def chapters(items):
    """The chapters with a file, of all levels."""
    for item in items:
        chapter = item.get("Chapter") if isinstance(item, dict) else None
        if chapter and chapter.get("path"):
            yield chapter
        if chapter:
            yield from chapters(chapter["sub_items"])


def add_link(page, address):
    """Puts the link after the content of a page."""
    text = page.read_text(encoding="utf-8")
    link = f'<p class="source"><a href="{html.escape(address)}">Source of this page</a></p>\n'
    before, end, after = text.rpartition("</main>")
    if not end:
        sys.exit(f"{page} has no </main>, before which the link to its source belongs")
    page.write_text(before + link + end + after, encoding="utf-8")


def main():
    context = json.load(sys.stdin)
    root, site = pathlib.Path(context["root"]), pathlib.Path(context["destination"]).parent / "html"
    home = root.parent / "packaging/repository"
    repository = home.read_text().strip() if home.exists() else "unset"
    for number, chapter in enumerate(chapters(context["book"]["items"])):
        path = pathlib.PurePosixPath(chapter["path"])
        if repository == "unset":
            shutil.copyfile(root / path, site / path)
            address = path.name
        else:
            address = f"{repository.removesuffix('.git')}/blob/HEAD/docs/{path}"
        add_link(site / path.with_suffix(".html"), address)
        # The first page is also the front page.
        if number == 0:
            add_link(site / "index.html", address)


main()
