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
from hermite_analytics.label.reduction.problem import orthonormal_problem
from hermite_analytics.label.reduction.size import normal_label
from hermite_analytics.label.reduction.stairs import LEFT_OUT, with_finite_stairs
from hermite_analytics.label.thresholds.committees import committee
from hermite_analytics.label.thresholds.result import Threshold, no_threshold

__all__ = ["step_threshold"]

_STAIRS = remark("of the floor the integers within 8.3 standard deviations")


def step_threshold(
    expression: Expr,
    dimension: int,
    learned: Sequence[Row],
    relevant: Sequence[Row] = (),
    *,
    seconds: float = 30.0,
) -> Threshold:
    """alpha_c of the most unstable direction orthogonal to the learned ones, which are known exactly.

    Parameters
    ----------
    expression : sympy expression in z1, ..., and xi
    dimension : int
    learned, relevant : rows of exact numbers
        Bases of the subspace that is known, and of one that the target depends on only.
    seconds : float > 0
        What does not end in this time has no threshold, with that as its reason.

    Examples
    --------
    >>> from hermite_analytics.target import Target
    >>> round(float(step_threshold(Target("z1*z2").expression, 2, []).alpha), 12)
    0.593751098222
    """
    alone = None
    try:
        with limited(seconds):
            finite = with_finite_stairs(expression)
            alone = _committee(finite, dimension, learned) if finite == expression else None
            if alone is not None and not alone.is_rough:
                return alone
            from hermite_analytics.label.thresholds.methods import threshold_of

            problem = reduced(orthonormal_problem(finite, dimension, learned, relevant))
            problem = problem.with_signal(normal_label(problem.signal).signal)
            found = threshold_of(problem)
            if finite != expression:
                found = found.weakened(_STAIRS).widened(LEFT_OUT)
    except TimeEnded:
        return alone or no_threshold(remark(time_of(seconds)))
    return alone if alone is not None and not found.alpha.error < alone.alpha.error else found


def _committee(expression: Expr, dimension: int, learned: Sequence[Row]) -> Threshold | None:
    """By the symmetry of equal parts, before coordinates are rotated; None where it does not apply."""
    try:
        found = committee(expression, dimension, learned)
    except UnsupportedExpression:
        return None
    return None if found is None or math.isnan(found.alpha.value) else found
