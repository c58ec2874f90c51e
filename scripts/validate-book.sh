#!/usr/bin/env bash
# The book is built as readers get it, and every link in the built pages leads somewhere. Building mdbook takes minutes, so
# this is only done where it is installed; the test suite follows the links of the Markdown in any case.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v mdbook >/dev/null; then
  echo "no mdbook: the book is not built here (cargo install mdbook --locked)"
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
