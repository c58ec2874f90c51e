# shellcheck shell=bash
# What the action's scripts share: how they read inputs, set outputs and stop. Sourced by the others.
# All of them are written for bash 3.2, which is what macOS has: no `mapfile`, no `${x,,}`, no empty arrays under `set -u`.
# They are files, not text in action.yml, so that they can be checked and read by themselves.

# Ends the step with an annotation. The message is ours: it never holds what an input says.
stop() {
  printf '::error title=sundown::%s\n' "$1"
  exit 2
}

# Refuses inputs that could end the line on which they are told further.
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

# Goes where relative paths of all inputs begin. `./` keeps `cd` from reading `-` and names of options.
enter_working_directory() {
  single_line working-directory "$INPUT_WORKING_DIRECTORY"
  [ -n "$INPUT_WORKING_DIRECTORY" ] || return 0
  cd "$(rooted "$INPUT_WORKING_DIRECTORY")" >/dev/null 2>&1 ||
    stop "the input 'working-directory' names no folder; it is relative to the workspace"
}

# The path itself if it is absolute, else with `./` before it.
rooted() {
  case $1 in
    /* | \\* | [A-Za-z]:*) printf '%s' "$1" ;;
    *) printf './%s' "$1" ;;
  esac
}

# The current folder, as programs that know nothing of bash write it.
here() {
  if [ "$RUNNER_OS" = Windows ]; then pwd -W; else pwd; fi
}

# A new folder that lasts as long as the job.
new_folder() {
  local temp=$RUNNER_TEMP
  if [ "$RUNNER_OS" = Windows ]; then temp=${temp//\\//}; fi
  mktemp -d "$temp/sundown.XXXXXX"
}
