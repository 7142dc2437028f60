"""A target with each floor as one function of one value, kinks inside."""

from __future__ import annotations

from sympy import Expr

from hermite_analytics.gaussian.zero.finite_values import by_values
from hermite_analytics.gaussian.zero.flat_kinks import with_exact_zeros
from hermite_analytics.language.kinks import STAIRS
from hermite_analytics.language.parser import parse, target_names
from hermite_analytics.language.stairs import whole_floor
from hermite_analytics.target.directions import along
from hermite_analytics.target.target import Target

__all__ = ["whole_expression"]


def whole_expression(target: Target) -> Expr:
    """The expression of a target, equal everywhere, with floors of kinks that are not opened.

    Examples
    --------
    >>> whole_expression(Target("floor(abs(z1))")), Target("floor(abs(z1))").expression
    (floor(Abs(z1)), floor(-z1)*step(-z1) + floor(z1)*step(z1))
    """
    if not target.expression.has(*STAIRS):
        return target.expression
    found = parse(target.text, target_names, accepted="z1, z2, ..., xi", floor_of=whole_floor)
    return with_exact_zeros(by_values(along(found, target.directions or ())))
