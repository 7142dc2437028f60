"""How F was found at an overlap."""

from __future__ import annotations

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.bayes.maps.blocks_map import BlocksMap
from hermite_analytics.numeric.bayes.maps.label_map import LabelMap
from hermite_analytics.numeric.bayes.maps.overlap_map import OverlapMap
from hermite_analytics.numeric.bayes.maps.parts_map import PartsMap
from hermite_analytics.numeric.bayes.maps.sampled_map import SampledMap
from hermite_analytics.numeric.status import Rule

__all__ = ["rule_at"]

_COMPLETE = 1e-9  # distance from overlap 1


def rule_at(overlap_map: OverlapMap, matrix: Array) -> Rule:
    """How a map finds F(M); where a direction is known exactly, sums of parts or blocks are not asked."""
    complete = float(np.linalg.eigvalsh(matrix)[-1]) > 1 - _COMPLETE
    if isinstance(overlap_map, PartsMap) and not complete and not overlap_map.takes(matrix):
        return rule_at(overlap_map.others, matrix)
    left = isinstance(overlap_map, BlocksMap) and not complete and not overlap_map.takes(matrix)
    if left or isinstance(overlap_map, SampledMap):
        return Rule.SAMPLED
    if isinstance(overlap_map, LabelMap) and overlap_map.is_interpolated(matrix):
        return Rule.INTERPOLATED
    return Rule.QUADRATURE
