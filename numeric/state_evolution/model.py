"""Bayes-AMP on y = g(z_1..z_r) in the limit d -> infinity, n = alpha d: `StateEvolution`."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.channel import Channel, channel_of
from hermite_analytics.errors import InputError, UnsupportedExpression
from hermite_analytics.numeric.checks import checked
from hermite_analytics.numeric.solution import Status, frozen, statuses
from hermite_analytics.numeric.state_evolution.curve import Curve, OneOverlap
from hermite_analytics.numeric.state_evolution.maps import OverlapMap, SheetMap, map_of
from hermite_analytics.numeric.state_evolution.posterior_mean import posterior_mean_error
from hermite_analytics.numeric.state_evolution.several_overlaps import FoundOverlaps, iterate
from hermite_analytics.numeric.state_evolution.solution import StateEvolutionSolution, Thresholds
from hermite_analytics.numeric.state_evolution.transitions import thresholds_of

if TYPE_CHECKING:
    from hermite_analytics.target import Target

__all__ = ["StateEvolution"]

Array = NDArray[np.float64]

_STARTS = ("uninformed", "informed")
_VISIBLE = 1e-10  # of E[v | y]^2, above which the other coordinates are not found one after the other


@dataclass(frozen=True, slots=True, eq=False)
class StateEvolution:
    """State evolution of Bayes-AMP for inputs x ~ N(0, I/d), weights N(0, I) and n = alpha d labels.

    M = alpha F(M) (I + alpha F(M))^-1,  F(M) = E_{omega ~ N(0, M)} E_{y | omega} [g_out g_out^T],
    g_out(y, omega, V) = grad_omega log E_{z ~ N(omega, V)} P(y | z),  V = I - M.

    Source: arXiv 1708.03395 (one index), 2306.05139 and 2405.15480 (several).

    Parameters
    ----------
    target : Target or str
        Labels of one direction, with noise added or inside signs; labels of finitely many values with
        each kink in one of up to three coordinates; a coordinate beside others that enter through finitely
        many values, as in z1**2 + sign(z1*z2*z3); a*z1 + h(z2), h even, in orthogonal coordinates, as in
        max(z1,z2) - z3.
    seconds : float > 0
        Time to prepare the channel.

    Raises
    ------
    UnsupportedExpression
        For other labels, with what is covered; AMP itself can be simulated for them.

    Examples
    --------
    >>> model = StateEvolution("z1**2")
    >>> solution = model.solve(alpha=[0.45, 0.6, 1.0, 1.2])
    >>> solution.overlap[:, 0, 0].round(6).tolist()
    [0.0, 0.05182, 0.476264, 1.0]
    >>> found = model.thresholds()
    >>> round(found.exact_recovery, 6), found.exact_recovery_information
    (1.128471, 1.0)
    """

    target: Target | str
    seconds: float = field(default=30.0, kw_only=True)
    channel: Channel = field(init=False, repr=False)
    _map: OverlapMap = field(init=False, repr=False)
    _one: OneOverlap | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not self.seconds > 0:
            raise InputError(f"seconds is {self.seconds}; a positive number is accepted")
        channel = channel_of(self.target, seconds=self.seconds)
        overlap_map = map_of(channel.kind)
        one = _one_overlap(overlap_map, 1.0, channel.first_order) if len(overlap_map.groups) == 1 else None
        for name, value in (("channel", channel), ("_map", overlap_map), ("_one", one)):
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
        """
        values = checked("alpha", alpha, low=0.0, open_low=True)
        if start not in _STARTS:
            raise InputError(f"start is {start!r}; accepted: {', '.join(_STARTS)}")
        checked("tolerance", tolerance, low=0.0, open_low=True)
        if max_steps < 1:
            raise InputError(f"max_steps is {max_steps}; accepted: integers >= 1")
        informed = start == "informed"
        found = [
            self._point(float(a), informed=informed, tolerance=tolerance, max_steps=max_steps)
            for a in values.ravel()
        ]
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
        return thresholds_of(self._only())

    def _only(self) -> OneOverlap:
        if self._one is None:
            raise UnsupportedExpression(
                f"the state evolution of {self.target} has {len(self._map.groups)} overlaps; curve() and "
                "thresholds() take one, solve(alpha=..) takes any"
            )
        return self._one

    def _point(self, alpha: float, *, informed: bool, tolerance: float, max_steps: int) -> FoundOverlaps:
        """Overlaps of the coordinates of the channel, one a row."""
        q = len(self.channel.rows)
        found = _solved(self._map, self._one, alpha, informed, tolerance, max_steps)
        overlaps = np.zeros(q)
        overlaps[list(self.channel.seen)] = found.overlaps
        if isinstance(self._map, SheetMap) and q > len(self.channel.seen):
            found = self._with_hidden(found, overlaps, alpha, informed, tolerance, max_steps)
        return FoundOverlaps(
            overlaps=overlaps,
            status=found.status,
            residual=found.residual,
            iterations=found.iterations,
            error=found.error,
        )

    def _with_hidden(
        self,
        found: FoundOverlaps,
        overlaps: Array,
        alpha: float,
        informed: bool,
        tolerance: float,
        max_steps: int,
    ) -> FoundOverlaps:
        """The coordinates known only after the first: 0 while that is stable, then a stage of their own."""
        m = float(found.overlaps[0])
        if m < 1:
            self._check_hidden(m, alpha)
            return found
        if self.channel.then is None:
            raise UnsupportedExpression(
                f"the first coordinate of {self.target} is known exactly at alpha = {alpha:g}, and the label "
                "of the others then depends on it; simulate it by AMP"
            )
        kind, places, share = self.channel.then
        rest = map_of(kind)
        one = _one_overlap(rest, share) if len(rest.groups) == 1 else None
        later = _solved(rest, one, alpha * (1.0 if one else share), informed, tolerance, max_steps)
        overlaps[list(places)] = later.overlaps
        return later

    def _check_hidden(self, m: float, alpha: float) -> None:
        assert isinstance(self._map, SheetMap)
        first, second = self._map.hidden(m)
        p = len(first)
        top = float(np.linalg.eigvalsh(second.transpose(0, 2, 1, 3).reshape(p * p, p * p))[-1])
        if float(np.trace(first)) > _VISIBLE or alpha * top >= 1:
            raise UnsupportedExpression(
                f"at alpha = {alpha:g} several overlaps of {self.target} grow together, which state "
                "evolution does not follow where one of them enters by finitely many values; simulate AMP"
            )

    def _solution(self, found: list[FoundOverlaps], alpha: Array, start: str) -> StateEvolutionSolution:
        rows = self.channel.rows
        converged = [f.status == Status.CONVERGED for f in found]
        matrices = np.array([rows.T @ np.diag(f.overlaps) @ rows for f in found])
        matrices = np.where(np.array(converged)[:, None, None], matrices, np.nan)
        errors = [
            self._error(f.overlaps) if good else math.nan for f, good in zip(found, converged, strict=True)
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
            alpha=frozen(alpha),
            start=start,
        )

    def _error(self, overlaps: Array) -> float:
        if self.channel.has_variance is False:
            return math.inf
        if self.channel.regression is None or self.channel.has_variance is None:
            return math.nan
        return posterior_mean_error(self.channel.regression, overlaps)


def _one_overlap(overlap_map: OverlapMap, share: float, first_order: float | None = None) -> OneOverlap:
    """The map as one of a number; labels that say nothing, a fraction 1 - share, are left out."""

    def value(m: float, level: int) -> float:
        return share * float(overlap_map(np.array([m]), level=level)[0])

    return OneOverlap(
        overlap_map=value,
        exact_share=share * overlap_map.exact_share,
        resolution=overlap_map.resolution,
        first_order=first_order,
    )


def _solved(
    overlap_map: OverlapMap,
    one: OneOverlap | None,
    alpha: float,
    informed: bool,
    tolerance: float,
    max_steps: int,
) -> FoundOverlaps:
    """Overlaps of the coordinates of one channel."""
    size = sum(len(g) for g in overlap_map.groups)
    if one is None:
        found = iterate(
            lambda m, level: overlap_map(m, level=level),
            alpha,
            len(overlap_map.groups),
            exact_alpha=overlap_map.exact_alpha,
            informed=informed,
            tolerance=tolerance,
            max_steps=max_steps,
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
