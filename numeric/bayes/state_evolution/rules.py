"""How F was found at an overlap."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.numeric.bayes.maps.label_map import LabelMap
from hermite_analytics.numeric.bayes.maps.overlap_map import DiagonalMap, MatrixMap, OverlapMap
from hermite_analytics.numeric.bayes.maps.sampled_map import SampledMap
from hermite_analytics.numeric.solution import Rule

__all__ = ["rule_at"]

Map = OverlapMap | MatrixMap


def rule_at(overlap_map: Map, matrix: NDArray[np.float64]) -> Rule:
    """How a map finds F(M)."""
    inner = _inner(overlap_map)
    if isinstance(inner, SampledMap):
        return Rule.SAMPLED
    if isinstance(inner, LabelMap) and inner.is_interpolated(matrix):
        return Rule.INTERPOLATED
    return Rule.QUADRATURE


def _inner(overlap_map: Map) -> Map:
    return overlap_map.matrix_map if isinstance(overlap_map, DiagonalMap) else overlap_map
