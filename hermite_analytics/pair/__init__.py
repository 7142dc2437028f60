"""E g(u) g(v) of two standard normals as a function of their correlation: closed forms, else tables."""

from hermite_analytics.pair.node import PairExpectation
from hermite_analytics.pair.table import Table

__all__ = ["PairExpectation", "Table"]
