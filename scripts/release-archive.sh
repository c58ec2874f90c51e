#!/usr/bin/env bash
# Packs a built program as a released archive, called and laid out as the action expects it; prints the archive's name.
# Usage: scripts/release-archive.sh TARGET PROGRAM FOLDER    (e.g. x86_64-unknown-linux-musl target/.../sundown dist)
set -euo pipefail
target=$1
program=$2
folder=$3
root=$(cd "$(dirname "$0")/.." && pwd)

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$root/Cargo.toml" | head -n 1)
name=sundown-v$version-$target
mkdir -p "$folder/$name"
cp "$program" "$root/README.md" "$root/LICENSE-APACHE" "$root/LICENSE-MIT" "$folder/$name"
# A relative name, because tar takes the colon of a Windows drive for the name of a machine.
(cd "$folder" && tar -czf "$name.tar.gz" "$name")
rm -r "${folder:?}/$name"
echo "$name.tar.gz"
