"""Expressions as functions of arrays of points."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from sympy import Expr, Symbol

from hermite_analytics.codegen import compile

__all__ = ["function_of_points"]

Array = NDArray[np.float64]


def function_of_points(expression: Expr, coordinates: Sequence[Symbol]) -> Callable[[Array], Array]:
    """An expression as a function of points, shape (..., q).

    Examples
    --------
    >>> from sympy import symbols
    >>> w1, w2 = symbols("w1 w2", real=True)
    >>> function_of_points(w1 * abs(w2), (w1, w2))(np.array([[2.0, -3.0]])).tolist()
    [6.0]
    """
    kernel = compile(expression, tuple(coordinates), backend="array")

    def value(points: Array) -> Array:
        with np.errstate(all="ignore"):
            found = np.asarray(kernel(*np.moveaxis(points, -1, 0)), dtype=np.float64)
        return np.broadcast_to(found, points.shape[:-1])

    return value
