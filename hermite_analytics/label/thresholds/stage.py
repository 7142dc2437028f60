"""The threshold of one step of order 2: the methods in order, exact ones first."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from sympy import Expr

from hermite_analytics.argument import Facts
from hermite_analytics.argument.remarks import remark
from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.exponents.spans import Row
from hermite_analytics.foundation.clock import TimeEnded, allowed, limited, share
from hermite_analytics.label.reduction.equivalent import reduced
from hermite_analytics.label.reduction.problem import Problem, orthonormal_problem
from hermite_analytics.label.reduction.size import normal_label
from hermite_analytics.label.reduction.stairs import LEFT_OUT, with_finite_stairs
from hermite_analytics.label.thresholds.committees import committee
from hermite_analytics.label.thresholds.discrete import by_finite_values
from hermite_analytics.label.thresholds.exact import by_injectivity
from hermite_analytics.label.thresholds.numeric import (
    coordinate_product,
    independent_parts,
    noisy_finite,
    one_coordinate,
    quadratic_form,
)
from hermite_analytics.label.thresholds.piecewise_linear import piecewise_linear
from hermite_analytics.label.thresholds.result import Threshold, infinite_threshold, no_threshold
from hermite_analytics.label.thresholds.two_coordinates import in_bins, level_curves, sampled

__all__ = ["step_threshold", "threshold_of"]

Method = Callable[[Problem], Threshold | None]

_STAIRS = remark("of the floor the integers within 8.3 standard deviations")
_SHARE = 0.6  # of the time left, for exact moments of cells


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
    try:
        with limited(seconds):
            finite = with_finite_stairs(expression)
            alone = _committee(finite, dimension, learned) if finite == expression else None
            if alone is not None:
                return alone
            problem = reduced(orthonormal_problem(finite, dimension, learned, relevant))
            problem = problem.with_signal(normal_label(problem.signal).signal)
            found = threshold_of(problem)
            if finite != expression:
                found = found.weakened(_STAIRS).widened(LEFT_OUT)
    except TimeEnded:
        return no_threshold(remark(f"the time of {seconds:.3g} seconds ended"))
    return found


def _committee(expression: Expr, dimension: int, learned: Sequence[Row]) -> Threshold | None:
    """By the symmetry of equal parts, before coordinates are rotated; None where it does not apply."""
    try:
        found = committee(expression, dimension, learned)
    except UnsupportedExpression:
        return None
    return None if found is None or math.isnan(found.alpha.value) else found


def threshold_of(problem: Problem) -> Threshold:
    """The first method that applies to a reduced problem."""
    if not problem.unknown:
        return infinite_threshold(remark("the label says nothing of the directions that are left"))
    refusals: list[Facts] = []
    for method in _METHODS:
        try:
            found = method(problem)
        except UnsupportedExpression as refused:
            refusals.append(remark(str(refused)))
            continue
        except OverflowError:
            refusals.append(remark("labels of such sizes are beyond the range of double precision"))
            continue
        if found is not None and not math.isnan(found.alpha.value):
            return found.diluted(problem.informative)
        if found is not None:
            refusals.append(found.facts)
    return no_threshold(refusals[-1] if refusals else remark("no method of quadrature takes this label"))


def _injective(problem: Problem) -> Threshold | None:
    return by_injectivity(problem)


def _finite(problem: Problem) -> Threshold | None:
    with allowed(share(_SHARE)):
        return by_finite_values(problem)


_METHODS: tuple[Method, ...] = (
    _injective,
    _finite,
    noisy_finite,
    one_coordinate,
    quadratic_form,
    coordinate_product,
    piecewise_linear,
    independent_parts,
    level_curves,
    in_bins,
    sampled,
)
