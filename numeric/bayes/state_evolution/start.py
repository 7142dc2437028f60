"""The stability of M = 0: the slope of F there."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.label.cases.values.boxes import BoxChannel
from hermite_analytics.label.channel import Channel
from hermite_analytics.label.operator import operator_matrix
from hermite_analytics.label.thresholds import weak_recovery
from hermite_analytics.numeric.bayes.maps.blocks_map import BlocksMap
from hermite_analytics.numeric.bayes.maps.label_map import LabelMap
from hermite_analytics.numeric.bayes.maps.overlap_map import Tracked
from hermite_analytics.numeric.bayes.maps.parts_map import PartsMap
from hermite_analytics.numeric.bayes.maps.sampled_map import SampledMap

if TYPE_CHECKING:
    from hermite_analytics.target import Target

__all__ = ["known_threshold", "linear_threshold"]

_SMALL = 1e-9
_SAME = 1e-12
_VISIBLE = 1e-10  # F(0) above which M = 0 is no fixed point
_NOTHING = 1e-3  # slope by differences below which no alpha makes M = 0 unstable
_SURFACES = 5e-4  # relative error of a threshold by level surfaces, at most
_ROUNDING = 1e-9  # the same of a slope by the law of the label
_CELLS = 1e-24  # the same by cells, whose moments are right to their last digits however rare they are
_LOST = 1e-4  # probability, weighed far out, beyond which the law of the label is asked first
_APART = 0.02  # of thresholds by two rules, beyond which there is none: as of estimates
_MISSED = 1e-12  # F(0) above which a rule does not resolve a label with E[z | y] = 0


def linear_threshold(tracked: Tracked) -> float:
    """1/top eigenvalue of the slope of F at 0 on the matrices that the symmetries allow; 0 where F(0) > 0.

    The top eigenvector is positive semi-definite (the theorem of Perron and Frobenius for the cone of such
    matrices), and so is its average over the symmetries. Where the map knows the law of the label, the slope
    is M -> E[G M G]; else it is a difference, and NaN where a coarser rule has another one by 2 percent.
    """
    if _at_zero(tracked) > _VISIBLE:
        return 0.0
    law = tracked.overlap_map.law() if isinstance(tracked.overlap_map, LabelMap) else None
    if law is not None:
        cells = isinstance(tracked.overlap_map, LabelMap) and isinstance(
            tracked.overlap_map.channel, BoxChannel
        )
        return _inverse(operator_matrix(law), nothing=_CELLS if cells else _ROUNDING)
    near, far = _SMALL, 2 * _SMALL
    found, coarse = (_inverse(2 * _slopes(tracked, near, k) - _slopes(tracked, far, k)) for k in (1, 0))
    resolved = found == coarse or abs(found / coarse - 1) <= _APART
    return found if resolved else math.nan


def known_threshold(target: Target | str, channel: Channel, tracked: Tracked) -> float | None:
    """Of maps of several coordinates whose values are expensive, which are tabulated at few places.

    From the law of the label at M = 0 where there is a rule for that, else from the slope of the map;
    estimated where the map is sampled, NaN where nothing is known. From the law too where a rule finds an
    F(0) that is proved to be 0, as beside the limits of erf(2*z1)*erf(2*z2). None for other maps.
    """
    overlap_map = tracked.overlap_map
    if isinstance(overlap_map, PartsMap | BlocksMap):  # the law of the label is known to more digits
        return _by_law(target)
    in_space = isinstance(overlap_map, LabelMap) and overlap_map.span == 3
    if not in_space and not isinstance(overlap_map, SampledMap):
        return None if _is_resolved(channel, tracked) else _by_law(target)
    if isinstance(overlap_map, SampledMap):
        return weak_recovery(target).alpha_c.value
    if channel.leading_order is not None and channel.leading_order != 2:
        return 0.0 if channel.leading_order == 1 else math.inf
    known = weak_recovery(target).alpha_c
    if known.error <= _SURFACES * known.value:
        return known.value
    return linear_threshold(tracked)


def _by_law(target: Target | str) -> float | None:
    found = weak_recovery(target).alpha_c.value
    return None if math.isnan(found) else found


def _is_resolved(channel: Channel, tracked: Tracked) -> bool:
    """Whether nothing speaks against the rule of a map: where F(0) = 0 is proved it finds about that."""
    if channel.leading_order != 2 or len(channel.seen) != len(channel.rows):
        return True
    return tracked.overlap_map.mass_defect <= _LOST and _at_zero(tracked) <= _MISSED


def _at_zero(tracked: Tracked) -> float:
    """The trace of F(0)."""
    law = tracked.overlap_map.law() if isinstance(tracked.overlap_map, LabelMap) else None
    known = math.inf if law is None else float(law.weights @ (law.first**2).sum(1))
    if known <= _VISIBLE:
        return known
    # the map knows mirrors, which the law of a label with steep ends may miss by its rounding
    return min(known, float(np.trace(tracked.at(np.zeros((len(tracked.places),) * 2)))))


def _slopes(tracked: Tracked, size: float, level: int) -> Array:
    """F(M)/M at small M of the cone, a column each; differences of positive semi-definite ones elsewhere."""
    cone, columns = tracked.where.cone, []
    for b in cone:
        values, vectors = np.linalg.eigh(b)
        total = np.zeros_like(b)
        for sign in (1, -1):
            part = (vectors * np.maximum(sign * values, 0)) @ vectors.T
            if np.abs(part).max() > _SAME:
                total = total + sign * tracked.at(size * part, level) / size
        columns.append(np.einsum("kij,ij->k", cone, total))
    return np.stack(columns, axis=1)


def _inverse(matrix: Array, *, nothing: float = _NOTHING) -> float:
    top = float(np.max(np.linalg.eigvals(matrix).real))
    return 1 / top if top > nothing else math.inf
