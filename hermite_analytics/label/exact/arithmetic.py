"""Formulas in numbers with evidence: exact where all numbers are, else in balls."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence

from flint import arb
from sympy import Expr, Symbol

from hermite_analytics.evidence import Evidence, Quantity
from hermite_analytics.gaussian.enclosure.precision import working_precision
from hermite_analytics.gaussian.enclosure.program import Program
from hermite_analytics.gaussian.quantities import (
    constant_quantity,
    quantity_of_ball,
    unknown_quantity,
    weakest,
)
from hermite_analytics.language.functions.record import Arithmetic

__all__ = ["combined", "mean_over_points"]

_PRECISION = 96


def combined(formula: Callable[..., Arithmetic], *quantities: Quantity) -> Quantity:
    """formula(q1, q2, ...), a formula that exact numbers and balls both understand.

    Examples
    --------
    >>> from sympy import Integer, sqrt
    >>> str(combined(lambda a, b: a / b, constant_quantity(Integer(2)), constant_quantity(sqrt(2))))
    'sqrt(2)'
    """
    if all(q.exact is not None for q in quantities):
        return constant_quantity(formula(*(q.exact for q in quantities)))
    if any(math.isnan(q.value) for q in quantities):
        return unknown_quantity("; ".join(q.reason for q in quantities if math.isnan(q.value)))
    with working_precision(_PRECISION):
        found = quantity_of_ball(formula(*(arb(q.value, q.error) for q in quantities)))
    if weakest(quantities) is Evidence.ESTIMATED:
        return dataclasses.replace(
            found, evidence=Evidence.ESTIMATED, zero=None, reason="from numbers that are estimated"
        )
    return found


def mean_over_points(
    function: Expr, z: Symbol, points: Sequence[Quantity], weights: Sequence[Quantity]
) -> Quantity:
    """sum_i w_i h(z_i) / sum_i w_i."""
    if all(q.exact is not None for q in (*points, *weights)):
        values = [constant_quantity(function.subs(z, x.exact)) for x in points]
    else:
        program = Program(function, [z], _PRECISION)
        with working_precision(_PRECISION):
            values = [quantity_of_ball(program(arb(x.value, x.error))) for x in points]
    n = len(points)

    def mean(*numbers: Arithmetic) -> Arithmetic:
        w, h = numbers[:n], numbers[n:]
        return sum(a * b for a, b in zip(w, h, strict=True)) / sum(w)

    return combined(mean, *weights, *values)
