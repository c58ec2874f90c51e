#!/usr/bin/env bash
# Tests the Spark jobs in deploy/spark: checks of the code, unit tests, and runs in local mode and on two executors, whose results
# must be those of one scan. Installs PySpark in a temporary folder and, if it is missing, a JDK (as root).
# Usage: scripts/validate-spark.sh [PROGRAM [TEST...]]    (default: a release build, and all tests)
set -euo pipefail
cd "$(dirname "$0")/.."

if [ $# -gt 0 ]; then
  program=$(realpath "$1")
  shift
else
  cargo build --locked --quiet --release
  program=$(realpath "${CARGO_TARGET_DIR:-target}/release/sundown")
fi

java_version() {
  { java -version 2>&1 || true; } | sed -n 's/.* version "\([0-9]*\).*/\1/p'
}
if [ "$(java_version)" = "" ] || [ "$(java_version)" -lt 17 ]; then
  if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    echo "Spark needs Java 17 or newer: apt-get install openjdk-17-jre-headless" >&2
    exit 2
  fi
  apt-get update -qq
  apt-get install -y -qq openjdk-17-jre-headless >/dev/null
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python3 -m venv "$scratch/python"
python=$scratch/python/bin/python
"$python" -m pip install --quiet --disable-pip-version-check \
  pyspark==4.3.0 pytest==9.2.0 ruff==0.17.6 mypy==2.4.1

(
  cd deploy/spark
  "$python" -m ruff check --quiet .
  "$python" -m ruff format --check --quiet .
  "$python" -m mypy
  PYTHONPATH=. "$python" -m pytest -q -p no:cacheprovider tests
)
mkdir "$scratch/cluster"
PYTHONPATH=deploy/spark "$python" deploy/spark/tests/run_cluster.py "$program" "$scratch/cluster" "$@"
