"""Runs sundown on Apache Spark: each task scans files, and the partial results are merged in a tree."""
