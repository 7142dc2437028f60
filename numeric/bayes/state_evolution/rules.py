"""How F was found at an overlap, and what the error by a coarser rule leaves out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.numeric.bayes.maps.label_map import LabelMap
from hermite_analytics.numeric.bayes.maps.overlap_map import DiagonalMap, MatrixMap, OverlapMap
from hermite_analytics.numeric.bayes.maps.sampled_map import SampledMap
from hermite_analytics.numeric.solution import Rule

__all__ = ["rule_at", "unseen_error"]

Map = OverlapMap | MatrixMap


def rule_at(overlap_map: Map, matrix: NDArray[np.float64]) -> Rule:
    """How a map finds F(M)."""
    inner = _inner(overlap_map)
    if isinstance(inner, SampledMap):
        return Rule.SAMPLED
    if isinstance(inner, LabelMap) and inner.is_interpolated(matrix):
        return Rule.INTERPOLATED
    return Rule.QUADRATURE


def unseen_error(overlap_map: Map) -> float:
    """Relative error of F that agreement with a coarser rule does not show: probability that was lost."""
    inner = _inner(overlap_map)
    return inner.mass_defect if isinstance(inner, LabelMap) else 0.0


def _inner(overlap_map: Map) -> Map:
    return overlap_map.matrix_map if isinstance(overlap_map, DiagonalMap) else overlap_map
