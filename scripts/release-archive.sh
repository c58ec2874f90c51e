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
python3 - "$folder/$name.tar.gz" "$name" "$time" "$documents" "$program" \
  "$root/LICENSE-APACHE" "$root/LICENSE-MIT" "$root/README.md" <<'PYTHON'
import gzip, os, sys, tarfile

archive, name, time, documents, program, *files = sys.argv[1:]
members = {os.path.basename(path): path for path in [program, *files]}
for folder, _, names in os.walk(documents) if documents else ():
    for path in (os.path.join(folder, each) for each in names):
        members[os.path.relpath(path, documents).replace(os.sep, "/")] = path
with open(archive, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for inside, path in sorted(members.items()):
            member = tarfile.TarInfo(f"{name}/{inside}")
            member.size = os.path.getsize(path)
            member.mtime = int(time)
            member.mode = 0o755 if path == program else 0o644
            with open(path, "rb") as content:
                tar.addfile(member, content)
PYTHON
echo "$name.tar.gz"
