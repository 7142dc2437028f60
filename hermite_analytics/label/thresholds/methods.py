"""The threshold of a reduced problem: the methods in order, exact ones first."""

from __future__ import annotations

import math
from collections.abc import Callable

from hermite_analytics.argument import Facts
from hermite_analytics.argument.remarks import remark
from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.clock import allowed, share
from hermite_analytics.label.reduction.problem import Problem
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

__all__ = ["threshold_of"]

Method = Callable[[Problem], Threshold | None]

_SHARE = 0.6  # of the time left, for exact moments of cells


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
