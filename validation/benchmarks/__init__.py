"""Benchmarks: scripts that print a table, with ratios against an alternative in the same run."""
