"""Bayes-AMP on y = g(z_1..z_r) in the limit d -> infinity, n = alpha d: `StateEvolution`."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.channel import Channel, channel_of
from hermite_analytics.errors import ConvergenceError, InputError, UnsupportedExpression
from hermite_analytics.foundation.budget import Budget
from hermite_analytics.foundation.clock import TimeEnded, check_time, limited
from hermite_analytics.numeric.checks import checked
from hermite_analytics.numeric.solution import Rule, Status, frozen, statuses
from hermite_analytics.numeric.state_evolution.commutant import Commutant
from hermite_analytics.numeric.state_evolution.curve import Curve, OneOverlap
from hermite_analytics.numeric.state_evolution.equilibrium import Equilibrium, best_of, free_entropy_gain
from hermite_analytics.numeric.state_evolution.fixed_point import (
    FoundMatrix,
    Search,
    beside_known,
    fixed_point,
)
from hermite_analytics.numeric.state_evolution.joint_map import JointMap
from hermite_analytics.numeric.state_evolution.known_coordinate import KnownCoordinates
from hermite_analytics.numeric.state_evolution.label_map import LabelMap
from hermite_analytics.numeric.state_evolution.overlap_input import overlap_inside
from hermite_analytics.numeric.state_evolution.overlap_map import (
    MatrixMap,
    OverlapMap,
    map_of,
)
from hermite_analytics.numeric.state_evolution.posterior_mean import regression_error
from hermite_analytics.numeric.state_evolution.rules import rule_at, unseen_error
from hermite_analytics.numeric.state_evolution.sheet_map import SheetMap
from hermite_analytics.numeric.state_evolution.solution import StateEvolutionSolution, Thresholds
from hermite_analytics.numeric.state_evolution.stages import HiddenCoordinates, one_overlap, overlaps_at
from hermite_analytics.numeric.state_evolution.start import (
    known_threshold,
    linear_threshold,
)
from hermite_analytics.numeric.state_evolution.transitions import thresholds_of

if TYPE_CHECKING:
    from hermite_analytics.target import Target

__all__ = ["StateEvolution"]

Array = NDArray[np.float64]

_STARTS = ("uninformed", "informed")
_SECONDS = 300.0  # for the channel, and for each alpha


@dataclass(frozen=True, slots=True, eq=False)
class StateEvolution:
    """State evolution of Bayes-AMP for inputs x ~ N(0, I/d), weights N(0, I) and n = alpha d labels.

    M = alpha F(M) (I + alpha F(M))^-1,  F(M) = E_{omega ~ N(0, M)} E_{y | omega} [g_out g_out^T],
    g_out(y, omega, V) = grad_omega log E_{z ~ N(omega, V)} P(y | z),  V = I - M.

    Source: arXiv 1708.03395 (one index), 2306.05139 and 2405.15480 (several).

    Parameters
    ----------
    target : Target or str
        Any label of one or two coordinates (orthogonal linear forms of z) that is smooth off straight lines,
        with noise inside or added, or without noise off up to three curves too; labels of finitely many
        values on boxes of up to three; a coordinate beside others that enter through finitely many values, as
        in z1 + sign(z2) + sign(z3); labels of three coordinates without noise, smooth off planes that have at
        most three directions or all pass through 0.
        Other labels of up to 8 coordinates by quasi-Monte Carlo: `numerical_error` is then two standard
        errors.
    seconds : float > 0, optional
        Time to prepare the channel, and again for each alpha: a point that it does not reach says so in its
        status. 300 where it is not given.
    seed : int
        Of the Sobol sequences.

    Raises
    ------
    UnsupportedExpression
        For other labels, with what is covered.

    Examples
    --------
    >>> model = StateEvolution("z1**2")
    >>> solution = model.solve(alpha=[0.45, 0.6, 1.0, 1.2])
    >>> solution.overlap[:, 0, 0].round(6).tolist()
    [0.0, 0.05182, 0.476264, 1.0]
    >>> found = model.thresholds()
    >>> round(found.exact_recovery, 6), found.exact_recovery_information
    (1.128471, 1.0)
    >>> StateEvolution("z1*z2").solve(alpha=1.0).overlap.round(5).tolist()  # M = m I
    [[0.21571, 0.0], [0.0, 0.21571]]
    """

    target: Target | str
    seconds: float | None = field(default=None, kw_only=True)
    seed: int = field(default=0, kw_only=True)
    channel: Channel = field(init=False, repr=False)
    _map: OverlapMap | None = field(init=False, repr=False)
    _matrix_map: MatrixMap | None = field(init=False, repr=False)
    _commutant: Commutant = field(init=False, repr=False)
    _one: OneOverlap | None = field(init=False, repr=False)
    _known: KnownCoordinates = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.seconds is not None and not self.seconds > 0:
            raise InputError(f"seconds is {self.seconds}; a positive number is accepted")
        channel = channel_of(self.target, seconds=self.seconds or _SECONDS, equivalent=True)
        overlap_map, matrix_map, commutant = map_of(channel, seed=self.seed)
        one = None
        if overlap_map is not None and len(overlap_map.groups) == 1:
            known = known_threshold(self.target, channel, overlap_map, matrix_map, commutant)
            maps = overlap_map, matrix_map, commutant
            known_law = isinstance(matrix_map, LabelMap) and matrix_map.law() is not None
            linear = partial(linear_threshold, *maps) if known_law else None
            one = one_overlap(overlap_map, first_order=_first_order(channel), threshold=known, linear=linear)
        values = (channel, overlap_map, matrix_map, commutant, one, KnownCoordinates(channel=channel))
        names = ("channel", "_map", "_matrix_map", "_commutant", "_one", "_known")
        for name, value in zip(names, values, strict=True):
            object.__setattr__(self, name, value)

    def solve(
        self,
        *,
        alpha: Any,
        start: str = "uninformed",
        tolerance: float = 1e-10,
        max_steps: int = 2000,
        throw: bool = False,
    ) -> StateEvolutionSolution:
        """The fixed point that is reached at each alpha.

        Parameters
        ----------
        alpha : array of floats > 0
            n/d.
        start : {"uninformed", "informed"}
            M = 0+, what AMP reaches from a small random overlap; or M = I-, the largest overlap that is
            stable.
        tolerance : float > 0
            On the residual.
        max_steps : int >= 1
            Of the iteration, where there are several overlaps.
        throw : bool
            Raise `ConvergenceError` if a point does not converge.

        Raises
        ------
        InputError
            If the labels are proved not to depend on z, or a parameter is out of range.
        """
        self.channel.require_information(self.target)
        values = checked("alpha", alpha, low=0.0, open_low=True)
        if start not in _STARTS:
            raise InputError(f"start is {start!r}; accepted: {', '.join(_STARTS)}")
        checked("tolerance", tolerance, low=0.0, open_low=True)
        if max_steps < 1:
            raise InputError(f"max_steps is {max_steps}; accepted: integers >= 1")
        search = Search(informed=start == "informed", tolerance=tolerance, max_steps=max_steps)
        found = [self._point(float(a), search) for a in values.ravel()]
        solution = self._solution(found, values, start)
        if throw:
            solution.raise_unless_converged()
        return solution

    def curve(self) -> Curve:
        """alpha as a function of the one overlap, with the stability of the fixed points and the spinodals.

        Raises
        ------
        UnsupportedExpression
            If there is more than one overlap.
        """
        return self._only().curve()

    def thresholds(self) -> Thresholds:
        """Weak recovery, jumps of AMP and of the equilibrium, and exact recovery, of the one overlap."""
        found = thresholds_of(self._only())
        inside = np.zeros((len(self.channel.rows),) * 2)
        return dataclasses.replace(found, rule=self._rule(inside))

    def weak_recovery(self) -> float:
        """alpha_c: above it M = 0 is unstable, from the slope of F at 0; 0 where E[z | y] is not 0.

        Of the coordinates that are followed together: inf where no alpha makes M = 0 unstable.

        Examples
        --------
        >>> round(StateEvolution("z1**2 + 2*z2**2").weak_recovery(), 6)
        0.61572
        """
        if self._one is not None:
            hidden = self._hidden()
            return min(self._one.weak_recovery, math.inf if hidden is None else hidden.threshold())
        if self.channel.leading_order == 1:
            return 0.0
        if self.channel.leading_order is not None and self.channel.leading_order > 2:
            return math.inf
        maps = self._map, self._matrix_map, self._commutant
        known = known_threshold(self.target, self.channel, *maps)
        return linear_threshold(*maps) if known is None else known

    def overlap_map(self, matrix: Any) -> Array:
        """F(M), shape (r, r), for an overlap matrix M in the coordinates of the target, 0 <= M < I.

        Raises
        ------
        InputError
            If M is no symmetric matrix of this shape with eigenvalues in [0, 1), or the label does not see
            one of its directions.
        UnsupportedExpression
            If some coordinates are found only once others are known exactly: there is no joint map then.

        Examples
        --------
        >>> round(StateEvolution("z1").overlap_map([[0.75]]).item(), 9)  # z1 is seen: 1/(1 - m)
        4.0
        """
        inside = overlap_inside(matrix, self.channel.rows)
        if self._matrix_map is None and len(self.channel.seen) < len(self.channel.rows):
            raise UnsupportedExpression(
                f"the coordinates of {self.target} are found one after the other; there is no map of all"
            )
        rows = self.channel.rows
        return np.asarray(rows.T @ self._full_map(inside) @ rows)

    def optimal_overlap(
        self, alpha: float, *, tolerance: float = 1e-10, max_steps: int = 2000
    ) -> Equilibrium:
        """The overlap of the best method of any cost: the global maximum of the free entropy.

        Source: the replica-symmetric formula sup_M inf_Mhat of arXiv 1708.03395 and 2306.05139, at the fixed
        points of state evolution; along M the free entropy is

            f(M) = alpha E log Z_out + (Tr M + log det(I - M))/2,   df = Tr[(alpha F - M (I - M)^-1) dM]/2.

        Parameters
        ----------
        alpha : float > 0
            n/d.

        Returns
        -------
        Equilibrium
            With one overlap all fixed points are compared; with several those that are reached from M = 0+
            and from M = I-.

        Examples
        --------
        >>> StateEvolution("z1**2").optimal_overlap(1.05).overlap.tolist()  # AMP stops at 0.568
        [[1.0]]
        """
        checked("alpha", alpha, low=0.0, open_low=True)
        rows = self.channel.rows
        if self._one is not None and len(self.channel.seen) == len(rows):
            points = [p.overlap for p in self._one.fixed_points(alpha) if p.stable]
            top, gap = best_of(self._one, alpha, points)
            return Equilibrium(
                overlap=top * rows.T @ rows,
                informed=top > points[0],
                free_entropy_gain=gap,
                test_error=self._error(top * np.eye(len(rows))),
            )
        low, high = (
            self._point(alpha, Search(informed=i, tolerance=tolerance, max_steps=max_steps))
            for i in (False, True)
        )
        for found in (low, high):
            if found.status != Status.CONVERGED:
                raise ConvergenceError(f"alpha = {alpha:g}: {found.status}: {found.status.help}")
        gain = free_entropy_gain(self._full_map, alpha, low.matrix, high.matrix)
        best = high if gain > 0 else low
        return Equilibrium(
            overlap=rows.T @ best.matrix @ rows,
            informed=gain > 0,
            free_entropy_gain=max(gain, 0.0),
            test_error=self._error(best.matrix),
        )

    def _full_map(self, m: Array) -> Array:
        if self._matrix_map is not None:
            return self._matrix_map(m)
        assert self._map is not None
        diagonal = np.diag(m)
        found = self._map(np.array([diagonal[g[0]] for g in self._map.groups]))
        result = np.zeros(len(m))
        for value, group in zip(found, self._map.groups, strict=True):
            result[list(group)] = value
        return np.diag(result)

    def _only(self) -> OneOverlap:
        hidden = self._hidden()
        together = hidden is not None and hidden.threshold() == 0
        if self._one is None or together:
            one_map = None if together else self._map
            count = len(self._commutant.basis) if one_map is None else len(one_map.groups)
            raise UnsupportedExpression(
                f"the state evolution of {self.target} has {count} overlaps; curve() and "
                "thresholds() take one, solve(alpha=..) and weak_recovery() take any"
            )
        return self._one

    def _point(self, alpha: float, search: Search) -> FoundMatrix:
        """The overlap matrix in the coordinates of the channel, within the time."""
        try:
            with limited(Budget(seconds=self.seconds or _SECONDS)):
                return self._fixed_point(alpha, search)
        except TimeEnded:
            check_time()  # a clock that was set around this one
            nothing = np.full((len(self.channel.rows),) * 2, np.nan)
            return FoundMatrix(
                matrix=nothing, status=Status.TIME_ENDED, residual=math.nan, iterations=0, error=math.nan
            )

    def _fixed_point(self, alpha: float, search: Search) -> FoundMatrix:
        q = len(self.channel.rows)
        known = self._known.known_at(alpha) if search.informed and self._one is None else None
        if known is not None:
            return beside_known(known, alpha, search)
        if self._map is None:
            assert self._matrix_map is not None
            share = self._matrix_map.exact_share
            matrix_map = self._matrix_map
            return fixed_point(
                lambda m, level: matrix_map(m, level=level),
                self._commutant,
                alpha,
                search,
                exact_alpha=1 / share if share > 0 else math.inf,
                resolution=matrix_map.resolution,
                unseen=unseen_error(matrix_map),
                beside=self._known,
            )
        seen = overlaps_at(self._map, self._one, alpha, search, beside=self._known)
        hidden = self._hidden()
        if hidden is None:
            return seen
        m = float(seen.matrix[0, 0])
        if hidden.grow_together(m, alpha, informed=search.informed):
            whole = hidden.together(alpha, search)
            if not hidden.are_absent(whole.matrix, m, alpha):
                return whole
        matrix = np.zeros((q, q))
        matrix[np.ix_(self.channel.seen, self.channel.seen)] = seen.matrix
        return hidden.following(dataclasses.replace(seen, matrix=matrix), alpha, search)

    def _hidden(self) -> HiddenCoordinates | None:
        if not isinstance(self._map, SheetMap) or len(self.channel.seen) == len(self.channel.rows):
            return None
        return HiddenCoordinates(
            target=self.target,
            channel=self.channel,
            sheet_map=self._map,
            joint_map=self._matrix_map if isinstance(self._matrix_map, JointMap) else None,
            commutant=self._commutant,
        )

    def _solution(self, found: list[FoundMatrix], alpha: Array, start: str) -> StateEvolutionSolution:
        rows = self.channel.rows
        converged = [f.status == Status.CONVERGED for f in found]
        matrices = np.array([rows.T @ f.matrix @ rows for f in found])
        matrices = np.where(np.array(converged)[:, None, None], matrices, np.nan)
        errors = [
            self._error(f.matrix) if good else math.nan for f, good in zip(found, converged, strict=True)
        ]

        def shaped(values: list[Any], kind: Any = np.float64) -> Any:
            return np.array(values, dtype=kind).reshape(alpha.shape)

        overlap = matrices.reshape(*alpha.shape, *matrices.shape[1:])
        return StateEvolutionSolution(
            overlap=frozen(overlap),
            test_error=frozen(shaped(errors)),
            status=statuses(shaped([f.status for f in found], object)),
            residual=frozen(shaped([f.residual for f in found])),
            iterations=frozen(shaped([f.iterations for f in found], np.int64)),
            numerical_error=frozen(shaped([f.error for f in found])),
            rule=_rules(shaped([self._rule(np.nan_to_num(f.matrix)) for f in found], object)),
            alpha=frozen(alpha),
            start=start,
        )

    def _rule(self, matrix: Array) -> Rule:
        """How F was found at an overlap; that of all coordinates together where they are followed so."""
        overlap_map = self._matrix_map if self._matrix_map is not None else self._map
        assert overlap_map is not None
        return rule_at(overlap_map, matrix)

    def _error(self, matrix: Array) -> float:
        if self.channel.has_variance is False:
            return math.inf
        if self.channel.regression is None or self.channel.has_variance is None:
            return math.nan
        return regression_error(self.channel.regression, matrix)


def _rules(texts: NDArray[Any]) -> Any:
    """`Rule` (single point) or an array of texts."""
    return Rule(texts.item()) if texts.ndim == 0 else frozen(texts)


def _first_order(channel: Channel) -> float | None:
    """That of the coordinates of the map; where it is not proved, that of all together, if it is above 1."""
    if channel.first_order is None and channel.leading_order is not None and channel.leading_order > 1:
        return channel.leading_order
    return channel.first_order
