#!/usr/bin/env bash
# Checks the output of `sundown rules export`: a library from PyPI reads the Markdown table, Python the CSV and the JSON, and the
# language services of editors the JSON Schema.
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# -gt 0 ] || cargo build --locked --quiet
program=$(realpath "${1:-${CARGO_TARGET_DIR:-target}/debug/sundown}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

python3 -m venv "$scratch/python"
"$scratch/python/bin/pip" install --quiet --disable-pip-version-check cmarkgfm==2025.10.22

for format in markdown csv json; do
  "$program" rules export --format "$format" >"$scratch/built-in.$format" 2>/dev/null
  "$program" rules export --rules testdata/exports/rules.toml --no-builtin-rules --format "$format" \
    >"$scratch/shop.$format" 2>/dev/null
done
"$scratch/python/bin/python" scripts/validate-exports.py "$scratch"

if ! command -v npm >/dev/null; then
  echo "skipped: the check of JSON Schemas needs Node.js: https://nodejs.org/en/download"
  exit 0
fi
npm install --silent --no-audit --no-fund --prefix "$scratch" vscode-json-languageservice@5.7.2 yaml-language-server@2.0.0 \
  vscode-languageserver-textdocument@1.0.16 >/dev/null 2>&1
"$program" rules export --format json-schema --operation chat >"$scratch/bodies.schema.json" 2>/dev/null
cat >"$scratch/body.json" <<'END'
{
  "messages": [{ "citations": [], "fragments": [{ "text": "citations" }] },
    { "citations": null }],
  "customData": { "citations": [], "answer": { "boardId": 1 } },
  "a": { "answer": { "boardId": 1, "snippets": [{ "snippet": "x", "text": "x" }] } },
  "filters": [{ "values": [{ "isNegated": true, "relationType": "EQUALS" }] }]
}
END
"$program" check "$scratch/body.json" --operation chat --side request --format ndjson --no-fold --as-of 2026-11-20 \
  --fail-on never >"$scratch/body.ndjson"
cp scripts/validate-exports.mjs "$scratch"
node "$scratch/validate-exports.mjs" "$scratch"
