#!/usr/bin/env bash
# Builds the book and follows every link in the built pages. Runs only if mdbook is installed, because building mdbook takes
# minutes. The test suite always follows the links in the Markdown.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v mdbook >/dev/null; then
  echo "skipped: building the book needs mdbook: cargo install mdbook --locked"
  exit 0
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mdbook build docs --dest-dir "$scratch/book" >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; exit 1; }
if grep -E '^ *(WARN|ERROR)' "$scratch/log"; then
  echo "mdbook is not content with the book" >&2
  exit 1
fi
python3 scripts/validate-book.py "$scratch/book"
