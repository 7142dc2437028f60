"""Examples of the pages run as tests; what Sphinx runs needs Sphinx."""

collect_ignore = ["conf.py", "_extensions"]
