"""Kernels as Chebyshev sums in the angle: with rho = cos(theta) kinks and jumps leave them smooth on [0, pi].

The values come from the Hermite coefficients where these decay (|rho| < 0.99), and from the double integral
nearer to the ends. Panels are halved until the coefficients have decayed to rounding. The error is what fresh
points show, each by the other rule or on finer panels: an estimate.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sympy import Expr, Symbol

from hermite_analytics.evidence import Evidence
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.pair.branches import Branches, branches_of
from hermite_analytics.pair.quadrature import double_integral, hermite_squares
from hermite_analytics.pair.table import Table

__all__ = ["Pair", "angle_table", "chebyshev_panels", "tabulated"]

Values = Callable[[Array], Array]

_TERMS = 4000  # 0.99^4000 = 3e-18
_MIDDLE = 0.99
_DEGREE = 24
_DECAYED = 3e-15
_SHORTEST = math.pi / 2**12
_ROUNDING = 4e-15
_FRESH = (0.013, 0.471, 0.987)  # of a panel


def angle_table(sigma: Expr, z: Symbol) -> Table:
    """E sigma(u) sigma(v) in the angle.

    Raises
    ------
    UnsupportedExpression
        If sigma varies too quickly for panels, or its second moment is too far out.
    """
    pair = Pair.of(branches_of(sigma, z))
    return tabulated(pair.values, pair.fresh, pair.scale)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """E f(u) f(v) as a function of the angle, by both rules."""

    branches: Branches
    squares: Array
    scale: float

    @classmethod
    def of(cls, branches: Branches) -> Pair:
        scale = double_integral(branches, 0.0)
        return cls(branches=branches, squares=hermite_squares(branches, _TERMS), scale=scale)

    def values(self, angles: Array) -> Array:
        """By the series in the middle, by the double integral near the ends."""
        cosine = np.cos(angles)
        series = np.polynomial.polynomial.polyval(np.clip(cosine, -_MIDDLE, _MIDDLE), self.squares)
        double = [
            0.0 if abs(c) < _MIDDLE else double_integral(self.branches, float(x))
            for x, c in zip(angles, cosine, strict=True)
        ]
        return np.where(np.abs(cosine) < _MIDDLE, series, double)

    def fresh(self, angle: float) -> float:
        """By a rule that `values` does not use there."""
        used = self.branches if abs(math.cos(angle)) < _MIDDLE else self.branches.finer()
        return double_integral(used, angle)


def tabulated(values: Values, fresh: Callable[[float], float], scale: float) -> Table:
    """The table of `values`, its error from `fresh` at points that are not nodes."""
    edges, rows = chebyshev_panels(values, scale)
    worst = 0.0
    for low, high, row in zip(edges[:-1], edges[1:], rows, strict=True):
        for share in _FRESH:
            found = np.polynomial.chebyshev.chebval(2 * share - 1, row)
            worst = max(worst, abs(float(found) - fresh(low + share * (high - low))))
    return Table(
        edges=tuple(edges),
        rows=tuple(tuple(float(a) for a in row) for row in rows),
        error_bound=2 * worst + _ROUNDING * scale,
        evidence=Evidence.ESTIMATED,
        scale=scale,
        method=f"quadrature, {len(rows)} Chebyshev sums of degree {_DEGREE} in arccos(rho)",
    )


def chebyshev_panels(values: Values, scale: float) -> tuple[list[float], list[Array]]:
    """Edges of panels of [0, pi] and the Chebyshev coefficients in each.

    Examples
    --------
    >>> edges, rows = chebyshev_panels(np.cos, 1.0)
    >>> len(rows), float(np.abs(rows[0] - rows[0][0]).max() < 3)
    (2, 1.0)
    """
    waiting = [(0.5 * math.pi, math.pi), (0.0, 0.5 * math.pi)]
    edges, rows = [0.0], []
    while waiting:
        low, high = waiting.pop()
        row = _coefficients(values, low, high)
        if np.max(np.abs(row[-3:])) <= _DECAYED * scale or high - low < _SHORTEST:
            edges.append(high)
            rows.append(row)
        else:
            middle = 0.5 * (low + high)
            waiting += [(middle, high), (low, middle)]
    return edges, rows


def _coefficients(values: Values, low: float, high: float) -> Array:
    """Of the interpolant at cos(pi j/n), the ends of the panel among them."""
    j = np.arange(_DEGREE + 1)
    points = 0.5 * (low + high) + 0.5 * (high - low) * np.cos(np.pi * j / _DEGREE)
    points[0], points[-1] = high, low
    weight = np.where((j == 0) | (j == _DEGREE), 0.5, 1.0)
    turns = np.outer(j, j) % (2 * _DEGREE)  # exact: large angles would cost digits
    transform = np.cos(np.pi * turns / _DEGREE) * weight * (2.0 / _DEGREE)
    found: Array = weight * (transform @ values(points))
    return found
