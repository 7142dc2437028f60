"""Overlaps of one channel, and coordinates that are known only after the first: a stage of their own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.channel import Channel
from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.numeric.solution import Status
from hermite_analytics.numeric.state_evolution.commutant import Commutant
from hermite_analytics.numeric.state_evolution.curve import OneOverlap
from hermite_analytics.numeric.state_evolution.joint_map import JointMap
from hermite_analytics.numeric.state_evolution.joint_point import joint_point
from hermite_analytics.numeric.state_evolution.known_coordinate import KnownCoordinate, KnownCoordinates
from hermite_analytics.numeric.state_evolution.matrix_iteration import FoundMatrix
from hermite_analytics.numeric.state_evolution.overlap_map import DiagonalMap, OverlapMap, special_map_of
from hermite_analytics.numeric.state_evolution.rules import unseen_error
from hermite_analytics.numeric.state_evolution.several_overlaps import FoundOverlaps, iterate
from hermite_analytics.numeric.state_evolution.sheet_map import SheetMap

if TYPE_CHECKING:
    from hermite_analytics.target import Target

__all__ = ["HiddenCoordinates", "one_overlap", "overlaps_at"]

Array = NDArray[np.float64]

_NO_OVERLAP = 1e-8
_VISIBLE = 1e-10  # of E[v | y]^2, above which the other coordinates are not found one after the other


def one_overlap(
    overlap_map: OverlapMap,
    share: float = 1.0,
    *,
    first_order: float | None = None,
    threshold: float | None = None,
    linear: Callable[[], float] | None = None,
) -> OneOverlap:
    """A map of one parameter as one of a number; labels that say nothing, a fraction 1 - share, are left out.

    Parameters
    ----------
    first_order, threshold, linear : optional
        As in `OneOverlap`.
    """

    def value(m: float, level: int) -> float:
        return share * float(overlap_map(np.array([m]), level=level)[0])

    return OneOverlap(
        overlap_map=value,
        exact_share=share * overlap_map.exact_share,
        resolution=overlap_map.resolution,
        threshold=threshold,
        first_order=first_order,
        unseen=lambda: unseen_error(overlap_map),
        linear=linear,
    )


def overlaps_at(
    overlap_map: OverlapMap,
    one: OneOverlap | None,
    alpha: float,
    *,
    informed: bool,
    tolerance: float,
    max_steps: int,
    coordinates: KnownCoordinates | None = None,
) -> FoundOverlaps:
    """The overlaps of the coordinates of one channel.

    `one` is the map where it has one parameter; `coordinates` has the maps of the others where some are 1.
    """
    size = sum(len(g) for g in overlap_map.groups)
    if one is None:
        beside = None
        if coordinates is not None and isinstance(overlap_map, DiagonalMap):
            beside = partial(_map_beside, coordinates, overlap_map)
        found = iterate(
            lambda m, level: overlap_map(m, level=level),
            alpha,
            len(overlap_map.groups),
            exact_alpha=overlap_map.exact_alpha,
            resolution=overlap_map.resolution,
            partly_exact=True,
            beside=beside,
            informed=informed,
            tolerance=tolerance,
            max_steps=max_steps,
            unseen=unseen_error(overlap_map),
        )
        values = found.overlaps
        statistics = found.status, found.residual, found.iterations, found.error
    else:
        m, count = one.informed(alpha) if informed else one.uninformed(alpha)
        values, residual = np.array([m]), one.residual(m, alpha)
        status = Status.CONVERGED if residual <= tolerance else Status.MAX_STEPS_REACHED
        statistics = status, residual, count, one.error(m, alpha)
    overlaps = np.zeros(size)
    for value, group in zip(values, overlap_map.groups, strict=True):
        overlaps[list(group)] = value
    status, residual, iterations, error = statistics
    return FoundOverlaps(
        overlaps=overlaps, status=status, residual=residual, iterations=iterations, error=error
    )


def _map_beside(
    coordinates: KnownCoordinates, overlap_map: DiagonalMap, complete: NDArray[np.bool_]
) -> KnownCoordinate | None:
    known = [a for k in np.flatnonzero(complete) for a in overlap_map.groups[k]]
    return coordinates(overlap_map.axes[:, known])


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenCoordinates:
    """Coordinates that enter through finitely many values beside a continuous one, which is found first.

    Attributes
    ----------
    target : Target or str
    channel : Channel
    sheet_map : SheetMap
        Of the continuous coordinate.
    joint_map : JointMap or None
        Of all coordinates together, where there is a rule for that.
    commutant : Commutant
        Where the overlaps of all coordinates stay.
    """

    target: Target | str
    channel: Channel
    sheet_map: SheetMap
    joint_map: JointMap | None
    commutant: Commutant

    def threshold(self) -> float:
        """The alpha above which they are unstable while nothing is known, alone or with the first one."""
        first, second = self.sheet_map.hidden(0.0)
        if self._is_visible(first, 0.0):
            return 0.0
        if self.joint_map is not None:
            return self.joint_map.threshold
        return 1 / max(_top_of(second), 1e-300)

    def grow(self, m: float, alpha: float) -> bool:
        """Whether they leave overlap 0 while the first one has the overlap m, from 0 together with it."""
        if m == 0 and self.joint_map is not None and alpha >= self.joint_map.threshold:
            return True
        first, second = self.sheet_map.hidden(m)
        return self._is_visible(first, m) or alpha * _top_of(second) >= 1

    def _is_visible(self, first: Array, m: float) -> bool:
        """Whether E[v | y, omega] is not 0: at m = 0 by the order of the first step, where that is proved."""
        order = self.channel.leading_order
        proved = m == 0 and order is not None and order > 1
        return not proved and float(np.trace(first)) > _VISIBLE

    def grow_together(self, m: float, alpha: float, *, informed: bool) -> bool:
        """Whether all coordinates are followed together, and not one stage after the other."""
        if self.joint_map is None:
            return False
        if m < 1:
            return informed or self.grow(m, alpha)
        return self.channel.then is None or special_map_of(self.channel.then[0]) is None

    def together(self, alpha: float, *, informed: bool, tolerance: float, max_steps: int) -> FoundMatrix:
        """The overlaps of all coordinates at once."""
        assert self.joint_map is not None
        return joint_point(
            self.joint_map,
            self.commutant,
            self.channel.symmetries,
            alpha,
            informed=informed,
            tolerance=tolerance,
            max_steps=max_steps,
        )

    def are_absent(self, matrix: Array, m: float, alpha: float) -> bool:
        """Whether a fixed point of all is that of the first one alone, which is known to more digits."""
        hidden = [k for k in range(len(matrix)) if k not in self.channel.seen]
        none = float(np.abs(matrix[hidden]).max()) <= _NO_OVERLAP
        return none and m < 1 and not self.grow(m, alpha)

    def following(
        self,
        found: FoundOverlaps,
        overlaps: Array,
        alpha: float,
        *,
        informed: bool,
        tolerance: float,
        max_steps: int,
    ) -> FoundOverlaps:
        """0 while that is stable, else a stage of their own once the first coordinate is known.

        Parameters
        ----------
        found : FoundOverlaps
            Of the first coordinate.
        overlaps : ndarray
            Of all coordinates; those of this stage are written into it.

        Raises
        ------
        UnsupportedExpression
            Where several overlaps would grow together.
        """
        m = float(found.overlaps[0])
        if m < 1:
            self._require_stable(m, alpha)
            return found
        if self.channel.then is None:
            raise UnsupportedExpression(
                f"the first coordinate of {self.target} is known exactly at alpha = {alpha:g}, and the label "
                "of the others then depends on it; simulate it by AMP"
            )
        kind, places, share = self.channel.then
        rest = special_map_of(kind)
        if rest is None:
            raise UnsupportedExpression(
                f"once the first coordinate of {self.target} is known, the overlap matrix of the others does "
                "not stay diagonal; simulate it by AMP"
            )
        one = one_overlap(rest, share) if len(rest.groups) == 1 else None
        later = overlaps_at(
            rest,
            one,
            alpha * (1.0 if one else share),
            informed=informed,
            tolerance=tolerance,
            max_steps=max_steps,
        )
        overlaps[list(places)] = later.overlaps
        return later

    def _require_stable(self, m: float, alpha: float) -> None:
        if self.grow(m, alpha):
            raise UnsupportedExpression(
                f"at alpha = {alpha:g} several overlaps of {self.target} grow together, which state "
                "evolution follows for a continuous coordinate beside at most two that enter through "
                "finitely many values, on boxes; simulate AMP, which takes three"
            )


def _top_of(second: Array) -> float:
    p = len(second)
    return float(np.linalg.eigvalsh(second.transpose(0, 2, 1, 3).reshape(p * p, p * p))[-1])
