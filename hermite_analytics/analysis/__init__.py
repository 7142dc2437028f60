"""Everything about a target in one object: exponents, staircases, thresholds, and the argument for each."""

from __future__ import annotations

from hermite_analytics.analysis.analysis import Analysis
from hermite_analytics.analysis.any_target import analyze
from hermite_analytics.analysis.explanation import Explanation
from hermite_analytics.analysis.parametric.result import ParametricAnalysis
from hermite_analytics.analysis.tables import Table, TableRow, table

__all__ = ["Analysis", "Explanation", "ParametricAnalysis", "Table", "TableRow", "analyze", "table"]
