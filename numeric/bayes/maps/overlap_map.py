"""F(M) = E[g_out g_out^T] over omega ~ N(0, M) and y given omega, V = I - M: the map of each kind of label.

A sum over y and an integral over omega of (dZ/d omega)^2 / Z: for labels with nodes over their points, which
do not depend on omega and V.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.label.cases.line.sheets import SheetChannel
from hermite_analytics.label.cases.sampled.solved import SolvedChannel
from hermite_analytics.label.cases.soft.channel import SoftChannel
from hermite_analytics.label.cases.values.boxes import MOST_INTEGRATED, BoxChannel
from hermite_analytics.label.channel import Channel
from hermite_analytics.label.moments import LabelCase
from hermite_analytics.label.shape import has_points
from hermite_analytics.label.symmetries import LabelSymmetry
from hermite_analytics.numeric.bayes.maps.blocks_map import BlocksMap
from hermite_analytics.numeric.bayes.maps.commutant import Commutant, commutant_of
from hermite_analytics.numeric.bayes.maps.joint_map import JointMap
from hermite_analytics.numeric.bayes.maps.label_map import LabelMap
from hermite_analytics.numeric.bayes.maps.parts_map import PartsMap
from hermite_analytics.numeric.bayes.maps.sampled_map import SampledMap

__all__ = ["OverlapMap", "Tracked", "map_of", "sampled_map_of", "special_map_of"]


class OverlapMap(Protocol):
    """F on the matrices 0 <= M < I that the symmetries of the label keep; many take any M.

    One sum over label nodes and omega, `LabelMap`, but for labels of more coordinates, where none can be
    kept: of points of N(0, I) with one label z1*z2*z3*z4 only 2 % count at m = .9, and .04 % at .99.
    """

    @property
    def exact_share(self) -> float:
        """lim (1 - m) F(m I) at m -> 1, in the direction where it is least."""

    @property
    def resolution(self) -> float:
        """The least eigenvalue of I - M at which the map is cheap."""

    @property
    def mass_defect(self) -> float:
        """What the labels are known to lose of the total probability: a relative error that levels share."""

    def __call__(self, matrix: Array, *, level: int = 1) -> Array:
        """F(M), shape (q, q)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tracked:
    """Coordinates of a channel that are followed together.

    Attributes
    ----------
    overlap_map : OverlapMap
    places : tuple of int
        The rows of the channel, in the order of the map.
    where : Commutant
        The matrices M that symmetries of the label keep, in the same order: there M stays.
    """

    overlap_map: OverlapMap
    places: tuple[int, ...]
    where: Commutant

    @property
    def is_isotropic(self) -> bool:
        """Whether M = m I, with one number to follow."""
        return len(self.where.basis) == 1

    @property
    def exact_alpha(self) -> float:
        """The alpha above which M = I is stable: the map of I - M is homogeneous there, and balances axes."""
        share = self.overlap_map.exact_share
        return 1 / share if share > 0 else math.inf

    def at(self, matrix: Array, level: int = 1) -> Array:
        """F(M), whether symmetries keep M or not.

        Raises
        ------
        UnsupportedExpression
            If the map does not take this M.
        """
        return self.overlap_map(matrix, level=level)

    def at_number(self, m: float, level: int = 1) -> float:
        """f(m) where F(m I) = f(m) I."""
        q = len(self.places)
        return float(np.trace(self.overlap_map(m * np.eye(q), level=level))) / q

    def embedded(self, matrix: Array, dimension: int) -> Array:
        """A matrix of these coordinates in all rows of the channel."""
        found = np.zeros((dimension, dimension))
        found[np.ix_(self.places, self.places)] = matrix
        return found


def special_map_of(case: LabelCase, places: Sequence[int]) -> Tracked | None:
    """The map of a case whose M is diagonal in its own coordinates; None for others.

    Examples
    --------
    >>> from hermite_analytics.label.channel import channel_of
    >>> found = special_map_of(channel_of("z1").kind, (0,))
    >>> round(found.at_number(0.75), 9), found.exact_alpha
    (4.0, 1.0)
    """
    groups: Sequence[Sequence[int]] = [(k,) for k in range(len(places))]
    if isinstance(case, SheetChannel) or (isinstance(case, SoftChannel) and case.rule.dimension == 1):
        overlap_map = LabelMap.of_line(case)
    elif isinstance(case, BoxChannel) and case.keeps_axes():
        overlap_map, groups = LabelMap.of_boxes(case), case.orbits()
    else:
        return None
    return Tracked(overlap_map=overlap_map, places=tuple(places), where=Commutant.diagonal(groups))


def map_of(channel: Channel, *, seed: int = 0) -> tuple[Tracked, Tracked | None]:
    """(the coordinates that are seen first, all coordinates together where others are found later).

    The second one is None too where later ones are followed in a stage of their own only.
    """
    special = special_map_of(channel.kind, channel.seen)
    everything = tuple(range(len(channel.rows)))
    where = commutant_of([s.matrix for s in channel.symmetries], len(everything))
    if special is not None:
        if channel.joint is None or not JointMap.takes(channel.joint[1], where):
            return special, None
        joint = JointMap.of(*channel.joint, channel.symmetries)
        return special, Tracked(overlap_map=joint, places=everything, where=where)
    found = _matrix_map(channel.kind, channel.symmetries, where, seed)
    if isinstance(found, PartsMap | BlocksMap):
        where = where.within(found.where)
    return Tracked(overlap_map=found, places=everything, where=where), None


def sampled_map_of(channel: Channel, *, seed: int = 0) -> Tracked | None:
    """All coordinates by sampling, of labels that are solved along lines."""
    if not isinstance(channel.kind, SolvedChannel):
        return None
    places = tuple(range(len(channel.rows)))
    where = commutant_of([s.matrix for s in channel.symmetries], len(places))
    sampled = SampledMap(channel=channel.kind, where=where, seed=seed)
    return Tracked(overlap_map=sampled, places=places, where=where)


def _matrix_map(
    case: LabelCase, symmetries: Sequence[LabelSymmetry], where: Commutant, seed: int
) -> OverlapMap:
    """Of all coordinates, at any M: curves, boxes, separate blocks, surfaces, parts; else by sampling."""
    if isinstance(case, BoxChannel):
        boxes = LabelMap.of_boxes(case)
        with suppress(UnsupportedExpression):
            return boxes if case.separate is None else PartsMap.of(case.separate, boxes, where)
        return boxes
    if has_points(case):
        if case.dimension > MOST_INTEGRATED:
            raise UnsupportedExpression(f"F by points is of up to three coordinates, not {case.dimension}")
        return LabelMap.of_points(case, symmetries)
    assert isinstance(case, SolvedChannel)
    return next(_maps_of_solved(case, symmetries, SampledMap(channel=case, where=where, seed=seed)))


def _maps_of_solved(
    case: SolvedChannel, symmetries: Sequence[LabelSymmetry], sampled: SampledMap
) -> Iterator[OverlapMap]:
    """Those that take the label, in the order in which they are asked; at last by sampling.

    Products come first: transforms resolve them whole, with few points.
    """
    blocks, surfaces, parts = case.blocks, case.surfaces, case.separate
    if parts is not None and parts.product:
        with suppress(UnsupportedExpression):
            yield PartsMap.of(parts, sampled, sampled.where)
    if blocks is not None:
        with suppress(UnsupportedExpression):
            yield BlocksMap.of(blocks, sampled, symmetries)
    if surfaces is not None and surfaces.noise is None:
        with suppress(UnsupportedExpression):
            yield LabelMap.of_space(surfaces.channel(), symmetries, hidden=case.hidden)
    if parts is not None:
        with suppress(UnsupportedExpression):
            yield PartsMap.of(parts, sampled, sampled.where)
    if blocks is not None:
        with suppress(UnsupportedExpression):
            yield BlocksMap.of(blocks, sampled, symmetries, turns=True)
    if surfaces is not None and surfaces.noise is not None:  # transforms need fewer points
        with suppress(UnsupportedExpression):
            yield LabelMap.of_space(surfaces.channel(), symmetries)
    yield sampled
