#!/usr/bin/env python3
"""Lists public items of the crates that no other package uses. Tests, benchmarks and fuzz targets do not count.

The compiler finds dead code only within a crate. An item is used if another package names it, or the page of its own crate does (in
`lib.rs`); a type also if a public signature of its crate does. Names are compared as words, so an item with the name of another may be
missed, but none is listed wrongly. Fields and variants belong to their type.

Usage: scripts/find-unused-public.py
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TESTS = re.compile(r"(?ms)^#\[cfg\((?:test|all\(test,[^\n]*)\)\]\n(?:#\[[^\n]*\]\n)*mod \w+ \{.*?^\}\n")
COMMENT = re.compile(r"//[^\n]*")
PUBLIC = re.compile(r"(?m)^ *pub (?:const |unsafe |async )*(fn|struct|enum|trait|type|const|static) (?:mut )?(\w+)")
# A signature ends where its body or its value begins; fields and variants of public types belong to them.
SIGNATURE = re.compile(
    r"^ *pub (?:const |unsafe )*fn .*?(?: \{\n|;\n|\})|^pub (?:struct|enum|trait)[^\n]*\{\n.*?^\}|^pub [^;]*;|^ +type \w+ = [^;]*;|^macro_rules! .*?^\}|^\w+! \{\n.*?^\}",
    re.S | re.M,
)


# Public although only tests and fuzz targets use them.
KEPT = {
    "TABLES": "the reference of the configuration is generated from it",
    "check_each": "a test sees each finding before it is written",
    "is_unsafe": "a property of another crate is that its texts have no such character",
    "inner_len": "a property of another crate is that its maps have the length of its texts",
}


def code(folder):
    """The code below a folder without tests and comments, by file."""
    files = (path for path in sorted(folder.rglob("*.rs")) if "tests" not in path.relative_to(folder).parts)
    return {path: COMMENT.sub("", TESTS.sub("", path.read_text())) for path in files}


def words(texts):
    return {word for text in texts for word in re.findall(r"\w+", text)}


packages = {path.parent.name: code(path.parent / "src") for path in sorted(ROOT.glob("crates/*/Cargo.toml"))}
packages["sundown"] = code(ROOT / "src")
named = {name: words(files.values()) for name, files in packages.items()}
unused = 0
for name, files in packages.items():
    if name == "sundown":
        continue
    elsewhere = words([(ROOT / "crates" / name / "src/lib.rs").read_text().partition("\nmod ")[0]])
    elsewhere.update(*(words for other, words in named.items() if other != name))
    for path, text in files.items():
        for found in PUBLIC.finditer(text):
            kind, item = found.groups()
            if item in elsewhere or item in KEPT:
                continue
            if kind in ("struct", "enum", "trait", "type"):
                signatures = (one for text in files.values() for one in SIGNATURE.findall(text))
                if any(re.search(rf"\b{item}\b", one) and not re.search(rf"\b(?:struct|enum|trait|type) {item}\b", one) for one in signatures):
                    continue
            unused += 1
            print(f"{path.relative_to(ROOT)}: `{item}` is public, and no other package uses it")
sys.exit(unused > 0)
