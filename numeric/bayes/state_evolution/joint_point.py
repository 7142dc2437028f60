"""Fixed points of a continuous coordinate x and others, v, that enter through finitely many values."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.label.symmetries import LabelSymmetry
from hermite_analytics.numeric.bayes.maps.commutant import Commutant, commutant_of
from hermite_analytics.numeric.bayes.maps.joint_map import JointMap
from hermite_analytics.numeric.bayes.maps.label_map import LabelMap
from hermite_analytics.numeric.bayes.state_evolution.fixed_point import fixed_point
from hermite_analytics.numeric.bayes.state_evolution.iteration import FoundMatrix, Search
from hermite_analytics.numeric.bayes.state_evolution.steps import Map

__all__ = ["joint_point"]

_NEAR = 1e-3  # 1 - M_xx below which an iteration that has come so far goes on to complete overlap
_NEAR_ATOMS = 1e-2  # the same where atoms make small ones expensive
_RESOLVED = 1e-2  # least eigenvalue of I - M while x is known: all of the mean of v is resolved


class _KnownExactly(Exception):
    """The iteration has left behind all fixed points at which x is not known."""


def joint_point(
    joint: JointMap,
    commutant: Commutant,
    symmetries: Sequence[LabelSymmetry],
    alpha: float,
    search: Search,
) -> FoundMatrix:
    """The fixed point reached from M = 0+ or from I-, x and v together.

    M_xx = 1 is stable if alpha times the probability that the label is no atom is above 1. An iteration from
    0+ that comes close to it then gets there, and v goes on with x known; the one from I- starts there.
    """

    def followed(overlap_map: Map, where: Commutant, resolution: float, unseen: float) -> FoundMatrix:
        return fixed_point(
            overlap_map,
            where,
            alpha,
            search,
            exact_alpha=lambda: math.inf,
            resolution=resolution,
            partly_exact=False,
            unseen=unseen,
        )

    main = joint.order[0]
    stable = alpha * joint.exact_share > 1
    if not (stable and search.informed):
        near = _NEAR_ATOMS if joint.channel.main.atoms() else _NEAR

        def unknown(m: Array, level: int) -> Array:
            """F of x and v while x is not known exactly."""
            if stable and 1.0 - float(m[main, main]) < near:
                raise _KnownExactly
            return joint(m, level=level)

        with suppress(_KnownExactly):
            return followed(unknown, commutant, joint.resolution, joint.mass_defect)
    telling = [p for p in joint.channel.known_places() if p.channel.count > 1]

    def known(m: Array, level: int) -> Array:
        """F of v while x is known: the average over the ways in which sheets agree."""
        parts = [p.probability * LabelMap.of_boxes(p.channel)(m, level=level) for p in telling]
        return np.asarray(sum(parts, start=np.zeros_like(m)))

    hidden = np.ix_(joint.order[1:], joint.order[1:])
    rest = commutant_of([s.matrix[hidden] for s in symmetries], len(joint.order) - 1)
    found = followed(known, rest, _RESOLVED, 0.0)
    matrix = np.zeros((len(joint.order),) * 2)
    matrix[hidden], matrix[main, main] = found.matrix, 1.0
    return dataclasses.replace(found, matrix=matrix)
