#!/usr/bin/env bash
# Installs the hook from the working copy with pre-commit and prek, and runs it in a scratch repository: with the network,
# and again from their caches without it.
# Usage: scripts/validate-hooks.sh
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v python3 >/dev/null; then
  echo "skipped: running the hook needs Python 3 with venv: apt-get install python3 python3-venv"
  exit 0
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python3 -m venv "$scratch/python"
"$scratch/python/bin/python" -m pip install --quiet --disable-pip-version-check pre-commit==4.7.0 prek==0.5.11

# Ignores the user's git settings and hook caches.
export GIT_CONFIG_GLOBAL=$scratch/gitconfig GIT_CONFIG_SYSTEM=/dev/null
export PRE_COMMIT_HOME=$scratch/pre-commit PREK_HOME=$scratch/prek PRE_COMMIT_COLOR=never PREK_COLOR=never
git config --global user.name sundown
git config --global user.email sundown@example.com
git config --global --add safe.directory '*'
unset GITHUB_ACTIONS GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE

# Optimisation does not change what the hook does. All builds share their artifacts: cargo compares the times of the files, which
# in each of the clones is that of the beginning.
export CARGO_TARGET_DIR=$PWD/target/hooks CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_LTO=off
export CARGO_PROFILE_RELEASE_CODEGEN_UNITS=64
mkdir "$scratch/git-hooks"
touch "$scratch/began"
printf '#!/bin/sh\ngit ls-files -z | xargs -0 touch -h -r "%s"\n' "$scratch/began" >"$scratch/git-hooks/post-checkout"
chmod +x "$scratch/git-hooks/post-checkout"
# The tools drop other variables of git, with the global settings.
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=$scratch/git-hooks
# prek has its own Cargo home. It gets the registry configuration and caches of this machine.
cargo_home=${CARGO_HOME:-$HOME/.cargo}
mkdir -p "$cargo_home/registry" "$PREK_HOME/cache/cargo"
ln -s "$cargo_home/registry" "$PREK_HOME/cache/cargo/registry"
for settings in "$cargo_home"/config*; do
  [ ! -f "$settings" ] || cp "$settings" "$PREK_HOME/cache/cargo"
done

checkout=$scratch/checkout
git clone --quiet . "$checkout"
git diff --binary HEAD | git -C "$checkout" apply --allow-empty
git -C "$checkout" commit --quiet --all --allow-empty --message "As it lies on disk"
revision=$(git -C "$checkout" rev-parse HEAD)

# A repository with findings, files without findings, and file names that are hard to pass.
shop=$scratch/shop
git init --quiet "$shop"
cd "$shop"
"$scratch/python/bin/python" - <<'END'
import json, os, pathlib

bad = json.dumps({"method": "POST", "url": "/rest/api/v1/chat", "request": {"body": {"citations": []}}})
body = '{\n  "messages": [],\n  "citations": []\n}\n'
files = {
    "payloads/chat.request.json": body,
    "payloads/good/chat.request.json": '{"messages": []}',
    "package.json": '{"name": "shop"}',
    "tsconfig.json": '{ // ours\n  "strict": true,\n}\n',
    "compose.yaml": "services:\n  web:\n    image: shop\n",
    "empty.json": "",
    "old/a.ndjson": bad,
}
for name in ["-x.json", "with blank.ndjson", "a,b.json", "new\nline.json", "\N{SNOWMAN}.har"]:
    files["names/" + name] = files[name] = bad
# More names than fit on one command line: 2,000 of 120 bytes.
for number in range(2000):
    files[f"many/{number:0110}.json"] = bad if number in (0, 1999) else "{}"
for name, text in files.items():
    path = pathlib.Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
END
git add --all

# Runs the rest without the network: without a route if the system supports it, and always without a registry.
offline() {
  local away=(env CARGO_NET_OFFLINE=true PIP_NO_INDEX=1)
  away+=(http_proxy=http://127.0.0.1:9 https_proxy=http://127.0.0.1:9 HTTPS_PROXY=http://127.0.0.1:9)
  if unshare --map-root-user --net true 2>/dev/null; then
    away+=(unshare --map-root-user --net)
  fi
  "${away[@]}" "$@"
}

# configure [ARGUMENT]...: writes a configuration with these arguments of the hook, or with its default arguments.
hook=sundown
configure() {
  {
    printf 'repos:\n- repo: %s\n  rev: %s\n  hooks:\n  - id: %s\n' "$checkout" "$revision" "$hook"
    if [ $# -gt 0 ]; then
      printf '    args: [%s]\n' "$(printf "'%s', " "$@")"
    fi
  } >.pre-commit-config.yaml
  git add .pre-commit-config.yaml
}

# wants CODE COMMAND...: runs it into $scratch/output.
wants() {
  local code=0 wanted=$1
  shift
  "$@" >"$scratch/output" 2>&1 || code=$?
  [ "$code" -eq "$wanted" ] || fails "$* ended with $code, not $wanted"
}

fails() {
  echo "$1" >&2
  cat "$scratch/output" >&2
  exit 1
}

says() {
  grep -qF -e "$1" "$scratch/output" || fails "it does not say: $1"
}

finds() {
  local count
  # Findings of one rule share a title; each has a place.
  count=$(grep -c '^ *┌─' "$scratch/output" || true)
  [ "$count" -eq "$1" ] || fails "$count findings, not $1"
}

# In verbose mode, the output of the hook follows its name.
is_silent() {
  says Passed
  ! grep -vE '^(sundown\.+Passed|- (hook id|description|duration): .*|)$' "$scratch/output" >&2 || fails "it prints"
}

# judge TOOL
judge() {
  local tool=$scratch/python/bin/$1
  rm -f .pre-commit-config.yaml
  configure
  wants 0 "$tool" install-hooks
  wants 1 offline "$tool" run --files payloads/chat.request.json
  says 'payloads/chat.request.json:3:3'
  wants 0 offline "$tool" run --verbose --files payloads/good/chat.request.json package.json tsconfig.json compose.yaml empty.json
  is_silent
  wants 1 offline "$tool" run --files ./-x.json 'with blank.ndjson' a,b.json $'new\nline.json' ☃.har names/*
  finds 10
  wants 1 offline "$tool" run --files many/*
  finds 2
  wants 1 offline "$tool" run --all-files
  finds 14

  # Excluded files stay excluded when they are named, no matter what excludes them.
  configure --exclude old --
  wants 0 offline "$tool" run --verbose --files old/a.ndjson
  is_silent
  configure
  echo 'exclude = ["old"]' >sundown.toml
  wants 0 offline "$tool" run --verbose --files old/a.ndjson
  is_silent
  rm sundown.toml
  configure --fail-on never
  wants 0 offline "$tool" run --verbose --files payloads/chat.request.json
  finds 1
  judge_system_hook "$tool"
  echo "$("$tool" --version): installs the hook from a checkout and runs it again without the network"
}

# The hook that runs the program of the machine: here the one that the tool has just built.
judge_system_hook() {
  local hook=sundown-system program
  program=$(find "$PRE_COMMIT_HOME" "$PREK_HOME" -type f -path '*/bin/sundown' -perm -u+x | head -n 1)
  configure
  PATH="${program%/*}:$PATH" wants 1 offline "$1" run sundown-system --files payloads/chat.request.json
  says 'payloads/chat.request.json:3:3'
  finds 1
}

# One of the two tools tries the hook without a configuration, too.
wants 1 "$scratch/python/bin/pre-commit" try-repo "$checkout" sundown \
  --files payloads/chat.request.json payloads/good/chat.request.json
says 'error[chat-citations]'
says 'payloads/chat.request.json:3:3'
finds 1
judge pre-commit
if command -v rustup >/dev/null; then
  judge prek
else
  echo "skipped: prek builds the hook with rustup: https://rustup.rs"
fi
