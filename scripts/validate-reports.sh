#!/usr/bin/env bash
# Checks the reports of `sundown check` with other programs: VALIDATORS in validate-reports.py has one line for each format.
# Each of these programs must also reject something broken.
# Usage: scripts/validate-reports.sh [PROGRAM]    (default: a debug build)
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# -gt 0 ] || cargo build --locked --quiet
program=$(realpath "${1:-${CARGO_TARGET_DIR:-target}/debug/sundown}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

python3 -m venv "$scratch/python"
python=$scratch/python/bin/python
"$python" -m pip install --quiet --disable-pip-version-check \
  jsonschema==4.26.0 lxml==6.1.1 cmarkgfm==2025.10.22 diff-cover==11.0.1
# Jenkins' schema is part of the source distribution of pytest, which checks its own reports with it.
"$python" -m pip download --quiet --disable-pip-version-check --no-deps --no-binary :all: \
  -d "$scratch" pytest==9.2.0
tar -xzf "$scratch"/pytest-*.tar.gz -C "$scratch" --strip-components=3 --wildcards '*/junit-10.xsd'

# The inputs: recorded captures, hostile names, more findings than the services accept, an empty report, and a file with fixes.
"$python" scripts/validate-reports.py traffic "$scratch"
# The formats of the table in docs/reports.md, which the test suite compares with the program's list.
# shellcheck disable=SC2016 # the backquotes are Markdown
names=$(sed -n 's/^| `\([a-z0-9_]*\)` | .*/\1/p' docs/reports.md)
report() {
  name=$1
  shift
  formats=()
  for format in $names; do
    formats+=(--format "$format=$scratch/$name.$format")
  done
  "$program" check "$@" --as-of 2026-11-20 --fail-on never "${formats[@]}"
}
report captures testdata/captures
rules=$PWD/testdata/reports/rules.toml
(cd "$scratch/hostile" && report hostile . --rules "$rules" --no-builtin-rules)
(cd "$scratch/many" && report many . --rules "$rules" --no-builtin-rules)
(cd "$scratch/nothing" && report nothing .)
(cd "$scratch/suggestions" && report suggestions . --rules "$rules" --no-builtin-rules --suggestions=unsafe)
"$python" scripts/validate-reports.py reports "$scratch"

if ! command -v npm >/dev/null; then
  echo "skipped: the checks of SARIF, rdjsonl and workflow commands need Node.js: https://nodejs.org/en/download"
  exit 0
fi
npm install --silent --no-audit --no-fund --prefix "$scratch" @microsoft/sarif-multitool@5.7.0 \
  @umbrelladocs/rdformat-validator@1.0.1 @actions/core@3.0.1 >/dev/null 2>&1
# It needs no locales of the system.
export DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1
sed 's/"startLine":[0-9]*/"startLine":0/g; s/"ruleIndex":0/"ruleIndex":999/g' "$scratch/captures.sarif" >"$scratch/broken.sarif"
for name in captures hostile many nothing suggestions broken; do
  "$scratch/node_modules/.bin/sarif-multitool" validate "$scratch/$name.sarif" \
    --output "$scratch/$name.verdict" --log ForceOverwrite >"$scratch/$name.log" 2>&1 || true
done
"$python" scripts/validate-reports.py sarif "$scratch"
cp scripts/validate-reports.mjs "$scratch"
node "$scratch/validate-reports.mjs" "$scratch"
