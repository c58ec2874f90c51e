#!/usr/bin/env bash
# Checks a release folder with other programs, or makes one twice, in two clones, and compares them first.
# Usage: scripts/validate-release.sh [RELEASE_FOLDER]    (without: two clones of the last commit, two builds)
#
# scripts/validate-packages.sh installs the files. This script looks at the files themselves.
set -euo pipefail
cd "$(dirname "$0")/.."

# DEPENDENCIES.md says what a smaller program would lose.
largest=12000000
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

main() {
  local release=${1:-}
  if [ $# -gt 1 ]; then
    sed -n 's/^# Usage: /usage: /p' "$0" >&2
    exit 2
  fi
  if [ -z "$release" ]; then
    make_twice
    release=$scratch/one/release
  fi
  [ -f "$release/SHA256SUMS" ] || { echo "$release has no SHA256SUMS; scripts/release makes a release folder" >&2; exit 2; }
  release=$(realpath "$release")
  (cd "$release" && sha256sum --check --quiet --strict SHA256SUMS)
  [ "$(find "$release" -mindepth 1 | wc -l)" -eq $(($(wc -l <"$release/SHA256SUMS") + 1)) ]
  echo "sums: SHA256SUMS lists all files"

  python3 -m venv "$scratch/python"
  judges=$scratch/python/bin
  "$judges/python" -m pip install --quiet --disable-pip-version-check \
    twine==7.0.0 check-wheel-contents==0.6.3 auditwheel==6.8.2 'cyclonedx-python-lib[json-validation]==11.12.0'
  check_programs
  check_wheels
  check_components
  check_npm
}

# The names of the clones differ in length, so that a path in a file would show.
make_twice() {
  local clone
  for clone in one/sundown another/place; do
    git clone --quiet . "$scratch/$clone"
    (cd "$scratch/$clone" && scripts/release ../release >/dev/null)
  done
  diff --recursive "$scratch/one/release" "$scratch/another/release"
  echo "reproducible: two clones give the same $(find "$scratch/one/release" -type f | wc -l) files"
}

# All packages of a platform have the same program. It is small, names no path of this machine, and runs with glibc 2.17.
check_programs() {
  local archive name target size newest
  for archive in "$release"/sundown-v*.tar.gz; do
    name=$(basename "$archive" .tar.gz)
    target=${name#"sundown-v$version-"}
    tar -xzf "$archive" -C "$scratch"
    program=$scratch/$name/sundown
    [ -e "$program" ] || program=$program.exe
    size=$(stat --format %s "$program")
    [ "$size" -le "$largest" ] || { echo "$target: the program has $size bytes, more than $largest" >&2; exit 1; }
    if grep -qaF -e "$PWD" -e "$scratch" -e "$HOME/" "$program"; then
      echo "$target: the program contains a path of this machine" >&2
      exit 1
    fi
    newest=none
    if [[ $target == *-gnu ]]; then
      newest=$(objdump -T "$program" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)
      [ "$(printf '%s\nGLIBC_2.17\n' "$newest" | sort -V | tail -n 1)" = GLIBC_2.17 ] ||
        { echo "$target: the program needs $newest" >&2; exit 1; }
    fi
    echo "program: $target, $size bytes, newest symbol $newest, SHA-256 $(sha256sum <"$program" | cut -c 1-16)"
  done
}

check_wheels() {
  local wheel
  "$judges/twine" check --strict "$release"/*.whl >/dev/null
  "$judges/check-wheel-contents" "$release"/*.whl >/dev/null
  for wheel in "$release"/*manylinux*.whl; do
    [ -e "$wheel" ] || continue
    # The platform tags are the last part of the name. auditwheel calls the oldest one that fits.
    "$judges/auditwheel" show "$wheel" >"$scratch/audit"
    tr -s '\n ' ' ' <"$scratch/audit" | grep -qF '"manylinux_2_17_' || { cat "$scratch/audit" >&2; exit 1; }
  done
  echo "wheels: twine, check-wheel-contents and auditwheel accept them"
}

# The list beside the program, and the one inside it.
check_components() {
  "$judges/python" - "$release/sundown-$version.cdx.json" "$program" <<'PYTHON'
import json, sys, zlib
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from elftools.elf.elffile import ELFFile

text = open(sys.argv[1], encoding="utf-8").read()
validator = JsonStrictValidator(SchemaVersion.V1_5)
problem = validator.validate_str(text)
assert problem is None, problem
assert validator.validate_str(text.replace('"CycloneDX"', '"nothing"')) is not None
bom = json.loads(text)
assert "serialNumber" not in bom
listed = {(each["name"], each["version"]) for each in bom["components"]}
print(f"components: {len(listed)} crates, valid CycloneDX 1.5")

with open(sys.argv[2], "rb") as file:
    if file.read(4) == b"\x7fELF":
        section = ELFFile(file).get_section_by_name(".dep-v0")
        packages = json.loads(zlib.decompress(section.data()))["packages"]
        missing = {(each["name"], each["version"]) for each in packages if not each.get("root")} - listed
        assert not missing, missing
        print(f"components: the program itself lists {len(packages)} of them")
PYTHON
}

check_npm() {
  local major package
  major=$(node --version 2>/dev/null | sed 's/^v\([0-9]*\).*/\1/')
  if ! command -v npm >/dev/null || [ "${major:-0}" -lt 20 ]; then
    echo "skipped: the npm packages need Node.js 20 or newer: https://nodejs.org/en/download"
    return
  fi
  export npm_config_cache=$scratch/npm npm_config_loglevel=error
  npm install --silent --no-audit --no-fund --prefix "$scratch/publint" publint@0.3.25 >/dev/null
  for package in "$release"/*.tgz; do
    npm publish --dry-run --offline "$package" >/dev/null
    "$scratch/publint/node_modules/.bin/publint" --strict "$package" >"$scratch/lint" || { cat "$scratch/lint" >&2; exit 1; }
    if tar -xzOf "$package" package/package.json | grep -qF '"scripts"'; then
      echo "$package runs scripts" >&2
      exit 1
    fi
  done
  echo "npm: npm and publint accept the packages"
}

main "$@"
