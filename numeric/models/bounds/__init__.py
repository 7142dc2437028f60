"""Bounds on the test error over ridge and sample ratios."""
