"""Runs sundown on Apache Spark: each task scans files or parts of logs, and the partial results are merged in a tree."""
