#!/bin/sh
# Installs the released program of sundown into one folder, or removes it. docs/installation.md is the manual.
# Usage: install.sh [--to DIR] [--version VERSION] [--uninstall]
#
# It needs no root, changes no other file, and puts the program in place only after its SHA-256 is verified and it has run
# once. All code is between two braces, to which a shell reads before it runs anything: a script that was cut off does nothing.
{
set -eu

# The address of the repository. scripts/release writes it into the copy of a release; in a checkout, packaging/repository has it.
repository=

usage() {
  cat <<'END'
Installs the released program of sundown into one folder.

Usage: install.sh [--to DIR] [--version VERSION] [--uninstall]

  --to DIR           the folder [default: SUNDOWN_INSTALL_DIR, or else ~/.local/bin]
  --version VERSION  the release, such as 0.1.0 [default: the latest]
  --uninstall        remove the program from the folder
  --help             show this help

SUNDOWN_RELEASES is an https address (a host and a path alone) or a local folder with SHA256SUMS and the archives of one release, or with a
folder vVERSION for each release. By default, the releases of the project's repository are used.
END
}

main() {
  folder=${SUNDOWN_INSTALL_DIR:-}
  version=
  action=install
  while [ $# -gt 0 ]; do
    case $1 in
      --to | --version)
        [ $# -gt 1 ] && [ -n "$2" ] || stop "'$1' needs a value"
        if [ "$1" = --to ]; then folder=$2; else version=${2#v}; fi
        shift
        ;;
      --to=?*) folder=${1#*=} ;;
      --version=?*) version=${1#*=} version=${version#v} ;;
      --uninstall) action=uninstall ;;
      -h | --help)
        usage
        return
        ;;
      *) stop "the argument '$1' is unknown; --help lists the arguments" ;;
    esac
    shift
  done
  case $version in
    *[!0-9A-Za-z.-]*) stop "'--version' takes a version such as 0.1.0" ;;
  esac
  if [ -z "$folder" ]; then
    [ -n "${HOME:-}" ] || stop "HOME is not set; name the folder with '--to DIR'"
    folder=$HOME/.local/bin
  fi
  case $folder in /*) ;; *) folder=$(pwd)/$folder ;; esac
  program=$folder/sundown
  "$action"
}

stop() {
  printf 'sundown was not %sed: %s\n' "$action" "$1" >&2
  exit 1
}

uninstall() {
  [ -e "$program" ] || stop "$folder holds no program of that name"
  is_sundown "$program" || stop "$program is another program"
  rm -f "$program" 2>/dev/null || stop "$program cannot be removed; check the permissions of $folder"
  echo "removed $program"
}

is_sundown() {
  case $("$1" --version 2>/dev/null) in
    "sundown "*) ;;
    *) return 1 ;;
  esac
}

install() {
  require_tools
  check_folder
  scratch=
  staged=
  trap clean_up EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  scratch=$(mktemp -d) || stop "no temporary folder can be created in ${TMPDIR:-/tmp}"
  find_release
  problem="the release has no archive for this machine ($system $machine); docs/installation.md lists other channels"
  for target in $targets; do
    find_archive || continue
    fetch_archive
    if run_once; then
      put_in_place
      return
    fi
  done
  stop "$problem"
}

clean_up() {
  code=$?
  trap '' HUP INT TERM
  [ -z "$scratch" ] || rm -rf "$scratch"
  [ -z "$staged" ] || rm -f "$staged"
  # Folders that were created for nothing.
  while [ "$code" -ne 0 ] && [ "$folder" != "$existing" ] && rmdir "$folder" 2>/dev/null; do
    folder=$(dirname "$folder")
  done
  exit "$code"
}

# Sets `targets`: the archives that can run here, the best first.
require_tools() {
  system=$(uname -s)
  machine=$(uname -m)
  case $machine in
    x86_64 | amd64) processor=x86_64 ;;
    aarch64 | arm64) processor=aarch64 ;;
    *) processor= ;;
  esac
  case $system in
    # The program that is linked with glibc is faster. The other one is static and runs everywhere.
    Linux) targets="$processor-unknown-linux-gnu $processor-unknown-linux-musl" ;;
    Darwin) targets=$processor-apple-darwin ;;
    *) processor= ;;
  esac
  [ -n "$processor" ] ||
    stop "there is no archive for $system on $machine; docs/installation.md lists other channels"
  for tool in tar gzip mktemp; do
    is_command "$tool" || stop "it needs '$tool', which is not on PATH"
  done
  is_command sha256sum || is_command shasum || is_command openssl ||
    stop "it needs 'sha256sum', 'shasum' or 'openssl' to verify the download, and none is on PATH"
}

is_command() {
  command -v "$1" >/dev/null 2>&1
}

# Finds out before the download that the folder cannot be written.
check_folder() {
  [ ! -d "$program" ] || stop "$program is a folder"
  if [ -e "$program" ] && ! is_sundown "$program"; then
    stop "$program is another program, or does not run; remove it, or name another folder with '--to DIR'"
  fi
  existing=$folder
  while [ ! -e "$existing" ]; do existing=$(dirname "$existing"); done
  # Not `-w`, which some shells answer without asking the file system.
  probe=$(mktemp "$existing/.sundown.XXXXXX" 2>/dev/null) ||
    stop "$existing is not a folder that can be written; name another one with '--to DIR'"
  rm -f "$probe"
}

# Sets `source` to the folder or address with SHA256SUMS, and fetches that file.
find_release() {
  releases=${SUNDOWN_RELEASES:-}
  releases=${releases%/}
  if [ -n "$releases" ]; then
    if [ -n "$version" ] && source=$releases/v$version && fetch SHA256SUMS; then return; fi
    source=$releases
    fetch SHA256SUMS ||
      stop "${reason:-there is no SHA256SUMS in $releases}"
    return
  fi
  if [ -z "$repository" ] && [ -f "${0%/*}/packaging/repository" ]; then
    repository=$(cat "${0%/*}/packaging/repository")
  fi
  case $repository in
    https://*) ;;
    *) stop "this copy does not know the repository; set SUNDOWN_RELEASES to the address or folder of a release" ;;
  esac
  source=$repository/releases/latest/download
  [ -z "$version" ] || source=$repository/releases/download/v$version
  fetch SHA256SUMS || stop "${reason:-there is no release at $source}"
}

# Fetches a file of the release into the temporary folder. Fails with `reason` if that is impossible, without one if the
# release does not have the file.
# Usage: fetch NAME
fetch() {
  reason=
  case $source in
    https://*) protocols='=https' ;;
    # Everything else could be changed on its way here, together with its sum.
    http://127.0.0.1[:/]* | http://localhost[:/]*) protocols='=http' ;;
    file:///*)
      copy "${source#file://}/$1"
      return
      ;;
    *://*) stop "SUNDOWN_RELEASES is an https address or a local folder" ;;
    *)
      copy "$source/$1"
      return
      ;;
  esac
  check_address
  if is_command curl; then
    fetch_with_curl "$1"
  elif is_command wget; then
    fetch_with_wget "$1"
  else
    stop "it needs 'curl' or 'wget' to download, and neither is on PATH"
  fi
}

# An address that reads like one host and leads to another, or has more than a host and a path, is refused.
check_address() {
  path=${source#*://}
  host=${path%%/*}
  case $host in
    "" | *[!][0-9A-Za-z.:-]*) ;;
    *)
      case $path/ in
        *[!][0-9A-Za-z.:/_~%+-]* | */../*) ;;
        *) return ;;
      esac
      ;;
  esac
  stop "the address of the releases has more than a host and a path, such as '@', '?', '..' or a space"
}

# Usage: copy FILE
copy() {
  [ -f "$1" ] || return 1
  cp -- "$1" "$scratch/" 2>/dev/null && return
  reason="$1 cannot be read"
  return 1
}

fetch_with_curl() {
  code=0
  # A transfer below 1 kB a second for 30 seconds has stalled.
  curl --fail --silent --show-error --location --proto "$protocols" --proto-redir '=https' --tlsv1.2 --retry 2 \
    --connect-timeout 20 --speed-limit 1000 --speed-time 30 --output "$scratch/$1" "$source/$1" 2>"$scratch/log" || code=$?
  case $code in
    0) return ;;
    # The service answered that the file does not exist.
    22) grep -q 404 "$scratch/log" && return 1 ;;
  esac
  explain_failure "$1"
}

fetch_with_wget() {
  # Both report a 404 in these modes.
  case $(wget --version 2>/dev/null) in
    *GNU*)
      if wget -nv -t 2 -T 60 -O "$scratch/$1" "$source/$1" 2>"$scratch/log"; then
        # It follows every redirection. The log has the address from which the file came at last.
        [ "$protocols" = '=http' ] || ! grep -q 'URL:http:' "$scratch/log" ||
          stop "$source leads to an address without https"
        return
      fi
      ;;
    *)
      [ "$protocols" = '=http' ] || stop "this wget does not verify certificates; install 'curl' or GNU wget"
      wget -q -O "$scratch/$1" "$source/$1" 2>"$scratch/log" && return
      ;;
  esac
  ! grep -q 404 "$scratch/log" || return 1
  explain_failure "$1"
}

explain_failure() {
  reason="$1 could not be downloaded completely from $source; try again"
  return 1
}

# Sets `name` to the release's name for the target and `sum` to the SHA-256 of its archive.
find_archive() {
  lines=$(sed -n "s/^\([0-9a-f]\{64\}\) [ *]\(sundown-v[0-9A-Za-z.-]*-$target\)\.tar\.gz\$/\1 \2/p" "$scratch/SHA256SUMS")
  if [ -n "$version" ]; then
    lines=$(printf '%s\n' "$lines" | grep -F " sundown-v$version-$target" || true)
  fi
  case $lines in
    "") return 1 ;;
    *"
"*) stop "SHA256SUMS lists several releases; choose one with '--version VERSION'" ;;
  esac
  sum=${lines%% *}
  name=${lines#* }
}

# Downloads, verifies and unpacks the archive. Nothing of it is used before its sum is verified.
fetch_archive() {
  archive=$name.tar.gz
  fetch "$archive" || stop "${reason:-the release lists $archive, but does not have it}"
  actual=$(sha256_of "$scratch/$archive")
  [ "$actual" = "$sum" ] ||
    stop "the SHA-256 of $archive is $actual, not $sum as in SHA256SUMS: the download is incomplete or was changed"
  (cd "$scratch" && tar -xzf "$archive" "$name/sundown") 2>/dev/null ||
    stop "$archive cannot be unpacked; check the free space in ${TMPDIR:-/tmp}"
}

sha256_of() {
  if is_command sha256sum; then
    sha256sum <"$1"
  elif is_command shasum; then
    shasum -a 256 <"$1"
  else
    openssl dgst -sha256 -r <"$1"
  fi | cut -d ' ' -f 1
}

# Stages the program next to its place, where it can be executed and renamed, and runs it. Fails with `problem` if it
# does not run on this machine.
run_once() {
  mkdir -p "$folder" 2>/dev/null || stop "$folder cannot be created"
  staged=$(mktemp "$folder/.sundown.XXXXXX" 2>/dev/null) || stop "$folder cannot be written; name another one with '--to DIR'"
  { cat "$scratch/$name/sundown" >"$staged" && chmod 755 "$staged"; } 2>/dev/null ||
    stop "the program cannot be written to $folder; check the free space"
  if installed=$("$staged" --version 2>"$scratch/log"); then return; fi
  needed=$(sed -n "s/.*version .GLIBC_\([0-9.]*\)' not found.*/\1/p" "$scratch/log" | sort -t . -k 1,1n -k 2,2n | tail -n 1)
  problem="the program of $archive does not run on this machine ($system $machine)"
  [ -z "$needed" ] ||
    problem="the program needs glibc $needed or newer, this system has an older one, and the release has no static program"
  rm -f "$staged"
  staged=
  return 1
}

put_in_place() {
  mv -f "$staged" "$program" 2>/dev/null || stop "$program cannot be replaced; check the permissions of $folder"
  staged=
  echo "installed $installed as $program ($archive, SHA-256 verified)"
  case :$PATH: in
    *:"$folder":*)
      found=$(command -v sundown || true)
      [ "$found" = "$program" ] || echo "note: the command 'sundown' is $found, which comes first on PATH"
      ;;
    *) echo "note: $folder is not on PATH; add it in the configuration of your shell: PATH=\"$folder:\$PATH\"" ;;
  esac
}

main "$@"
}
