"""Overlaps of one channel, and coordinates that are known only after the first: a stage of their own."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.label.cases.line.sheets import SheetChannel
from hermite_analytics.label.channel import Channel
from hermite_analytics.numeric.bayes.maps.blocks_map import BlocksMap
from hermite_analytics.numeric.bayes.maps.joint_map import JointMap
from hermite_analytics.numeric.bayes.maps.label_map import LabelMap
from hermite_analytics.numeric.bayes.maps.line_sums import line_averages
from hermite_analytics.numeric.bayes.maps.overlap_map import OverlapMap, Tracked, special_map_of
from hermite_analytics.numeric.bayes.maps.parts_map import PartsMap
from hermite_analytics.numeric.bayes.maps.sampled_map import SampledMap
from hermite_analytics.numeric.bayes.state_evolution.fixed_point import fixed_point
from hermite_analytics.numeric.bayes.state_evolution.iteration import FoundMatrix, Search
from hermite_analytics.numeric.bayes.state_evolution.joint_point import joint_point
from hermite_analytics.numeric.bayes.state_evolution.known_coordinate import KnownCoordinates
from hermite_analytics.numeric.bayes.state_evolution.one_overlap import OneOverlap
from hermite_analytics.numeric.status import Status

if TYPE_CHECKING:
    from hermite_analytics.target import Target

__all__ = ["HiddenCoordinates", "one_overlap", "overlaps_at"]

_NO_OVERLAP = 1e-8
_SLOW = 2.0  # changes with the level that a map may be off where an order is read off
_VISIBLE = 1e-10  # of E[v | y]^2, above which the other coordinates are not found one after the other


def one_overlap(
    tracked: Tracked,
    share: float = 1.0,
    *,
    first_order: float | None = None,
    threshold: float | None = None,
    linear: Callable[[], float] | None = None,
) -> OneOverlap:
    """Of M = m I: the map of a number; labels that say nothing, a fraction 1 - share, are left out.

    Parameters
    ----------
    first_order, threshold, linear : optional
        As in `OneOverlap`.
    """
    overlap_map = tracked.overlap_map
    return OneOverlap(
        overlap_map=lambda m, level: share * tracked.at_number(m, level),
        exact_share=share * overlap_map.exact_share,
        resolution=overlap_map.resolution,
        threshold=threshold,
        first_order=first_order,
        unseen=lambda: overlap_map.mass_defect,
        linear=linear,
    )


def overlaps_at(
    tracked: Tracked,
    one: OneOverlap | None,
    alpha: float,
    search: Search,
    beside: KnownCoordinates | None = None,
) -> FoundMatrix:
    """The overlaps of coordinates that are followed together, in the order of their map.

    `one` is the map where M = m I; `beside` has the maps of the others where some are 1.
    """
    if one is None:
        return fixed_point(
            tracked.at,
            tracked.where,
            alpha,
            search,
            exact_alpha=lambda: tracked.exact_alpha,
            resolution=tracked.overlap_map.resolution,
            partly_exact=_may_be_exact(tracked.overlap_map),
            beside=beside,
            undetermined=lambda top: _undetermined(tracked.overlap_map, beside, top, alpha),
            unseen=tracked.overlap_map.mass_defect,
            sampled=isinstance(tracked.overlap_map, SampledMap),
            settled=_settled(tracked.overlap_map),
            safety=_SLOW if isinstance(tracked.overlap_map, PartsMap | BlocksMap) else 1.0,
            coarse=-1 if isinstance(tracked.overlap_map, PartsMap | SampledMap) else 0,
            takes=tracked.overlap_map.takes if isinstance(tracked.overlap_map, PartsMap) else None,
        )
    m, count = one.informed(alpha) if search.informed else one.uninformed(alpha)
    residual = one.residual(m, alpha)
    return FoundMatrix(
        matrix=m * np.eye(len(tracked.places)),
        status=Status.CONVERGED if residual <= search.tolerance else Status.MAX_STEPS_REACHED,
        residual=residual,
        iterations=count,
        error=one.error(m, alpha),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenCoordinates:
    """Coordinates that enter through finitely many values beside a continuous one, which is found first.

    Attributes
    ----------
    target : Target or str
    channel : Channel
    sheets : SheetChannel
        Of the continuous coordinate.
    together : Tracked or None
        All coordinates by a `JointMap`, where there is a rule for that.
    """

    target: Target | str
    channel: Channel
    sheets: SheetChannel
    together: Tracked | None

    @property
    def joint_map(self) -> JointMap | None:
        """The map of all coordinates together."""
        found = None if self.together is None else self.together.overlap_map
        return found if isinstance(found, JointMap) else None

    def threshold(self) -> float:
        """The alpha above which they are unstable while nothing is known, alone or with the first one."""
        first, second = hidden_averages(self.sheets, 0.0)
        if self._is_visible(first, 0.0):
            return 0.0
        joint = self.joint_map
        return 1 / max(_top_of(second), 1e-300) if joint is None else joint.threshold

    def grow(self, m: float, alpha: float) -> bool:
        """Whether they leave overlap 0 while the first one has the overlap m, from 0 together with it."""
        joint = self.joint_map
        if m == 0 and joint is not None and alpha >= joint.threshold:
            return True
        first, second = hidden_averages(self.sheets, m)
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
        return self.channel.then is None or special_map_of(*self.channel.then[:2]) is None

    def all_at(self, alpha: float, search: Search) -> FoundMatrix:
        """The overlaps of all coordinates at once."""
        assert self.together is not None and self.joint_map is not None
        return joint_point(self.joint_map, self.together.where, self.channel.symmetries, alpha, search)

    def are_absent(self, matrix: Array, m: float, alpha: float) -> bool:
        """Whether a fixed point of all is that of the first one alone, which is known to more digits."""
        hidden = [k for k in range(len(matrix)) if k not in self.channel.seen]
        none = float(np.abs(matrix[hidden]).max()) <= _NO_OVERLAP
        return none and m < 1 and not self.grow(m, alpha)

    def following(
        self,
        found: FoundMatrix,
        alpha: float,
        search: Search,
    ) -> FoundMatrix:
        """0 while that is stable, else a stage of their own once the first coordinate is known.

        Parameters
        ----------
        found : FoundMatrix
            Of all coordinates, of which the first one is known.

        Raises
        ------
        UnsupportedExpression
            Where several overlaps would grow together.
        """
        first = self.channel.seen[0]
        m = float(found.matrix[first, first])
        if m < 1:
            self._require_stable(m, alpha)
            return found
        if self.channel.then is None:
            raise UnsupportedExpression(
                f"the first coordinate of {self.target} is known exactly at alpha = {alpha:g}, and the label "
                "of the others then depends on it; simulate it by AMP"
            )
        case, rows, share = self.channel.then
        rest = special_map_of(case, rows)
        if rest is None:
            raise UnsupportedExpression(
                f"once the first coordinate of {self.target} is known, the overlap matrix of the others does "
                "not stay diagonal; simulate it by AMP"
            )
        one = one_overlap(rest, share) if rest.is_isotropic else None
        later = overlaps_at(
            rest,
            one,
            alpha * (1.0 if one else share),
            search,
        )
        places = np.ix_(rest.places, rest.places)
        matrix = found.matrix.copy()
        matrix[places] = later.matrix
        return dataclasses.replace(later, matrix=matrix)

    def _require_stable(self, m: float, alpha: float) -> None:
        if self.grow(m, alpha):
            raise UnsupportedExpression(
                f"at alpha = {alpha:g} several overlaps of {self.target} grow together, which state "
                "evolution follows for a continuous coordinate beside at most two that enter through "
                "finitely many values, on boxes; simulate AMP, which takes three"
            )


def _undetermined(overlap_map: OverlapMap, beside: KnownCoordinates | None, top: Array, alpha: float) -> bool:
    """Whether it is known that overlap 1 in some directions alone is not stable."""
    if not isinstance(overlap_map, LabelMap):
        return False
    tangents = overlap_map.tangents()
    if tangents is not None:
        return alpha * tangents.determined(top) <= 1
    return beside is not None and beside.determines_none(top)


def _may_be_exact(overlap_map: OverlapMap) -> bool:
    """Whether directions may have overlap 1: not of parts with noise or of cells: their map is cheap."""
    parts = overlap_map.parts if isinstance(overlap_map, PartsMap) else None
    return parts is None or (not parts.is_noisy and parts.table is None)


def _settled(overlap_map: OverlapMap) -> float:
    """The share of the change with the level that a residual may be."""
    return 0.1 if isinstance(overlap_map, SampledMap | BlocksMap | PartsMap) else 0.0


def hidden_averages(sheets: SheetChannel, m: float) -> tuple[Array, Array]:
    """What the label says of the discrete coordinates v while nothing is known of them.

    Returns E[E[v|.] E[v|.]^T], shape (p, p), and E[G_ab G_cd], shape (p, p, p, p), G = E[v v^T - I | .].
    """
    nodes = sheets.nodes(1)
    table = np.stack([np.concatenate([s.first, s.second.ravel()]) for s in sheets.sheets])
    values = table[np.broadcast_to(nodes.sheet, nodes.points.shape)[nodes.present]]
    labels = nodes.label_nodes(sheets.continuous_probability)
    found = line_averages(labels, values, np.zeros(table.shape[1]), m, level=1)
    p = len(sheets.sheets[0].first)
    return found[:p, :p], found[p:, p:].reshape(p, p, p, p)


def _top_of(second: Array) -> float:
    p = len(second)
    return float(np.linalg.eigvalsh(second.transpose(0, 2, 1, 3).reshape(p * p, p * p))[-1])
