#!/usr/bin/env bash
# Makes the job fail if the check did. The last step of action.yml.
set -euo pipefail
# shellcheck source=scripts/action/workflow.sh
. "${BASH_SOURCE[0]%/*}/workflow.sh"

totals="errors: ${ERRORS:-unknown}, warnings: ${WARNINGS:-unknown}, notes: ${NOTES:-unknown}"
case $EXIT_CODE in
  0) echo "sundown found nothing that makes the job fail ($totals)" ;;
  1)
    echo "sundown found what makes the job fail ($totals); the step 'Check' and the summary say where"
    exit 1
    ;;
  *) stop "the check could not be done (exit code $EXIT_CODE); the log of the step 'Check' says why" ;;
esac
