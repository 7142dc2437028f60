"""Fixed points of a continuous coordinate x and others, v, that enter through finitely many values."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.label.cases.values.joint import KnownPlace
from hermite_analytics.label.symmetries import LabelSymmetry
from hermite_analytics.numeric.bayes.maps.commutant import Commutant, commutant_of
from hermite_analytics.numeric.bayes.maps.joint_map import JointMap
from hermite_analytics.numeric.bayes.maps.label_map import LabelMap
from hermite_analytics.numeric.bayes.maps.overlap_map import OverlapMap
from hermite_analytics.numeric.bayes.state_evolution.fixed_point import fixed_point
from hermite_analytics.numeric.bayes.state_evolution.iteration import FoundMatrix, Search

__all__ = ["joint_point"]

_NEAR = 1e-3  # 1 - M_xx below which an iteration that has come so far goes on to complete overlap
_NEAR_ATOMS = 1e-2  # the same where atoms make small ones expensive


class _KnownExactly(Exception):
    """The iteration has left behind all fixed points at which x is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _UnknownMap:
    """F of x and v while x is not known exactly; `nearest` is the least 1 - M_xx, 0 if x never will be."""

    joint: JointMap
    nearest: float

    @property
    def exact_share(self) -> float:
        """v is never determined."""
        return 0.0

    @property
    def resolution(self) -> float:
        """That of the whole map."""
        return self.joint.resolution

    @property
    def mass_defect(self) -> float:
        """That of the whole map."""
        return self.joint.mass_defect

    def __call__(self, matrix: Array, *, level: int = 1) -> Array:
        main = self.joint.order[0]
        if 1.0 - float(matrix[main, main]) < self.nearest:
            raise _KnownExactly
        return self.joint(matrix, level=level)


@dataclass(frozen=True, slots=True, kw_only=True)
class _KnownMap:
    """F of v while x is known: the average over the ways in which sheets agree."""

    places: tuple[KnownPlace, ...]

    @property
    def exact_share(self) -> float:
        """v is never determined."""
        return 0.0

    @property
    def resolution(self) -> float:
        """All of the mean of v is resolved."""
        return 1e-2

    @property
    def mass_defect(self) -> float:
        """None: boxes."""
        return 0.0

    def __call__(self, matrix: Array, *, level: int = 1) -> Array:
        telling = (p for p in self.places if p.channel.count > 1)
        parts = [p.probability * LabelMap.of_boxes(p.channel)(matrix, level=level) for p in telling]
        return np.asarray(sum(parts, start=np.zeros_like(matrix)))


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

    def followed(overlap_map: OverlapMap, where: Commutant) -> FoundMatrix:
        return fixed_point(
            lambda m, level: overlap_map(m, level=level),
            where,
            alpha,
            search,
            exact_alpha=lambda: math.inf,
            resolution=overlap_map.resolution,
            partly_exact=False,
            unseen=overlap_map.mass_defect,
        )

    main = joint.order[0]
    stable = alpha * joint.exact_share > 1
    if not (stable and search.informed):
        near = _NEAR_ATOMS if joint.channel.main.atoms() else _NEAR
        unknown = _UnknownMap(joint=joint, nearest=near if stable else 0.0)
        try:
            return followed(unknown, commutant)
        except _KnownExactly:
            pass
    hidden = np.ix_(joint.order[1:], joint.order[1:])
    rest = commutant_of([s.matrix[hidden] for s in symmetries], len(joint.order) - 1)
    found = followed(_KnownMap(places=joint.channel.known_places()), rest)
    matrix = np.zeros((len(joint.order),) * 2)
    matrix[hidden], matrix[main, main] = found.matrix, 1.0
    return dataclasses.replace(found, matrix=matrix)
