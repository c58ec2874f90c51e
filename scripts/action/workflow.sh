# shellcheck shell=bash
# Functions that the action's scripts share: reading inputs, setting outputs, stopping. Sourced by the others.
# All scripts work with bash 3.2, the version on macOS: no `mapfile`, no `${x,,}`, no empty arrays with `set -u`.
# They are files, not text in action.yml, so that they can be checked and read on their own.

# Ends the step with an annotation. The message never contains the text of an input.
stop() {
  printf '::error title=sundown::%s\n' "$1"
  exit 2
}

# Rejects inputs that contain a line break.
# Usage: single_line NAME VALUE
single_line() {
  case $2 in
    *[[:cntrl:]]*) stop "the input '$1' has a line end or another control character; it takes one line" ;;
  esac
}

# Usage: set_output NAME VALUE
set_output() {
  single_line "$1" "$2"
  printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"
}

# Changes to the folder that relative paths start at. `./` prevents `cd` from reading `-` and options.
enter_working_directory() {
  single_line working-directory "$INPUT_WORKING_DIRECTORY"
  [ -n "$INPUT_WORKING_DIRECTORY" ] || return 0
  cd "$(rooted "$INPUT_WORKING_DIRECTORY")" >/dev/null 2>&1 ||
    stop "the input 'working-directory' names no folder; it is relative to the workspace"
}

# The path itself if it is absolute, otherwise with a leading `./`.
rooted() {
  case $1 in
    /* | \\* | [A-Za-z]:*) printf '%s' "$1" ;;
    *) printf './%s' "$1" ;;
  esac
}

# The current folder, in the notation of programs outside bash.
here() {
  if [ "$RUNNER_OS" = Windows ]; then pwd -W; else pwd; fi
}

# A new folder that exists until the job ends.
new_folder() {
  local temp=$RUNNER_TEMP
  if [ "$RUNNER_OS" = Windows ]; then temp=${temp//\\//}; fi
  mktemp -d "$temp/sundown.XXXXXX"
}
