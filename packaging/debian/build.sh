#!/usr/bin/env bash
# Makes the Debian package from a release archive, with the same program, man pages and completions. Prints its name.
# Usage: packaging/debian/build.sh ARCHIVE FOLDER    (e.g. dist/sundown-v0.1.0-x86_64-unknown-linux-gnu.tar.gz dist)
#
# [package.metadata.deb] in Cargo.toml says where each file goes. The same archive always gives the same package.
set -euo pipefail
archive=$(realpath "$1")
folder=$(realpath "$2")
cd "$(dirname "$0")/../.."

for tool in cargo-deb dpkg-shlibdeps; do
  command -v "$tool" >/dev/null || {
    echo "packaging/debian/build.sh: $tool is missing: cargo install cargo-deb --locked; apt-get install dpkg-dev" >&2
    exit 2
  }
done

name=$(basename "$archive" .tar.gz)
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
target=${name#"sundown-v$version-"}
case $target in *-linux-*) ;; *) echo "packaging/debian/build.sh: $name is not for Linux" >&2; exit 2 ;; esac

input=target/deb
rm -rf "$input"
mkdir -p "$input"
tar -xzf "$archive" --strip-components 1 -C "$input"

# The time of the files in the archive is that of the release.
SOURCE_DATE_EPOCH=$(stat --format %Y "$input/sundown")
export SOURCE_DATE_EPOCH
{
  printf 'sundown (%s-1) unstable; urgency=medium\n\n  * New release; CHANGELOG.md has the changes.\n\n' "$version"
  printf ' -- %s  %s\n' "$(sed -n 's/^maintainer = "\(.*\)"$/\1/p' Cargo.toml)" \
    "$(LC_ALL=C date --utc --rfc-email --date "@$SOURCE_DATE_EPOCH")"
} >"$input/changelog"

cargo deb --quiet --no-build --no-strip --locked --offline --target "$target" --output "$folder" |
  xargs basename
