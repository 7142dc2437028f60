"""Derivatives away from kinks and jumps.

What such a derivative does not show: that of step(x) is 0, and step(x) is no constant.
"""

from __future__ import annotations

import sympy
from sympy import Expr, Symbol

from hermite_analytics.language.functions import step

__all__ = ["almost_everywhere_derivative"]


def almost_everywhere_derivative(expr: Expr, variable: Symbol) -> Expr:
    """The derivative away from kinks and jumps: |u|' = sign(u) u', sign' = 0, max by its larger argument."""
    plain = expr.replace(sympy.Max, _nested_maximum).replace(sympy.Min, _nested_minimum)
    result = plain.diff(variable)
    result = result.replace(sympy.DiracDelta, lambda *a: sympy.S.Zero)
    return result.replace(sympy.Heaviside, lambda x, *a: step(x))


def _nested_maximum(*arguments: Expr) -> Expr:
    first, *rest = arguments
    if not rest:
        return first
    other = _nested_maximum(*rest)
    return other + (first - other) * step(first - other)


def _nested_minimum(*arguments: Expr) -> Expr:
    return -_nested_maximum(*(-a for a in arguments))
