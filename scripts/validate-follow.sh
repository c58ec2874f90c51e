#!/usr/bin/env bash
# Checks `sundown usage --follow` on a terminal (in place, in any size, restored at the end), in pipes, and with a partial result on
# disk. Installs pexpect and pyte from PyPI in a temporary folder.
#
# Usage: scripts/validate-follow.sh [PROGRAM]
set -euo pipefail
cd "$(dirname "$0")/.."

program=$(realpath "${1:-target/debug/sundown}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python3 -m venv "$scratch/venv"
"$scratch/venv/bin/pip" install --quiet --no-cache-dir pexpect pyte
TMPDIR=$scratch "$scratch/venv/bin/python" scripts/validate-follow.py "$program"
