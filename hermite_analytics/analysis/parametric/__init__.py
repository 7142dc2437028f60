"""Targets with parameters: exponents by cases, each with an exact condition."""
