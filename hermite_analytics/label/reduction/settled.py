"""Whether what compiled code finds of a label is the label, and not its rounding.

log(cosh(z)) - |z| - log((1 + exp(-2 |z|)) / 2) is 0. In floating point it takes some hundred values of 1e-16,
which depend on z: sorted into bins they show a direction, by many standard errors. Balls tell the two apart
at a few points.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from sympy import Expr, Rational, Symbol

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.clock import check_time
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.gaussian.enclosure import ball_of

__all__ = ["is_settled"]

_DRAWN = 512
_POINTS = 8  # of them, where the values are spread evenly over all that were found
_BITS = 256
_SMALL = 1e-3  # of the spread of the values


def is_settled(label: Expr, variables: Sequence[Symbol], value: Callable[[Array], Array]) -> bool:
    """Whether balls confirm the values of the compiled label at points whose values differ.

    Parameters
    ----------
    label : Expr
    variables : sequence of symbols
        Independent normal ones: all of the label.
    value : callable
        Compiled: from points (n, number of variables) to n values.

    Returns
    -------
    bool
        False also where no ball is found at one of the points, as beside a sign of what is 0 by a
        cancellation that algebra does not see.

    Examples
    --------
    >>> from sympy import symbols, sinh, tanh
    >>> z = symbols("z", real=True)
    >>> is_settled(sinh(z) - z, [z], lambda x: np.sinh(x[:, 0]) - x[:, 0])
    True
    >>> is_settled(tanh(2*z) - 2*tanh(z)/(1 + tanh(z)**2), [z],
    ...            lambda x: np.tanh(2*x[:, 0]) - 2*np.tanh(x[:, 0])/(1 + np.tanh(x[:, 0])**2))
    False
    """
    points = np.random.default_rng(0).standard_normal((_DRAWN, len(variables)))
    values, at = np.unique(value(points), return_index=True)
    finite = np.isfinite(values)
    values, at = values[finite], at[finite]
    if len(values) < 2:
        return True  # nothing is seen, which says nothing of rounding
    chosen = np.unique(np.linspace(0, len(values) - 1, _POINTS + 2).round().astype(int)[1:-1])
    if len(chosen) < 2:
        chosen = np.array([0, len(values) - 1])
    spread = float(np.ptp(values[chosen]))
    try:
        return all(
            _distance(label, dict(zip(variables, points[at[i]], strict=True)), values[i]) <= _SMALL * spread
            for i in chosen
        )
    except UnsupportedExpression:
        return False


def _distance(label: Expr, point: dict[Symbol, float], value: float) -> float:
    check_time()
    exact = label.subs({v: Rational(float(x)) for v, x in point.items()}, simultaneous=True)
    return float(abs(ball_of(exact, _BITS) - float(value)).upper())
