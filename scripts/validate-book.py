#!/usr/bin/env python3
"""Follows every link between the pages of a built book, and checks that the file and the anchor exist.

Usage: scripts/validate-book.py FOLDER
"""

import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, path):
        super().__init__()
        self.links = []
        self.anchors = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.anchors.update(filter(None, [attrs.get("id")]))
        if tag == "a":
            self.links.extend(filter(None, [attrs.get("href")]))


def faults(folder):
    """Returns the number of links, and the broken ones."""
    # The 404 page has links relative to the root of the server, and the print page contains all pages.
    paths = [path for path in sorted(folder.rglob("*.html")) if path.name not in ("404.html", "print.html")]
    pages = {path.resolve(): Page(path) for path in paths}
    followed, broken = 0, []
    for path, page in pages.items():
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            followed += 1
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            anchor = urllib.parse.unquote(parts.fragment)
            if not target.exists() or (anchor and target in pages and anchor not in pages[target].anchors):
                broken.append(f"{path.relative_to(folder.resolve())}: {link}")
    return followed, broken


def main():
    followed, broken = faults(pathlib.Path(sys.argv[1]))
    print("\n".join(broken), file=sys.stderr, end="\n" if broken else "")
    if broken or followed < 100:
        sys.exit(f"{len(broken)} of {followed} links of the book lead nowhere")
    print(f"the book: built, all {followed} links lead somewhere")


main()
