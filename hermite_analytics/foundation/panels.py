"""The rule of Gauss and Legendre: on (-1, 1), on (0, 1), and on panels between given edges."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hermite_analytics.foundation.numpy_arrays import Array

__all__ = ["gauss_legendre", "graded_unit_rule", "lagrange", "legendre_fit", "panel_rule", "unit_rule"]

Extended = NDArray[np.longdouble]


@functools.lru_cache(maxsize=64)
def gauss_legendre(count: int) -> tuple[Array, Array]:
    """Nodes and weights on (-1, 1), each of shape (count,); exact for polynomials of degree 2 count - 1.

    By Newton's method, in extended precision where the machine has it: numpy's weights at the ends err by
    1e-12 for 64 nodes.
    """
    x: Extended = np.polynomial.legendre.leggauss(count)[0].astype(np.longdouble)
    for _ in range(2):
        before, last = _legendre(x, count)
        x -= last * (1 - x * x) / (count * (before - x * last))
    before, _ = _legendre(x, count)
    return _kept(x.astype(np.float64), (2 * (1 - x * x) / (count * before) ** 2).astype(np.float64))


def _legendre(x: Extended, degree: int) -> tuple[Extended, Extended]:
    """P_(degree - 1) and P_degree."""
    before: Extended = np.ones_like(x)
    last: Extended = x
    for k in range(1, degree):
        following = ((2 * k + 1) * x * last - k * before) / (k + 1)
        before, last = last, np.asarray(following, dtype=np.longdouble)
    return before, last


@functools.lru_cache(maxsize=64)
def unit_rule(count: int) -> tuple[Array, Array]:
    """The same on (0, 1)."""
    x, w = gauss_legendre(count)
    return _kept(0.5 * (x + 1), 0.5 * w)


@functools.lru_cache(maxsize=64)
def legendre_fit(count: int) -> Array:
    """From values at the nodes of `gauss_legendre` to coefficients of Legendre's polynomials, a matrix."""
    vander = np.polynomial.legendre.legvander(gauss_legendre(count)[0], count - 1)
    found = np.asarray(np.linalg.inv(vander), dtype=np.float64)
    found.flags.writeable = False
    return found


def lagrange(count: int, x: Array) -> Array:
    """Lagrange's polynomials of these nodes at x in [-1, 1], shape (..., count): from values to values at x.

    Examples
    --------
    >>> nodes, _ = gauss_legendre(12)
    >>> round(float(lagrange(12, np.array([0.3]))[0] @ np.exp(nodes)), 11)  # exp(0.3)
    1.34985880758
    """
    return np.asarray(np.polynomial.legendre.legvander(x, count - 1) @ legendre_fit(count), dtype=np.float64)


@functools.lru_cache(maxsize=16)
def graded_unit_rule(count: int) -> tuple[Array, Array]:
    """The rule of Gauss and Legendre in u, x = I_u(6, 6): dense at 0 and 1, for roots and logarithms there.

    I is the regularised incomplete beta function.

    Examples
    --------
    >>> x, w = graded_unit_rule(48)
    >>> round(float(w @ np.log(x) ** 2), 12), round(float(w @ np.sqrt(1 - x)), 12)
    (2.0, 0.666666666667)
    """
    from scipy.special import beta, betainc  # slow to load

    u, w = unit_rule(count)
    return _kept(betainc(6, 6, u), w * (u * (1 - u)) ** 5 / beta(6, 6))


def panel_rule(edges: ArrayLike, count: int, *, widest: float | Array | None = None) -> tuple[Array, Array]:
    """Nodes and weights on the panels between neighbouring edges.

    Parameters
    ----------
    edges : array, shape (..., k + 1)
        Increasing along the last axis.
    count : int
        Nodes of a panel.
    widest : float or array of shape (k,), optional
        Each panel is divided evenly into the fewest that are no wider; for edges of shape (k + 1,).

    Returns
    -------
    nodes, weights : ndarray, shape (..., k count)
        Panel after panel.

    Examples
    --------
    >>> x, w = panel_rule([0.0, 1.0, 3.0], 8, widest=0.5)
    >>> len(x), round(float(w @ np.exp(-x)), 14)
    (48, 0.95021293163214)
    """
    ends = np.asarray(edges, dtype=np.float64)
    if widest is not None:
        ends = _divided(ends, widest)
    x, w = unit_rule(count)
    width = np.diff(ends)[..., None]
    shape = (*ends.shape[:-1], -1)
    return (ends[..., :-1, None] + width * x).reshape(shape), (width * w).reshape(shape)


def _divided(ends: Array, widest: float | Array) -> Array:
    width = np.diff(ends)
    parts = np.maximum(np.ceil(width / widest), 1).astype(np.int64)
    place = np.arange(parts.sum()) - np.repeat(np.cumsum(parts) - parts, parts)  # of a part in its panel
    return np.append(np.repeat(ends[:-1], parts) + np.repeat(width / parts, parts) * place, ends[-1:])


def _kept(x: Array, w: Array) -> tuple[Array, Array]:
    for a in (x, w):
        a.flags.writeable = False
    return x, w
