"""The overlap that is possible with any amount of computation."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.json import Document
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.foundation.panels import unit_rule
from hermite_analytics.numeric.bayes.state_evolution.one_overlap import OneOverlap
from hermite_analytics.numeric.frozen import json_number
from hermite_analytics.numeric.models.state_evolution.record import STATE_EVOLUTION
from hermite_analytics.rendering import Frame
from hermite_analytics.rendering.result import ByFields

__all__ = ["Equilibrium", "best_of", "free_entropy_gain"]

_SAME = 1e-7  # distance of fixed points that count as one
_EXACT = 1e-9
_NODES = 12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Equilibrium(ByFields):
    """The global maximum of the free entropy.

    Attributes
    ----------
    overlap : ndarray, shape (r, r)
        In the coordinates of the target.
    informed : bool
        Whether AMP does not reach it from a small overlap.
    free_entropy_gain : float
        Its free entropy, per input dimension, less that of the fixed point that AMP reaches: infinite where
        exact recovery is possible and AMP does not find it.
    test_error : float
        Of the posterior mean there, noise excluded.
    """

    overlap: Array
    informed: bool
    free_entropy_gain: float
    test_error: float

    def __post_init__(self) -> None:
        self.overlap.flags.writeable = False

    def frame(self) -> Frame:
        """One row, with the names of the attributes."""
        names = ("overlap", "informed", "free_entropy_gain", "test_error")
        return Frame(
            title="the optimal overlap",
            rows=({name: getattr(self, name) for name in names},),
            sources=STATE_EVOLUTION.sources,
        )

    def document(self) -> Document:
        """JSON-ready, with the names of the attributes."""
        return {
            "overlap": json_number(self.overlap),
            "informed": self.informed,
            "free_entropy_gain": json_number(self.free_entropy_gain),
            "test_error": json_number(self.test_error),
        }


def best_of(one: OneOverlap, alpha: float, points: Sequence[float]) -> tuple[float, float]:
    """(the stable overlap with the largest free entropy, what it has more than the first one)."""
    top = points[0]
    for other in points[1:]:
        if one.free_entropy_difference(alpha, top, other) > 0:
            top = other
    return top, one.free_entropy_difference(alpha, points[0], top) if top != points[0] else 0.0


def free_entropy_gain(overlap_map: Callable[[Array], Array], alpha: float, low: Array, high: Array) -> float:
    """f(high) - f(low), by the integral of Tr[(alpha F - M (I - M)^-1) dM]/2 along the segment.

    Infinite where a direction is known exactly at `high` only.
    """
    if float(np.abs(high - low).max()) < _SAME:
        return 0.0
    if float(np.linalg.eigvalsh(high)[-1]) >= 1 - _EXACT:
        return math.inf
    total = 0.0
    for t, weight in zip(*unit_rule(_NODES), strict=True):
        m = low + t * (high - low)
        slope = alpha * overlap_map(m) - m @ np.linalg.inv(np.eye(len(m)) - m)
        total += weight * 0.5 * float(np.trace(slope @ (high - low)))
    return total
