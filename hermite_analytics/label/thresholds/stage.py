"""The threshold of one step of order 2: equal parts by their symmetry, other labels by the methods."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sympy import Expr

from hermite_analytics.argument.remarks import remark
from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.exponents.spans import Row
from hermite_analytics.foundation.clock import TimeEnded, limited, time_of
from hermite_analytics.label.reduction.equivalent import reduced
from hermite_analytics.label.reduction.problem import Problem, orthonormal_problem
from hermite_analytics.label.reduction.size import normal_label
from hermite_analytics.label.reduction.stairs import LEFT_OUT, with_finite_stairs
from hermite_analytics.label.thresholds.committees import committee
from hermite_analytics.label.thresholds.result import Threshold, no_threshold
from hermite_analytics.language.kinks import STAIRS
from hermite_analytics.target import Target
from hermite_analytics.target.whole import whole_expression

__all__ = ["step_threshold"]

_STAIRS = remark("of the floor the integers within 8.3 standard deviations")


def step_threshold(
    f: Target,
    learned: Sequence[Row],
    relevant: Sequence[Row] = (),
    *,
    seconds: float = 30.0,
) -> Threshold:
    """alpha_c of the most unstable direction orthogonal to the learned ones, which are known exactly.

    Parameters
    ----------
    f : Target
    learned, relevant : rows of exact numbers
        Bases of the subspace that is known, and of one that the target depends on only.
    seconds : float > 0
        What does not end in this time has no threshold, with that as its reason.

    Examples
    --------
    >>> round(float(step_threshold(Target("z1*z2"), []).alpha), 12)
    0.593751098222
    """
    alone = None
    try:
        with limited(seconds):
            if f.expression.has(*STAIRS):
                return _of_floors(f, learned, relevant)
            alone = _committee(f.expression, f.dimension, learned)
            if alone is not None and not alone.is_rough:
                return alone
            from hermite_analytics.label.thresholds.methods import threshold_of

            found = threshold_of(_problem(f.expression, f.dimension, learned, relevant))
    except TimeEnded:
        return alone or no_threshold(remark(time_of(seconds)))
    return alone if alone is not None and not found.alpha.error < alone.alpha.error else found


def _of_floors(f: Target, learned: Sequence[Row], relevant: Sequence[Row]) -> Threshold:
    """As they stand; else by their steps, opened only then."""
    from hermite_analytics.label.thresholds.methods import threshold_of, threshold_of_floors

    found = threshold_of_floors(_problem(whole_expression(f), f.dimension, learned, relevant))
    if found is None:
        finite = with_finite_stairs(f.expression)
        found = threshold_of(_problem(finite, f.dimension, learned, relevant)).weakened(_STAIRS)
    return found.widened(LEFT_OUT)


def _problem(expression: Expr, dimension: int, learned: Sequence[Row], relevant: Sequence[Row]) -> Problem:
    """In its simplest form, of ordinary size."""
    problem = reduced(orthonormal_problem(expression, dimension, learned, relevant))
    return problem.with_signal(normal_label(problem.signal).signal)


def _committee(expression: Expr, dimension: int, learned: Sequence[Row]) -> Threshold | None:
    """By the symmetry of equal parts, before coordinates are rotated; None where it does not apply."""
    try:
        found = committee(expression, dimension, learned)
    except UnsupportedExpression:
        return None
    return None if found is None or math.isnan(found.alpha.value) else found
