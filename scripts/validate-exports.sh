#!/usr/bin/env bash
# Checks the output of `sundown rules export`: libraries from PyPI read the calendar and the Markdown table, and Python the
# CSV and the JSON.
# Usage: scripts/validate-exports.sh [PROGRAM]    (default: a debug build)
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# -gt 0 ] || cargo build --locked --quiet
program=$(realpath "${1:-${CARGO_TARGET_DIR:-target}/debug/sundown}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

python3 -m venv "$scratch/python"
"$scratch/python/bin/pip" install --quiet --disable-pip-version-check icalendar==7.3.0 cmarkgfm==2025.10.22

for format in markdown csv ical json; do
  "$program" rules export --format "$format" >"$scratch/built-in.$format" 2>/dev/null
  "$program" rules export --rules testdata/exports/rules.toml --no-builtin-rules --format "$format" \
    >"$scratch/shop.$format" 2>/dev/null
done
"$scratch/python/bin/python" scripts/validate-exports.py "$scratch"
