#!/usr/bin/env bash
# Runs the tests of the only module with unsafe code under valgrind, which detects invalid reads and decisions that depend
# on uninitialised memory.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v valgrind > /dev/null || { echo "valgrind is missing: apt-get install valgrind" >&2; exit 2; }

binary=$(cargo test --package sundown-text-json --lib --no-run --message-format=json 2> /dev/null |
    sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | tail -n 1)
[[ -x "$binary" ]] || { echo "the tests could not be built: cargo test --package sundown-text-json --lib --no-run" >&2; exit 2; }

# Under valgrind, each step takes about fifty times as long. A run without test cases would prove nothing.
tests=$("$binary" --list json::simd | grep -c ': test$')
((tests > 0)) || { echo "no tests of json::simd" >&2; exit 2; }
PROPTEST_CASES=${PROPTEST_CASES:-1000} valgrind --quiet --error-exitcode=99 --fair-sched=yes \
    "$binary" json::simd --test-threads=1
echo "$tests tests, no error"
