"""Exported solvers."""
