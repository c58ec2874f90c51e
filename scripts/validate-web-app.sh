#!/usr/bin/env bash
# Builds examples/web-app, records it in headless Chromium, and checks that the finding names the lines in its TypeScript.
# Usage: scripts/validate-web-app.sh [--record]    (--record keeps the recording and the build in testdata/web-app,
# and draws the pictures of terminals again)
# Needs Node.js with npm, and Chromium: set CHROMIUM if it is not /usr/bin/chromium. The packages go into a temporary folder.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  echo "scripts/validate-web-app.sh: $1" >&2
  exit 1
}

export CHROMIUM=${CHROMIUM:-/usr/bin/chromium}
command -v npm >/dev/null || fail "it needs Node.js with npm: install nodejs and npm"
[ -x "$CHROMIUM" ] || fail "$CHROMIUM is missing: install chromium, or set CHROMIUM to its path"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cargo build --quiet --bin sundown
sundown=${CARGO_TARGET_DIR:-$PWD/target}/debug/sundown

cp -r examples/web-app "$scratch/app"
app=$scratch/app
(cd "$app" && npm install --silent --no-package-lock --no-audit --no-fund 2>"$scratch/npm.log") ||
  { cat "$scratch/npm.log" >&2; fail "the packages could not be installed"; }
(cd "$app" && npm run --silent build && npm run --silent record -- recorded.har)

if [ "${1:-}" = --record ]; then
  mkdir -p testdata/web-app/dist
  cp "$app/recorded.har" testdata/web-app/
  cp "$app/dist/app.js" "$app/dist/app.js.map" testdata/web-app/dist/
  scripts/draw-terminals.py "$sundown"
fi

code=0
report=$(cd "$app" && "$sundown" check recorded.har --source-root dist --as-of 2026-11-24 --color never) || code=$?
echo "$report"
[ "$code" = 1 ] || fail "the check ended with $code instead of 1"

# The report must name the line of each call.
for call in "called from:src/http.ts:await fetch(" "which is called from:src/announcements.ts:await post<"; do
  IFS=: read -r phrase file text <<<"$call"
  line=$(grep -nF "$text" "$app/$file" | cut -d: -f1)
  grep -qF "$phrase $file:$line:" <<<"$report" || fail "the report does not say: $phrase $file:$line"
done
echo "the finding leads to the TypeScript"
