"""Convex losses: one record each, and proximal operators that compiled code calls."""
