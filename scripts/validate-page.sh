#!/usr/bin/env bash
# Opens the web pages of `sundown check` and `sundown usage` in headless Chromium: filters, links, places, colours, print,
# accessibility, hostile names, no JavaScript, and large pages.
# Usage: scripts/validate-page.sh [--picture] [PROGRAM]    (--picture only draws docs/page.png again; default: a release build)
# Needs Node.js with npm, Python 3, and Chromium: set CHROMIUM if it is not /usr/bin/chromium. The packages go into a temporary
# folder.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  echo "scripts/validate-page.sh: $1" >&2
  exit 1
}

picture=
if [ "${1:-}" = --picture ]; then
  picture=$PWD/docs/page.png
  shift
fi
export CHROMIUM=${CHROMIUM:-/usr/bin/chromium}
command -v npm >/dev/null || fail "it needs Node.js with npm: install nodejs and npm"
command -v python3 >/dev/null || fail "it needs Python: install python3"
[ -x "$CHROMIUM" ] || fail "$CHROMIUM is missing: install chromium, or set CHROMIUM to its path"
[ $# -gt 0 ] || cargo build --locked --quiet --release
program=$(realpath "${1:-${CARGO_TARGET_DIR:-target}/release/sundown}")

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
npm install --silent --no-package-lock --no-audit --no-fund --prefix "$scratch" \
  playwright-core@1.65.1 axe-core@4.14.1 html-validate@10.17.0 2>"$scratch/npm.log" ||
  { cat "$scratch/npm.log" >&2; fail "the packages could not be installed"; }
python3 scripts/validate-reports.py traffic "$scratch"
python3 scripts/page-traffic.py "$scratch"

pages=$scratch/pages
mkdir "$pages"
check() {
  "$program" check "$@" --as-of 2026-11-20 --fail-on never --format html
}
usage() {
  "$program" usage "$@" --no-builtin-rules --as-of 2026-11-20 --format html
}
usage testdata/usage --rules testdata/usage/rules.toml --by user-agent >"$pages/usage.html"
script=$PWD/scripts/validate-page.mjs
if [ -n "$picture" ]; then
  (cd "$scratch" && node "$script" "$pages" "$picture")
  exit 0
fi
check testdata/captures >"$pages/check.html"
(cd "$scratch/nothing" && check . >"$pages/check-nothing.html")
rules=$PWD/testdata/reports/rules.toml
(cd "$scratch/hostile" && check . --rules "$rules" --no-builtin-rules >"$pages/check-hostile.html")
(cd "$scratch/many" && check . --rules "$rules" --no-builtin-rules >"$pages/check-many.html")
usage testdata/usage --rules testdata/usage/rules.toml >"$pages/usage-without-callers.html"
(cd "$scratch/hostile-usage" && usage . --rules rules.toml --by header:x-team --by user-agent --by file --show-callers \
  >"$pages/usage-hostile.html")
(cd "$scratch/many-usage" && usage . --rules rules.toml --by user-agent >"$pages/usage-many.html")

cd "$scratch"
node "$script" "$pages"
