"""Expressions as functions of arrays of points."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import sympy
from sympy import Basic, Expr, Symbol

from hermite_analytics.codegen import compile
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.language.functions import step
from hermite_analytics.language.kinks import JUMPS, KINKS, STAIRS

__all__ = ["function_of_points"]

_ROUNDING = sympy.Float(1e-13)  # of a sum, in parts of its terms
_LARGEST = sympy.Float(1e300)  # where these are infinite the sum is no rounding


def function_of_points(expression: Expr, coordinates: Sequence[Symbol]) -> Callable[[Array], Array]:
    """An expression as a function of points, shape (..., q).

    Sums with kinks inside of jumps and floors may be 0 on an open set: their rounding counts as 0.

    Examples
    --------
    >>> from sympy import symbols
    >>> w1, w2 = symbols("w1 w2", real=True)
    >>> function_of_points(w1 * abs(w2), (w1, w2))(np.array([[2.0, -3.0]])).tolist()
    [6.0]
    """
    kernel = compile(_with_zeros(expression), tuple(coordinates), backend="array")

    def value(points: Array) -> Array:
        with np.errstate(all="ignore"):
            found = np.asarray(kernel(*np.moveaxis(points, -1, 0)), dtype=np.float64)
        return np.broadcast_to(found, points.shape[:-1])

    return value


def _with_zeros(expression: Basic, *, inside: bool = False) -> Basic:
    """With sums rounded that are inside of a jump or floor and have kinks, wherever they stand there."""
    jumps = inside or isinstance(expression, (*JUMPS, *STAIRS))
    args = tuple(_with_zeros(a, inside=jumps) for a in expression.args)
    found = expression if args == expression.args else expression.func(*args)
    return _rounded(found) if inside and expression.is_Add and expression.has(*KINKS) else found


def _rounded(argument: Basic) -> Expr:
    """A sum that is 0 where it is small beside its terms."""
    terms = sympy.Add(*(abs(term) for term in argument.args))
    return argument * step(abs(argument) - _ROUNDING * sympy.Min(terms, _LARGEST))
