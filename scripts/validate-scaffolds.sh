#!/usr/bin/env bash
# Runs the scaffolds in a scratch copy, and checks that the tests after them fail with the lists of what is missing.
# Usage: scripts/validate-scaffolds.sh
set -euo pipefail
cd "$(dirname "$0")/.."

repository=$PWD
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
git ls-files -z --cached --others --exclude-standard |
  while IFS= read -r -d '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done |
  xargs -0 cp --parents -t "$scratch"
cd "$scratch"
# A target directory of its own, kept for the next run: the copy must not replace the binary that other tests run.
export CARGO_TARGET_DIR=$repository/target/scaffolds
# The tests only look at source text. Optimisation would take longer than it saves, and nothing is debugged.
export CARGO_PROFILE_DEV_OPT_LEVEL=0 CARGO_PROFILE_DEV_DEBUG=0
# Compiled dependencies are the same as those of the other tests, so they are linked instead of built again.
if [ -d "$repository/target/debug" ] && [ ! -d "$CARGO_TARGET_DIR" ]; then
  mkdir -p "$CARGO_TARGET_DIR"
  cp -al "$repository/target/debug" "$CARGO_TARGET_DIR/debug"
fi

# The tests that list what is missing, one for each scaffold. All run at once, because compiling takes longest.
scripts/new report zebra >/dev/null
scripts/new setting zebra-stripes >/dev/null
scripts/new format yak clients herd >/dev/null
scripts/new shape zebra-log >/dev/null
tests=(every_report_format_is_complete every_setting_is_complete every_capture_format_is_complete)
tests+=(calls_hosts_times_and_bodies_are_found_in_every_layout)

for kind in scripts/scaffold/*; do
  grep -q "^scripts/new ${kind##*/} " scripts/validate-scaffolds.sh ||
    { echo "$kind has no case in scripts/validate-scaffolds.sh" >&2; exit 1; }
done

code=0
cargo test --locked --quiet --lib -- "${tests[@]}" >output 2>&1 || code=$?
[ "$code" -ne 0 ] || { echo "a skeleton passes the tests" >&2; exit 1; }

# Reads the lines that the output has to contain.
expect() {
  local line
  while IFS= read -r line; do
    grep -qF -- "$line" output || { echo "$1: the list of what is missing lacks: $line" >&2; cat output >&2; exit 1; }
  done
  echo "scaffold: a new $1 fails with the list of what is missing"
}

expect 'report format' <<'EOF'
zebra: crates/report/src/formats/zebra.rs: say in `about` and `skips`
zebra: docs/reports.md: in the table, the row | `zebra` |
zebra: docs/reports.md: an example with `--format zebra`
zebra: docs/living-with-findings.md
zebra: CHANGELOG.md
zebra: scripts/validate-reports.py: "zebra" in VALIDATORS
reports__report_formats__fixture_zebra.snap
reports__report_formats__hostile_zebra.snap
EOF

expect 'setting' <<'EOF'
zebra-stripes: crates/run/src/config/settings.toml: say in one sentence what it does
zebra-stripes: crates/run/src/config/settings.toml: `default` and `example`
zebra-stripes: tests/cli/configuration.rs: a row in EFFECTS
zebra-stripes: docs: no page mentions `zebra-stripes`
zebra-stripes: docs/reference/configuration.md
EOF

expect 'shape' <<'EOF'
zebra-log: [("nothing-to-check"
EOF

expect 'capture format' <<'EOF'
yak: crates/captures/formats/yak.toml: say in `title` what users should know
yak: crates/captures/formats/yak.toml: in `[[mark]]`, features that few other files have
yak: docs/reference/formats.md: its row
yak: crates/captures/formats/yak.toml: in `sample`, a file below testdata that the real tool wrote
yak: src/tests/equivalence.rs: a row in ROWS
yak: .pre-commit-hooks.yaml: `herd` in `files`
yak: docs/pre-commit.md: `.herd` among the extensions
yak: crates/captures/samples/yak.herd: content instead of TODO
yak: crates/captures/samples/yak.herd: the number 7007 in the body of a request
yak: crates/captures/samples/yak.herd: `"citations"` in the body of a call of `POST /rest/api/v1/chat`
yak: crates/captures/samples/yak.herd: a response of `GET https://h.test/v1/reports` with `Sunset`
EOF
