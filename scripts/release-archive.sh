#!/usr/bin/env bash
# Packs a built program as a release archive, with the name and layout that the action expects. Prints the archive's name.
# Usage: scripts/release-archive.sh TARGET PROGRAM FOLDER [DOCUMENTS]
# Example: scripts/release-archive.sh x86_64-unknown-linux-musl target/.../sundown dist
#
# DOCUMENTS is a folder with files that are added, at their relative paths: scripts/release adds man pages and completions.
# The same program always gives the same archive, byte for byte: sorted names, no owners, and SOURCE_DATE_EPOCH (default:
# the commit's time) as timestamp.
set -euo pipefail
if [ $# -lt 3 ] || [ $# -gt 4 ]; then
  echo "usage: scripts/release-archive.sh TARGET PROGRAM FOLDER [DOCUMENTS]" >&2
  exit 2
fi
target=$1
program=$2
folder=$3
documents=${4:-}
root=$(cd "$(dirname "$0")/.." && pwd)

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$root/Cargo.toml" | head -n 1)
name=sundown-v$version-$target
time=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct)}
mkdir -p "$folder"
# Not `tar`, whose options for this differ between systems.
PYTHONPATH=$root/packaging PYTHONDONTWRITEBYTECODE=1 python3 - "$folder/$name.tar.gz" "$name" "$time" "$documents" "$program" \
  "$root/LICENSE-APACHE" "$root/LICENSE-MIT" "$root/README.md" <<'PYTHON'
import sys
from pathlib import Path
from release.tar_gz import write_tar_gz

archive, name, time, documents, program, *files = sys.argv[1:]
paths = {Path(path).name: Path(path) for path in [program, *files]}
if documents:
    paths |= {path.relative_to(documents).as_posix(): path for path in Path(documents).rglob("*") if path.is_file()}
members = {f"{name}/{inside}": (path.read_bytes(), path == Path(program)) for inside, path in paths.items()}
write_tar_gz(archive, members, int(time))
PYTHON
echo "$name.tar.gz"
