#!/usr/bin/env bash
# Runs the tests of the one module with unsafe code under valgrind, which sees each read of memory that is not the
# program's, and each decision by memory that nobody has written. Valgrind's processor has AVX2 and no AVX-512: what
# runs is the plain functions and those for AVX2, which are made of the same source as those for AVX-512 but for the few lines
# that a kind of register needs.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v valgrind > /dev/null || { echo "valgrind is missing: apt-get install valgrind" >&2; exit 2; }

binary=$(cargo test --lib --no-run --message-format=json 2> /dev/null |
    sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | tail -n 1)
[[ -x "$binary" ]] || { echo "the tests could not be built: cargo test --lib --no-run" >&2; exit 2; }

# Under valgrind each step takes some fifty times as long; without a case the run would prove nothing.
tests=$("$binary" --list document::simd | grep -c ': test$')
((tests > 0)) || { echo "no tests of document::simd" >&2; exit 2; }
PROPTEST_CASES=${PROPTEST_CASES:-1000} valgrind --quiet --error-exitcode=99 --fair-sched=yes \
    "$binary" document::simd --test-threads=1
echo "$tests tests, no error"
