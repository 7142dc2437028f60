"""Answers of the library against a dense numerical law of the label, and against each other.

Every net draws random targets. An answer that is marked exact or proved, or stated with an error, must not be
contradicted; undecided answers are allowed. `python -m tests.nets.survey` runs many targets and counts.
"""
