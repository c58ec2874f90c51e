"""Runs `sundown check` on a cluster: spark-submit sundown_check.py --input PATH... --output DIR."""

import sys

from sundown_spark.job import main

if __name__ == "__main__":
    sys.exit(main("check", sys.argv[1:]))
