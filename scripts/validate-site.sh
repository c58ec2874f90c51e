#!/usr/bin/env bash
# Builds the documentation site and opens each page in headless Chromium: links, search, accessibility, phone and desktop.
# Usage: scripts/validate-site.sh [PAGE.html]...    (without pages, all of them; takes some minutes)
# Needs mdbook (cargo install mdbook --locked), Python 3, Node.js with npm, and Chromium: set CHROMIUM if it is not
# /usr/bin/chromium. The packages go into a temporary folder.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  echo "scripts/validate-site.sh: $1" >&2
  exit 1
}

export CHROMIUM=${CHROMIUM:-/usr/bin/chromium}
command -v mdbook >/dev/null || fail "it needs mdbook: cargo install mdbook --locked"
command -v npm >/dev/null || fail "it needs Node.js with npm: install nodejs and npm"
[ -x "$CHROMIUM" ] || fail "$CHROMIUM is missing: install chromium, or set CHROMIUM to its path"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mdbook build docs --dest-dir "$scratch/book" >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; fail "mdbook cannot build the site"; }
if grep -E '^ *(WARN|ERROR)' "$scratch/log" >&2; then
  fail "mdbook has warnings about the site"
fi

check=$PWD/scripts/validate-site.mjs
cd "$scratch"
npm install --silent --no-package-lock --no-audit --no-fund --prefix . playwright-core@1.65.1 axe-core@4.14.1 2>npm.log ||
  { cat npm.log >&2; fail "the packages could not be installed"; }
node "$check" "$scratch/book/html" "$@"
