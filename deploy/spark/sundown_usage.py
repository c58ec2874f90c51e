"""Runs `sundown usage` on a cluster: spark-submit sundown_usage.py --input PATH... --output DIR."""

import sys

from sundown_spark.job import main

if __name__ == "__main__":
    sys.exit(main("usage", sys.argv[1:]))
