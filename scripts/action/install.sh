#!/usr/bin/env bash
# Installs the program and sets its path as output: an existing program, a release archive or a wheel with the right SHA-256,
# or a build of the action's own source. A step of action.yml.
set -euo pipefail
source=${BASH_SOURCE[0]%/*}
# shellcheck source=scripts/action/workflow.sh
. "$source/workflow.sh"

file_name=sundown
if [ "$RUNNER_OS" = Windows ]; then file_name=sundown.exe; fi

main() {
  check_inputs
  folder=$(new_folder)
  case $INPUT_INSTALL in
    auto)
      if [ -n "$INPUT_BINARY" ]; then take_binary
      elif ! download && ! install_wheel; then
        [ -z "$INPUT_VERSION" ] || stop "there is no release of the version asked for, neither an archive nor a wheel"
        build
      fi
      ;;
    release) download || stop "there is no release of this version for this machine; 'install: cargo' builds it" ;;
    wheel) install_wheel || stop "there is no wheel of this version with a sum in the release; give the sum as 'sha256'" ;;
    cargo) build ;;
  esac
  "$program" --version || stop "the installed program does not run on this machine"
  set_output program "$program"
}

# Checks each input, then contradictions between inputs. No request is silently ignored.
check_inputs() {
  single_line binary "$INPUT_BINARY"
  case $INPUT_INSTALL in
    auto | release | wheel | cargo) ;;
    *) stop "the input 'install' is auto, release, wheel or cargo" ;;
  esac
  [ -z "$INPUT_VERSION" ] || matches "$INPUT_VERSION" '^v?[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$' ||
    stop "the input 'version' is a version such as 0.1.0"
  INPUT_SHA256=$(printf '%s' "$INPUT_SHA256" | tr A-F a-f)
  [ -z "$INPUT_SHA256" ] || is_sum "$INPUT_SHA256" ||
    stop "the input 'sha256' is 64 hexadecimal digits"
  if [ -n "$INPUT_BINARY" ] && [ "$INPUT_INSTALL$INPUT_VERSION" != auto ]; then
    stop "the input 'binary' leaves nothing to install; leave out 'install' and 'version'"
  fi
  if [ "$INPUT_INSTALL" = cargo ] && [ -n "$INPUT_VERSION$INPUT_SHA256" ]; then
    stop "'install: cargo' builds the action's own version; leave out 'version' and 'sha256'"
  fi
}

take_binary() {
  enter_working_directory
  program=$(rooted "$INPUT_BINARY")
  case $program in ./*) program=$(here)/${program#./} ;; esac
  { [ -f "$program" ] && [ -x "$program" ]; } || stop "the input 'binary' names no program"
  [ -z "$INPUT_SHA256" ] || require_sum "$program" "$INPUT_SHA256"
}

# Installs the program from a release. Fails if there is none. Any other problem, above all a wrong checksum, ends the step.
download() {
  local version target sum
  version=$(wanted_version)
  # With `auto`, a release that was not requested may be missing.
  target=$(release_target) || missing_release || return 1
  local name=sundown-$version-$target
  fetch "$version" "$name.tar.gz" || missing_release || return 1
  sum=$INPUT_SHA256
  if [ -z "$sum" ]; then
    fetch "$version" SHA256SUMS || stop "the release has no SHA256SUMS; give the sum as 'sha256'"
    sum=$(published_sum "$name.tar.gz")
  fi
  require_sum "$folder/$name.tar.gz" "$sum"
  # Relative names, because tar reads the colon of a drive letter as a host name.
  (cd "$folder" && tar -xzf "$name.tar.gz" "$name/$file_name") ||
    stop "the released archive does not hold the program"
  program=$folder/$name/$file_name
}

# Installs the wheel of the same version from the package index. The installer refuses a file that has none of the sums.
# Fails if there is no sum, no wheel or no installer. With `auto`, cargo is next.
install_wheel() {
  local version sums installer
  version=$(wanted_version)
  release_target >/dev/null || return 1
  # The installer runs in the new folder: it reads settings in the current one, and the workspace may contain an untrusted
  # pull request.
  if python3 -I -m pip --version >/dev/null 2>&1; then
    installer=(python3 -I -m pip install --quiet --disable-pip-version-check)
  elif command -v uv >/dev/null; then
    installer=(uv pip install --quiet)
  else
    return 1
  fi
  if [ -n "$INPUT_SHA256" ]; then
    sums=--hash=sha256:$INPUT_SHA256
  else
    fetch "$version" SHA256SUMS || return 1
    sums=$(wheel_sums "${version#v}")
  fi
  [ -n "$sums" ] || return 1
  printf 'sundown==%s %s\n' "${version#v}" "$sums" >"$folder/requirements.txt"
  (cd "$folder" && "${installer[@]}" --no-deps --only-binary :all: --require-hashes --target wheel --requirement requirements.txt) ||
    { [ "$INPUT_INSTALL" = auto ] || stop "the wheel could not be installed; the log above says why"; return 1; }
  program=$folder/wheel/bin/$file_name
  [ -x "$program" ] || program=$folder/wheel/Scripts/$file_name
  [ -x "$program" ] || stop "the wheel does not hold the program"
}

# The wheels in SHA256SUMS of the release, as hashes of a requirements file on one line.
wheel_sums() {
  local sum name
  while read -r sum name; do
    case ${name#\*} in
      "sundown-$1-"*.whl) ! is_sum "$sum" || printf -- '--hash=sha256:%s ' "$sum" ;;
    esac
  done <"$folder/SHA256SUMS"
}

# The release to download, such as `v0.1.0`.
wanted_version() {
  local version=${INPUT_VERSION:-$(own_version)}
  printf 'v%s' "${version#v}"
}

# Fails if `auto` can continue with something else. Ends the step if a specific archive was requested.
missing_release() {
  [ -z "$INPUT_SHA256" ] || stop "there is no release of the version asked for with an archive for this machine"
  return 1
}

# The version of the action's own source, so that pinning the action pins the program.
own_version() {
  sed -n 's/^version = "\(.*\)"$/\1/p' "$source/../../Cargo.toml" | head -n 1
}

# The archive names for this machine.
release_target() {
  case $RUNNER_OS-$RUNNER_ARCH in
    Linux-X64) echo x86_64-unknown-linux-musl ;;
    Linux-ARM64) echo aarch64-unknown-linux-musl ;;
    macOS-X64) echo x86_64-apple-darwin ;;
    macOS-ARM64) echo aarch64-apple-darwin ;;
    # Windows on ARM runs it too.
    Windows-X64 | Windows-ARM64) echo x86_64-pc-windows-msvc ;;
    *) return 1 ;;
  esac
}

# Downloads a file of a release into the folder. Fails if it does not exist. Any other failure ends the step.
# Usage: fetch VERSION NAME
fetch() {
  local code
  # A transfer below 1 kB a second for 30 seconds has stalled.
  code=$(curl --silent --show-error --location --proto '=https' --tlsv1.2 --retry 3 \
    --connect-timeout 20 --speed-limit 1000 --speed-time 30 --output "$folder/$2" --write-out '%{http_code}' "$RELEASES/$1/$2") ||
    stop "$2 could not be downloaded"
  case $code in
    200) ;;
    404) return 1 ;;
    *) stop "$2 could not be downloaded: the service answered $code" ;;
  esac
}

# The checksum of a file according to the release.
published_sum() {
  local sum name
  while read -r sum name; do
    if [ "${name#\*}" = "$1" ] && is_sum "$sum"; then
      printf '%s' "$sum"
      return
    fi
  done <"$folder/SHA256SUMS"
}

# Usage: require_sum FILE SUM
require_sum() {
  local actual
  if command -v sha256sum >/dev/null; then
    actual=$(sha256sum <"$1")
  else
    actual=$(shasum -a 256 <"$1")
  fi
  [ "${actual%% *}" = "$2" ] ||
    stop "the SHA-256 is ${actual%% *}, not ${2:-in the SHA256SUMS of the release}: the program is not run"
}

# In the action's own folder, because cargo reads the configuration of the current directory, and the workspace may contain
# an untrusted pull request.
build() {
  command -v cargo >/dev/null ||
    stop "there is no release to download and no cargo to build with; install Rust, or give the program as 'binary'"
  echo "no released archive is used; building the action's own source, which takes a few minutes"
  cd "$source/../.."
  cargo install --locked --path . --root "$folder" --target-dir "$folder/target" --quiet ||
    stop "cargo could not build the program; the log above says why"
  rm -rf "$folder/target"
  program=$folder/bin/$file_name
}

is_sum() {
  matches "$1" '^[0-9a-f]{64}$'
}

# Line ends must not match: `.` and character sets are written out, and the whole text is compared.
matches() {
  [[ $1 =~ $2 ]]
}

main
