"""Runs sundown on Apache Spark: each task scans objects, and gives rows of findings or partial results of usage."""
