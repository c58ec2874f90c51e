#!/usr/bin/env bash
# Checks the JSON Schema of configurations with another validator: it is a valid schema, it accepts the output of
# `sundown init` and the example of every key, and it rejects what the program rejects.
# Usage: scripts/validate-config.sh [PROGRAM]    (default: a debug build)
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# -gt 0 ] || cargo build --locked --quiet
program=$(realpath "${1:-${CARGO_TARGET_DIR:-target}/debug/sundown}")
reference=$PWD/docs/reference/configuration.md
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

python3 -m venv "$scratch/python"
python=$scratch/python/bin/python
"$python" -m pip install --quiet --disable-pip-version-check check-jsonschema==0.39.0
check=$scratch/python/bin/check-jsonschema

"$program" schema config >"$scratch/schema.json"
"$program" schema rules >"$scratch/rules.json"
"$check" --quiet --check-metaschema "$scratch/schema.json" "$scratch/rules.json"
"$check" --quiet --schemafile "$scratch/rules.json" rules/*.toml docs/example-rules.toml docs/example-requirements.toml

cd "$scratch"
"$program" init >/dev/null
"$check" --quiet --schemafile schema.json sundown.toml
# The examples of the keys in the reference.
awk '/^#/ { key = $0; gsub(/^## `|`$/, "", key) } key != "api" && index($0, key " = ") == 1' "$reference" >all.toml
"$check" --quiet --schemafile schema.json all.toml
"$program" config --config all.toml >/dev/null

for broken in 'exlude = ["x"]' 'strict = "yes"' 'fail-on = "errors"' '[[payload]]
files = "x"' '[severity]
some-rule = "bad"'; do
  echo "$broken" >broken.toml
  ! "$check" --quiet --schemafile schema.json broken.toml || { echo "the schema takes: $broken" >&2; exit 1; }
  ! "$program" config --config broken.toml 2>/dev/null || { echo "the program takes: $broken" >&2; exit 1; }
done
echo "configuration: $(grep -cE '^[a-z-]+ = ' all.toml) keys valid by its schema, 5 mistakes refused"
