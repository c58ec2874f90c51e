#!/usr/bin/env bash
# Compares the counts of `sundown usage` with those of an independent oracle in Python, which knows only the facts about the
# service and what it planted: on the recorded captures, and on 6,000 generated calls of 50 callers on 30 days in five formats, some
# without a time or with a body that is cut off, whole, split, shuffled, rotated and compressed.
#
# Usage: scripts/validate-usage.sh [PROGRAM]
set -euo pipefail
cd "$(dirname "$0")/.."

program=$(realpath "${1:-target/debug/sundown}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export PYTHONDONTWRITEBYTECODE=1

python=python3
if ! python3 -c 'import yaml' 2>/dev/null; then
  python3 -m venv "$scratch/venv"
  "$scratch/venv/bin/pip" install --quiet --no-cache-dir pyyaml
  python=$scratch/venv/bin/python
fi
"$python" tests/mock-service/usage_oracle.py "$program" "$scratch/generated"
