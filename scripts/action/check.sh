#!/usr/bin/env bash
# Runs `sundown check` once, with every report that GitHub can use, and sets the outputs. A step of action.yml. It succeeds
# even if the check fails: the last step is the gate.
set -euo pipefail
# shellcheck source=scripts/action/workflow.sh
. "${BASH_SOURCE[0]%/*}/workflow.sh"

main() {
  check_inputs
  enter_working_directory
  folder=$(new_folder)
  arguments=(check --format github --format "markdown=$folder/summary.md"
    --format "sarif=$folder/sundown.sarif" --format "ndjson=$folder/report.ndjson")
  [ -z "$INPUT_CONFIG" ] || arguments+=("--config=$INPUT_CONFIG")
  [ -z "$INPUT_FAIL_ON" ] || arguments+=("--fail-on=$INPUT_FAIL_ON")
  add_lines "$INPUT_ARGS"
  arguments+=(--)
  add_lines "$INPUT_PATHS"
  code=0
  # Bash on Windows would take arguments that begin with a slash for paths of its own and change them.
  MSYS_NO_PATHCONV=1 MSYS2_ARG_CONV_EXCL='*' \
    "$PROGRAM" "${arguments[@]}" </dev/null 2>"$folder/errors" || code=$?
  print_errors
  set_output exit-code "$code"
  print_reports
}

check_inputs() {
  single_line config "$INPUT_CONFIG"
  case $INPUT_FAIL_ON in
    "" | error | warning | note | never) ;;
    *) stop "the input 'fail-on' is error, warning, note or never" ;;
  esac
  case $INPUT_UPLOAD_SARIF in
    true | false) ;;
    *) stop "the input 'upload-sarif' is true or false" ;;
  esac
}

# Each non-empty line becomes one literal argument.
add_lines() {
  local line
  while IFS= read -r line; do
    [ -z "$line" ] || arguments+=("$line")
  done <<<"$1"
}

# Error messages can quote arguments, so they are printed where the runner executes no commands. The end marker must not
# occur in the text.
print_errors() {
  [ -s "$folder/errors" ] || return 0
  local word=sundown-$RANDOM$RANDOM
  while grep -qF "$word" "$folder/errors"; do word=sundown-$RANDOM$RANDOM; done
  printf '::stop-commands::%s\n' "$word"
  cat "$folder/errors"
  printf '\n::%s::\n' "$word"
}

# A run that failed completely has no reports.
print_reports() {
  local summary
  summary=$(tail -n 1 "$folder/report.ndjson" 2>/dev/null || true)
  case $summary in
    '{"type":"summary",'*) ;;
    *)
      [ "$code" -gt 1 ] || stop "the program wrote no report; is 'binary' another program, or does 'args' ask for help?"
      return 0
      ;;
  esac
  set_output errors "$(count errors)"
  set_output warnings "$(count warnings)"
  set_output notes "$(count notes)"
  set_output sarif "$folder/sundown.sarif"
  set_output directory "$(here)"
  cat "$folder/summary.md" >>"$GITHUB_STEP_SUMMARY"
}

# A number of the summary, which contains only numbers.
count() {
  [[ $summary =~ \"$1\":([0-9]+) ]] && printf '%s' "${BASH_REMATCH[1]}"
}

main
