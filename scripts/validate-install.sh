#!/usr/bin/env bash
# Tests install.sh against folders and a local server, in every POSIX shell that is installed: dash, bash, busybox sh.
# Usage: scripts/validate-install.sh
# shellcheck disable=SC2016 # the stand-ins for programs are written out as they are
set -euo pipefail
cd "$(dirname "$0")/.."

for tool in python3 curl; do
  command -v "$tool" >/dev/null || { echo "skipped: testing install.sh needs $tool: apt-get install $tool"; exit 0; }
done
scratch=$(mktemp -d)
server=
clean_up() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  # A folder of the tests is read-only.
  chmod -R u+w "$scratch"
  rm -rf "$scratch"
}
trap clean_up EXIT
unset SUNDOWN_RELEASES SUNDOWN_INSTALL_DIR

version=0.1.0
processor=x86_64
[ "$(uname -m)" = x86_64 ] || processor=aarch64
gnu=$processor-unknown-linux-gnu
musl=$processor-unknown-linux-musl
if [ "$(uname -s)" = Darwin ]; then gnu=$processor-apple-darwin musl=$gnu; fi

# release FOLDER TARGET [SCRIPT]: adds an archive whose program is the shell script, by default a program that works.
release() {
  local name=sundown-v$version-$2
  mkdir -p "$scratch/build/$name" "$scratch/$1"
  printf '#!/bin/sh\n%s\n' "${3:-echo sundown $version $2}" >"$scratch/build/$name/sundown"
  chmod 755 "$scratch/build/$name/sundown"
  tar -czf "$scratch/$1/$name.tar.gz" -C "$scratch/build" "$name"
  (cd "$scratch/$1" && sum_files >SHA256SUMS)
}

sum_files() {
  if command -v sha256sum >/dev/null; then sha256sum ./*.tar.gz; else shasum -a 256 ./*.tar.gz; fi | sed 's| \./| |'
}

# What the loader of glibc says on an old system.
old='echo "$0: /lib/libc.so.6: version \`GLIBC_9.9'"' not found (required by \$0)"'" >&2; exit 1'
release good "$gnu"
release good other-system
release old "$gnu" "$old"
[ "$gnu" = "$musl" ] || { release both "$gnu" "$old"; release both "$musl"; }
release none other-system
release wrong "$gnu" 'touch "$0.ran"'
sed -i.bak 's/^...../00000/' "$scratch/wrong/SHA256SUMS"
release incomplete "$gnu"
release "versions/v$version" "$gnu"
release cut "$gnu"
release missing "$gnu"
rm "$scratch/missing/"*.tar.gz

# Serves the folders. Archives in the folder `cut` are cut off, and those in `slow` never end.
cp -R "$scratch/good" "$scratch/slow"
cat >"$scratch/server.py" <<'END'
import functools, http.server, os, sys, time


class Handler(http.server.SimpleHTTPRequestHandler):
    def copyfile(self, source, outputfile):
        if self.path.endswith(".tar.gz") and ("/cut/" in self.path or "/slow/" in self.path):
            outputfile.write(source.read(100))
            outputfile.flush()
            if "/slow/" in self.path:
                open("slow-started", "w").close()
                time.sleep(60)
        else:
            super().copyfile(source, outputfile)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    handle_error = lambda *_: None


os.chdir(sys.argv[1])
server = Server(("127.0.0.1", 0), Handler)
with open("port.new", "w") as file:
    file.write(str(server.server_port))
os.rename("port.new", "port")
server.serve_forever()
END
python3 "$scratch/server.py" "$scratch" &
server=$!
while [ ! -e "$scratch/port" ]; do sleep 0.05; done
address=http://127.0.0.1:$(cat "$scratch/port")

# A PATH of links: everything that the script may use, but for the names given.
# tools_without NAME...
tools_without() {
  rm -rf "$scratch/tools"
  mkdir "$scratch/tools"
  local name path
  for name in sh uname tar gzip mktemp sha256sum shasum openssl curl wget cat cp rm rmdir mv mkdir chmod sed grep cut tail \
    sort dirname pwd; do
    case " $* " in *" $name "*) continue ;; esac
    ! path=$(type -P "$name") || ln -s "$path" "$scratch/tools/$name"
  done
}

# wants CODE TEXT ARGUMENT...: runs the script for an empty home folder, into $scratch/output. It must say the text in one
# line, and leave nothing else behind.
wants() {
  local code=0 wanted=$1 text=$2
  shift 2
  rm -rf "${scratch:?}"/{home,tmp}
  mkdir "$scratch/home" "$scratch/tmp"
  run "$@" >"$scratch/output" 2>&1 || code=$?
  [ "$code" -eq "$wanted" ] || fails "$* ended with $code, not $wanted"
  grep -qF -e "$text" "$scratch/output" || fails "it does not say: $text"
  [ "$wanted" -eq 0 ] || [ "$(wc -l <"$scratch/output")" -eq 1 ] || fails "it says more than one line"
  leaves "$([ "$wanted" -ne 0 ] || echo "./home/.local/bin/sundown")"
}

run() {
  (become_script "$@")
}

become_script() {
  exec env HOME="$scratch/home" TMPDIR="$scratch/tmp" PATH="${tools:-$PATH}" "${shell[@]}" ./install.sh "$@"
}

# leaves FILES: the files in the home and the temporary folder are exactly these, and no folder is there without one.
leaves() {
  local found
  found=$(cd "$scratch" && find ./home ./tmp -mindepth 1 \( ! -type d -o -empty \) | sort)
  [ "$found" = "$1" ] || fails "it leaves '$found', not '$1'"
}

fails() {
  echo "${shell[*]}: $1" >&2
  cat "$scratch/output" >&2
  exit 1
}

from() {
  export SUNDOWN_RELEASES=$1
}

test_in_shell() {
  local tools=
  from "$scratch/good"
  wants 0 "installed sundown $version $gnu as $scratch/home/.local/bin/sundown"
  grep -qF 'is not on PATH' "$scratch/output" || fails "it does not say that the folder is not on PATH"
  from "$address/good/"
  wants 0 "(sundown-v$version-$gnu.tar.gz, SHA-256 verified)"
  run >"$scratch/output" 2>&1 || fails "a second installation fails"
  leaves ./home/.local/bin/sundown
  # Whatever runs the installed program at this moment keeps its file.
  run --uninstall >"$scratch/output" 2>&1 || fails "the program cannot be uninstalled"
  ! [ -e "$scratch/home/.local/bin/sundown" ] || fails "the program is still there"

  from "$scratch/good"
  mkdir -p "$scratch/my bin"
  rm -f "$scratch/my bin/sundown"
  PATH="$scratch/my bin:$PATH" run --to "$scratch/my bin" >"$scratch/output" 2>&1 || fails "it does not take --to"
  ! grep -q PATH "$scratch/output" || fails "it speaks of PATH"
  "$scratch/my bin/sundown" --version >/dev/null
  PATH="$scratch/home:$PATH" run "--to=$scratch/my bin" --uninstall >/dev/null 2>&1 || fails "it does not uninstall"
  printf '#!/bin/sh\necho other 1.0\n' >"$scratch/my bin/sundown"
  chmod 755 "$scratch/my bin/sundown"
  wants 1 'is another program' --to "$scratch/my bin" --uninstall
  wants 1 'is another program' --to "$scratch/my bin"
  grep -q 'other 1.0' "$scratch/my bin/sundown" || fails "it replaces another program"
  wants 1 'holds no program' --uninstall

  from "$scratch/versions"
  wants 0 "installed sundown $version" --version "v$version"
  from "$address/versions"
  wants 0 "installed sundown $version" --version="$version"
  wants 1 "there is no SHA256SUMS in $address/versions" --version 9.9.9
  from "$scratch/good"
  wants 1 'the release has no archive' --version 9.9.9

  # Bad input.
  from "$address/cut"
  wants 1 'could not be downloaded completely'
  from "$scratch/wrong"
  wants 1 'the download is incomplete or was changed'
  from "$address/wrong"
  wants 1 'the download is incomplete or was changed'
  from "$scratch/missing"
  wants 1 'but does not have it'
  from "$address/missing"
  wants 1 'but does not have it'
  from "$scratch/nothing"
  wants 1 'there is no SHA256SUMS'
  from "$scratch/none"
  wants 1 'has no archive for this machine'
  from "$scratch/old"
  wants 1 'needs glibc 9.9 or newer'
  if [ -d "$scratch/both" ]; then
    from "$scratch/both"
    wants 0 "installed sundown $version $musl"
  fi
  from http://example.com
  wants 1 'is an https address or a local folder'
  from https://127.0.0.1:1
  wants 1 'could not be downloaded completely'
  for wrong in "http://localhost:1@127.0.0.1:${address##*:}/good" "$address/x/../good" "$address/good?" "$address/go od" \
    "https://user@127.0.0.1:1" 'https://127.0.0.1:1/\x' 'https:///good' "$address/{good,none}"; do
    from "$wrong"
    wants 1 'has more than a host and a path'
  done
  from "$scratch/good"
  wants 1 'unknown' --prefix /tmp
  wants 1 'needs a value' --to
  wants 1 'takes a version' --version '$(id)'
  printf x >"$scratch/file"
  wants 1 'is not a folder that can be written' --to "$scratch/file/bin"
  # For root, only a read-only mount is read-only.
  if [ "$(id -u)" -ne 0 ]; then
    mkdir -p "$scratch/read-only"
    chmod 555 "$scratch/read-only"
    wants 1 'is not a folder that can be written' --to "$scratch/read-only/bin"
  elif [ -d /proc/1 ]; then
    wants 1 'is not a folder that can be written' --to /proc/1/bin
  fi
  from ""
  case $(cat packaging/repository 2>/dev/null || echo unset) in
    https://*) ;;
    *) wants 1 'set SUNDOWN_RELEASES' ;;
  esac

  test_signals
}

# Machines that lack a program. This does not depend on the shell.
test_without_tools() {
  local tools=$scratch/tools wget
  tools_without curl wget
  from "$address/good"
  wants 1 "needs 'curl' or 'wget'"
  from "$scratch/good"
  wants 0 "installed sundown"
  tools_without sha256sum shasum openssl
  wants 1 "needs 'sha256sum', 'shasum' or 'openssl'"
  tools_without tar
  wants 1 "needs 'tar'"
  tools_without uname
  printf '#!/bin/sh\n[ "$1" = -s ] && echo Linux || echo riscv64\n' >"$scratch/tools/uname"
  chmod 755 "$scratch/tools/uname"
  wants 1 'there is no archive for Linux on riscv64'
  if command -v openssl >/dev/null; then
    tools_without sha256sum shasum
    wants 0 "installed sundown"
  fi
  for wget in "$(type -P wget || true)" "$(type -P busybox || true)"; do
    [ -n "$wget" ] || continue
    tools_without curl wget
    case $wget in */busybox) wget="$wget wget" ;; esac
    printf '#!/bin/sh\nexec %s "$@"\n' "$wget" >"$scratch/tools/wget"
    chmod 755 "$scratch/tools/wget"
    from "$address/good"
    wants 0 "installed sundown"
    from "$address/cut"
    wants 1 'could not be downloaded completely'
    from "$address/missing"
    wants 1 'but does not have it'
    case $wget in *busybox*)
      from https://127.0.0.1:1
      wants 1 'does not verify certificates'
      ;;
    esac
  done
}

# A signal in the middle of a download leaves nothing.
test_signals() {
  local signal process code
  from "$address/slow"
  for signal in TERM HUP; do
    rm -rf "${scratch:?}"/{home,tmp,slow-started}
    mkdir "$scratch/home" "$scratch/tmp"
    # A group of its own, as in a terminal: the signal reaches the download, too.
    set -m
    become_script >"$scratch/output" 2>&1 &
    process=$!
    set +m
    while [ ! -e "$scratch/slow-started" ]; do sleep 0.02; done
    kill "-$signal" -- "-$process"
    code=0
    wait "$process" 2>/dev/null || code=$?
    [ "$code" -gt 128 ] || fails "SIG$signal ends it with $code"
    leaves ""
  done
}

shells=0
for candidate in "dash" "bash --posix" "busybox sh" "sh"; do
  [ "$candidate" != sh ] || [ "$shells" -eq 0 ] || continue
  read -ra shell <<<"$candidate"
  shell[0]=$(type -P "${shell[0]}") || continue
  test_in_shell
  [ "$shells" -gt 0 ] || test_without_tools
  shells=$((shells + 1))
  tested=${tested:+$tested, }$candidate
done
[ "$shells" -gt 0 ]
echo "install.sh: works, and leaves nothing after a failure, in $tested"
