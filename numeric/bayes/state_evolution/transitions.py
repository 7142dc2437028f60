"""Thresholds of one overlap: where AMP jumps, and where the maximum of the free entropy does."""

from __future__ import annotations

import math
from collections.abc import Callable

from hermite_analytics.foundation.roots import root_between
from hermite_analytics.numeric.bayes.state_evolution.curve import Spinodal
from hermite_analytics.numeric.bayes.state_evolution.one_overlap import OneOverlap
from hermite_analytics.numeric.bayes.state_evolution.solution import Thresholds

__all__ = ["thresholds_of"]

_FAR = 64.0
_BESIDE = 1e-9  # relative distance from a spinodal
Jump = tuple[float, float, float]


def thresholds_of(one: OneOverlap) -> Thresholds:
    """All thresholds of state evolution in one overlap.

    At a maximum of alpha(m) the fixed point below it ends: AMP jumps to the next one. Between the minimum of
    alpha(m) after it and that maximum both are stable; the equilibrium jumps where their f agree.
    """
    algorithmic: list[Jump] = []
    equilibrium: list[Jump] = []
    highest = one.weak_recovery
    spinodals = one.extrema()
    if _falls_from_zero(one, spinodals):
        algorithmic, equilibrium = _jump(one, 0.0, one.weak_recovery)
    elif math.isinf(highest):  # AMP stays at m = 0 for any alpha
        equilibrium = _equal_free_entropy(one, 0.0, math.inf)
    for s in spinodals:
        if s.kind == "maximum" and s.alpha > highest:
            further = _jump(one, s.overlap, s.alpha)
            algorithmic, equilibrium = algorithmic + further[0], equilibrium + further[1]
            highest = s.alpha
    exact = max(highest, one.at_one) if one.exact_share > 0 else math.inf
    return Thresholds(
        weak_recovery=one.weak_recovery,
        algorithmic_jumps=tuple(algorithmic),
        equilibrium_jumps=tuple(equilibrium),
        exact_recovery=exact,
        exact_recovery_information=one.at_one,
    )


def _falls_from_zero(one: OneOverlap, spinodals: tuple[Spinodal, ...]) -> bool:
    """Whether m = 0 loses its stability with no stable overlap beside it."""
    if not one.starts_at_zero or math.isinf(one.weak_recovery):
        return False
    if spinodals:
        return spinodals[0].kind == "minimum"
    knots = one.knots()
    return one.alpha(knots[-1]) < one.weak_recovery


def _jump(one: OneOverlap, m: float, alpha: float) -> tuple[list[Jump], list[Jump]]:
    """(algorithmic, equilibrium) jumps from the fixed point that ends at the maximum alpha(m)."""
    above = [p for p in one.fixed_points(alpha * (1 + _BESIDE)) if p.stable and p.overlap > m]
    if not above:
        return [], []
    return [(alpha, m, above[0].overlap)], _equal_free_entropy(one, m, alpha)


def _equal_free_entropy(one: OneOverlap, m: float, alpha: float) -> list[Jump]:
    """Where the fixed point that ends at alpha, and the next stable one, have the same free entropy."""

    def pair(a: float) -> tuple[float, float] | None:
        points = one.fixed_points(a)
        low = [p for p in points if p.stable and p.overlap <= m]
        high = [p for p in points if p.stable and p.overlap > m]
        return (low[-1].overlap, high[0].overlap) if low and high else None

    start = _first_pair(one, pair, m, alpha)
    if start is None:
        return []
    beside = start * (1 + _BESIDE)
    ends = pair(beside)
    if ends is None:
        return []
    if ends[1] >= 1:  # its free entropy is infinite as soon as it is stable
        return [(start, ends[0], 1.0)]

    def difference(a: float) -> float:
        found = pair(a)
        return one.free_entropy_difference(a, *found) if found else math.nan

    last = min(alpha * (1 - _BESIDE), _FAR * start)
    # the derivative in alpha is half the integral of F, which grows: Newton's step is mostly a step too far
    slope = 0.5 * (one.integral(ends[1]) - one.integral(ends[0]))
    ahead = beside - difference(beside) / slope
    if beside < ahead < last and difference(beside) * difference(ahead) <= 0:
        last = ahead
    if difference(beside) * difference(last) > 0:
        return []
    where, _ = root_between(difference, beside, last, within=1e-10)
    found = pair(where)
    return [] if found is None else [(where, *found)]


def _first_pair(
    one: OneOverlap, pair: Callable[[float], tuple[float, float] | None], m: float, alpha: float
) -> float | None:
    """The smallest alpha below the maximum at which both are stable."""
    below = [s.alpha for s in one.extrema() if s.kind == "minimum" and s.overlap > m and s.alpha < alpha]
    candidates = [*below, *([one.at_one] if one.at_one < alpha else [])]
    return next((a for a in sorted(candidates) if pair(a * (1 + _BESIDE)) is not None), None)
