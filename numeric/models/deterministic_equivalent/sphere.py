"""Functions of <w, x> in spherical harmonics, x uniform on the sphere of radius sqrt(d), |w| = 1.

By the addition theorem sigma(<w, x>) = sum_k c_k sum_j Y_kj(w) Y_kj(x) with c_k = E sigma(sqrt(d) t) P_k(t),
P_k the Legendre polynomial of dimension d with P_k(1) = 1 and t = <w, x>/sqrt(d).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from hermite_analytics.errors import ConvergenceError
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.foundation.panels import panel_rule

__all__ = ["zonal_coefficients"]


_NODES = 20
_REACH = 38.0  # standard deviations beyond which float64 sees nothing
_SETTLED = 1e-13
_MOST_HALVINGS = 8


def zonal_coefficients(
    function: Callable[[Array], Array], points: Sequence[float], dimension: int, degree: int
) -> tuple[Array, float]:
    """(E function(sqrt(d) t) P_k(t) for k = 0..degree, E function(sqrt(d) t)^2).

    Parameters
    ----------
    function : callable
    points : sequence of float
        Kinks and jumps of the function, between which panels of the rule end.
    dimension, degree : int

    Raises
    ------
    ConvergenceError
        If the rule does not settle to 1e-13 of the function's norm.

    Examples
    --------
    >>> found, norm = zonal_coefficients(lambda u: u**2, (), 10, 2)
    >>> [round(54 * c, 12) for c in found[::2].tolist()], round(norm, 12)
    ([54.0, 9.0], 2.5)
    """
    before: Array | None = None
    for halvings in range(_MOST_HALVINGS):
        angle, weight = _rule(points, dimension, 0.5 / 2**halvings)
        t = np.sin(angle)
        values = np.asarray(function(math.sqrt(dimension) * t), dtype=float)
        after = np.array(
            [*(weight @ (values * p) for p in _legendre(t, dimension, degree)), weight @ values**2]
        )
        if before is not None and np.all(
            np.abs(after - before) <= _SETTLED * max(after[-1], after[-1] ** 0.5)
        ):
            return after[:-1], float(after[-1])
        before = after
    raise ConvergenceError(
        f"coefficients on the sphere in dimension {dimension} did not settle to {_SETTLED:g} of the norm"
    )


def _rule(points: Sequence[float], dimension: int, width: float) -> tuple[Array, Array]:
    """Angles asin(t) and normalised weights: Gauss-Legendre on panels of a width in units of sqrt(d) t."""
    root = math.sqrt(dimension)
    end = math.asin(min(_REACH / root, 1.0))
    inside = sorted(math.asin(b / root) for b in points if abs(b) < root and abs(math.asin(b / root)) < end)
    edges = [-end, *inside, end]
    angle, weights = panel_rule(edges, _NODES, widest=width / root)
    # cos(angle)^(d - 2) without the rounding of a number near 1
    with np.errstate(divide="ignore"):
        mass = weights * np.exp((0.5 * dimension - 1.0) * np.log1p(-(np.sin(angle) ** 2)))
    return angle, mass / mass.sum()


def _legendre(t: Array, dimension: int, degree: int) -> list[Array]:
    """P_0..P_degree at t."""
    found = [np.ones_like(t), t]
    for k in range(1, degree):
        found.append(((2 * k + dimension - 2) * t * found[k] - k * found[k - 1]) / (k + dimension - 2))
    return found[: degree + 1]
