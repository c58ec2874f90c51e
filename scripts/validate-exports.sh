#!/usr/bin/env bash
# Checks the output of `sundown rules export` with other programs: libraries from PyPI read the calendar, the CSV and the
# Markdown table, and tools from npm check and apply the overlay.
# Usage: scripts/validate-exports.sh [PROGRAM]    (default: a debug build)
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# -gt 0 ] || cargo build --locked --quiet
program=$(realpath "${1:-${CARGO_TARGET_DIR:-target}/debug/sundown}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

python3 -m venv "$scratch/python"
"$scratch/python/bin/pip" install --quiet --disable-pip-version-check icalendar==7.3.0 cmarkgfm==2025.10.22

for format in overlay markdown csv ical json; do
  "$program" rules export --format "$format" >"$scratch/built-in.$format" 2>/dev/null
  "$program" rules export --rules testdata/exports/rules.toml --no-builtin-rules --format "$format" \
    >"$scratch/shop.$format" 2>/dev/null
done
"$scratch/python/bin/python" scripts/validate-exports.py "$scratch"

if ! command -v npx >/dev/null; then
  echo "skipped: the checks of the overlay need Node.js: https://nodejs.org/en/download"
  exit 0
fi
npm install --silent --no-audit --no-fund --prefix "$scratch" @redocly/cli@2.77.0 openapi-format@1.33.6 >/dev/null 2>&1
tools="$scratch/node_modules/.bin"
for table in built-in shop; do
  cp "$scratch/$table.overlay" "$scratch/$table.overlay.json"
  REDOCLY_TELEMETRY=off "$tools/redocly" lint "$scratch/$table.overlay.json" >"$scratch/lint" 2>&1 ||
    { cat "$scratch/lint" >&2; exit 1; }
done
# The validator must also reject a broken overlay.
sed 's/"target"/"aim"/' "$scratch/shop.overlay" >"$scratch/broken.overlay.json"
if REDOCLY_TELEMETRY=off "$tools/redocly" lint "$scratch/broken.overlay.json" >/dev/null 2>&1; then
  echo "the overlay's validator accepts anything" >&2
  exit 1
fi
"$tools/openapi-format" testdata/exports/openapi.json --no-sort \
  --overlayFile "$scratch/shop.overlay.json" -o "$scratch/stamped.json" >/dev/null
"$scratch/python/bin/python" scripts/validate-exports.py "$scratch" stamped
