"""The overlaps of a label: its maps, how far they are followed together, and their fixed points."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from hermite_analytics.errors import ConvergenceError, UnsupportedExpression
from hermite_analytics.foundation.attempts import attempted
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.label.cases.line.sheets import SheetChannel
from hermite_analytics.label.channel import Channel
from hermite_analytics.numeric.bayes.maps.blocks_map import BlocksMap
from hermite_analytics.numeric.bayes.maps.label_map import LabelMap
from hermite_analytics.numeric.bayes.maps.overlap_map import OverlapMap, Tracked, map_of, sampled_map_of
from hermite_analytics.numeric.bayes.maps.parts_map import PartsMap
from hermite_analytics.numeric.bayes.maps.sampled_map import SampledMap
from hermite_analytics.numeric.bayes.maps.unresolved import UnresolvedOverlap
from hermite_analytics.numeric.bayes.state_evolution.equilibrium import (
    Equilibrium,
    best_of,
    free_entropy_gain,
)
from hermite_analytics.numeric.bayes.state_evolution.iteration import (
    FoundMatrix,
    Search,
    beside_known,
)
from hermite_analytics.numeric.bayes.state_evolution.known_coordinate import KnownCoordinates
from hermite_analytics.numeric.bayes.state_evolution.one_overlap import OneOverlap
from hermite_analytics.numeric.bayes.state_evolution.posterior_mean import regression_error_within
from hermite_analytics.numeric.bayes.state_evolution.stages import HiddenCoordinates, one_overlap, overlaps_at
from hermite_analytics.numeric.bayes.state_evolution.start import known_threshold, linear_threshold
from hermite_analytics.numeric.status import Rule, Status

if TYPE_CHECKING:
    from hermite_analytics.target import Target

__all__ = ["Overlaps", "rule_at"]

_COMPLETE = 1e-9  # distance from overlap 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Overlaps:
    """The maps of a channel.

    Attributes
    ----------
    target : Target or str
    channel : Channel
    seen : Tracked
        The coordinates that are followed first: all, or one beside others that enter through finitely many
        values.
    together : Tracked or None
        All coordinates, where `seen` has one and there is a rule for all.
    one : OneOverlap or None
        Where `seen` has one number to follow.
    known : KnownCoordinates
        The maps beside coordinates that are known exactly.
    sampled : Tracked or None
        The map of last resort, where the label has one: of overlaps too close to 1 for its own.
    """

    target: Target | str
    channel: Channel
    seen: Tracked
    together: Tracked | None
    one: OneOverlap | None
    known: KnownCoordinates
    sampled: Tracked | None = None

    @classmethod
    def of(cls, target: Target | str, channel: Channel, *, seed: int) -> Overlaps:
        """The seed is that of the Sobol sequences."""
        seen, together = map_of(channel, seed=seed)
        one = None
        if seen.is_isotropic:
            known_law = isinstance(seen.overlap_map, LabelMap) and seen.overlap_map.law() is not None
            one = one_overlap(
                seen,
                first_order=_first_order(channel),
                threshold=known_threshold(target, channel, seen),
                linear=partial(linear_threshold, seen) if known_law else None,
            )
        known = KnownCoordinates(channel=channel)
        return cls(
            target=target,
            channel=channel,
            seen=seen,
            together=together,
            one=one,
            known=known,
            sampled=sampled_map_of(channel, seed=seed),
        )

    def weak_recovery(self) -> float:
        """alpha_c, see `StateEvolution`."""
        if self.one is not None:
            hidden = self.hidden()
            return min(self.one.weak_recovery, math.inf if hidden is None else hidden.threshold())
        if self.channel.leading_order == 1:
            return 0.0
        if self.channel.leading_order is not None and self.channel.leading_order > 2:
            return math.inf
        known = known_threshold(self.target, self.channel, self.seen)
        return linear_threshold(self.seen) if known is None else known

    def equilibrium(self, alpha: float, low: Search, high: Search, seconds: float) -> Equilibrium:
        """The global maximum of the free entropy: of the fixed points from 0+ and from I-, or of all.

        Raises
        ------
        ConvergenceError
            If one of both is not found.
        UnsupportedExpression
            If their free entropies cannot be compared.
        """
        rows = self.channel.rows
        if self.one is not None and len(self.channel.seen) == len(rows):
            points = [p.overlap for p in self.one.fixed_points(alpha) if p.stable]
            top, gap = best_of(self.one, alpha, points)
            return Equilibrium(
                overlap=top * rows.T @ rows,
                informed=top > points[0],
                free_entropy_gain=len(rows) * gap,  # M = m I: f(m) is the share of one coordinate
                test_error=self.test_error(top * np.eye(len(rows)))[0],
            )
        found = [self.point(alpha, search, seconds) for search in (low, high)]
        for one in found:
            if one.status != Status.CONVERGED:
                raise ConvergenceError(f"alpha = {alpha:g}: {one.status}: {one.status.help}")
        gain = self.gain(alpha, *(f.matrix for f in found))
        if math.isnan(gain):
            raise UnsupportedExpression(
                f"the free entropy of {self.target} at alpha = {alpha:g} is not known beside a direction "
                "that is known exactly at both fixed points; solve(start=...) has both of them"
            )
        best = found[1 if gain > 0 else 0].matrix
        return Equilibrium(
            overlap=rows.T @ best @ rows,
            informed=gain > 0,
            free_entropy_gain=max(gain, 0.0),
            test_error=self.test_error(best)[0],
        )

    def gain(self, alpha: float, low: Array, high: Array) -> float:
        """The free entropy of one fixed point less that of another; NaN where there is no rule.

        Beside a direction that is known at both it is that of the other one.
        """
        values, vectors = np.linalg.eigh(low)
        shared = vectors[:, values >= 1 - _COMPLETE]
        if not shared.size or float(np.abs(high - low).max()) < _COMPLETE:
            return free_entropy_gain(self.full_map, alpha, low, high)
        known = self.known(shared)
        if known is None:
            return math.nan
        w = known.label.other
        return known.one.free_entropy_difference(alpha, float(w @ low @ w), float(w @ high @ w))

    def full_map(self, m: Array) -> Array:
        """F(M) in the coordinates of the channel.

        Raises
        ------
        UnsupportedExpression
            If there is no map of all coordinates, or it does not take this M.
        """
        if self.together is not None:
            return self.together.at(m)
        if len(self.seen.places) < len(m):
            raise UnsupportedExpression(
                f"the coordinates of {self.target} are found one after the other; there is no map of all"
            )
        places = np.ix_(self.seen.places, self.seen.places)
        return self.seen.embedded(self.seen.at(m[places]), len(m))

    def only(self) -> OneOverlap:
        """The one overlap.

        Raises
        ------
        UnsupportedExpression
            If there are more.
        """
        hidden = self.hidden()
        together = hidden is not None and hidden.threshold() == 0
        if self.one is None or together:
            followed = self.together if together and self.together is not None else self.seen
            count = len(followed.where.basis)
            raise UnsupportedExpression(
                f"the state evolution of {self.target} has {count} overlaps; curve() and "
                "thresholds() take one, solve(alpha=..) and weak_recovery() take any"
            )
        return self.one

    def point(self, alpha: float, search: Search, seconds: float) -> FoundMatrix:
        """The overlap matrix in the coordinates of the channel, within the time."""
        with attempted(seconds):
            try:
                return self._fixed_point(alpha, search)
            except UnresolvedOverlap:
                if self.sampled is None:
                    return self.nothing(Status.UNRESOLVED)
            try:
                found = overlaps_at(self.sampled, None, alpha, search)
            except UnresolvedOverlap:
                return self.nothing(Status.UNRESOLVED)
            return dataclasses.replace(found, sampled=True)
        return self.nothing(Status.TIME_ENDED)

    def nothing(self, status: Status) -> FoundMatrix:
        """A point without an answer."""
        nothing = np.full((len(self.channel.rows),) * 2, np.nan)
        return FoundMatrix(matrix=nothing, status=status, residual=math.nan, iterations=0, error=math.nan)

    def _fixed_point(self, alpha: float, search: Search) -> FoundMatrix:
        known = self.known.known_at(alpha) if search.informed and self.one is None else None
        if known is not None:
            return beside_known(known, alpha, search)
        seen = overlaps_at(self.seen, self.one, alpha, search, beside=self.known)
        matrix = self.seen.embedded(seen.matrix, len(self.channel.rows))
        seen = dataclasses.replace(seen, matrix=matrix)
        hidden = self.hidden()
        if hidden is None:
            return seen
        first = self.seen.places[0]
        m = float(matrix[first, first])
        if hidden.grow_together(m, alpha, informed=search.informed):
            whole = hidden.all_at(alpha, search)
            if not hidden.are_absent(whole.matrix, m, alpha):
                return whole
        return hidden.following(seen, alpha, search)

    def hidden(self) -> HiddenCoordinates | None:
        """The coordinates that are found after the first one."""
        sheets = self.channel.kind
        if not isinstance(sheets, SheetChannel) or len(self.seen.places) == len(self.channel.rows):
            return None
        return HiddenCoordinates(
            target=self.target, channel=self.channel, sheets=sheets, together=self.together
        )

    def rule_of(self, found: FoundMatrix) -> Rule:
        """How F was found at a point, see `rule`."""
        return Rule.SAMPLED if found.sampled else self.rule(np.nan_to_num(found.matrix))

    def rule(self, matrix: Array) -> Rule:
        """How F was found at an overlap; that of all coordinates together where they are followed so."""
        tracked = self.seen if self.together is None else self.together
        return rule_at(tracked.overlap_map, matrix)

    def test_error(self, matrix: Array, error: float = 0.0) -> tuple[float, float]:
        """(that of the posterior mean, its own error), in the unit of y, at overlaps with an error."""
        if self.channel.has_variance is False:
            return math.inf, math.nan
        if self.channel.regression is None or self.channel.has_variance is None:
            return math.nan, math.nan
        return regression_error_within(self.channel.regression, matrix, error)


def _first_order(channel: Channel) -> float | None:
    """That of the coordinates of the map; where it is not proved, that of all together, if it is above 1."""
    if channel.first_order is None and channel.leading_order is not None and channel.leading_order > 1:
        return channel.leading_order
    return channel.first_order


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
