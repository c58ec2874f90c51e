#!/usr/bin/env bash
# Packs a built program as a release archive, with the name and layout that the action expects. Prints the archive's name.
# Usage: scripts/release-archive.sh TARGET PROGRAM FOLDER    (e.g. x86_64-unknown-linux-musl target/.../sundown dist)
#
# The same program always gives the same archive, byte for byte: sorted names, no owners, and SOURCE_DATE_EPOCH (default:
# the commit's time) as timestamp.
set -euo pipefail
target=$1
program=$2
folder=$3
root=$(cd "$(dirname "$0")/.." && pwd)

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$root/Cargo.toml" | head -n 1)
name=sundown-v$version-$target
time=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct)}
mkdir -p "$folder"
# Not `tar`, whose options for this differ between systems.
python3 - "$folder/$name.tar.gz" "$name" "$time" \
  "$root/LICENSE-APACHE" "$root/LICENSE-MIT" "$root/README.md" "$program" <<'PYTHON'
import gzip, os, sys, tarfile

archive, name, time, *files = sys.argv[1:]
with open(archive, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path in files:
            member = tarfile.TarInfo(f"{name}/{os.path.basename(path)}")
            member.size = os.path.getsize(path)
            member.mtime = int(time)
            member.mode = 0o755 if path == files[-1] else 0o644
            with open(path, "rb") as content:
                tar.addfile(member, content)
PYTHON
echo "$name.tar.gz"
