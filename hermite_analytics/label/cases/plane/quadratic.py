"""Quadratic forms of two coordinates: one-dimensional integrals of Bessel functions.

In the eigenaxes g = u^2/A + v^2/B, with A or B negative for an indefinite form. G(y) is diagonal there:

    definite:    p(y) = sqrt(AB)/2 exp(-y (A+B)/4) I0(k),  k = y (A-B)/4,
                 E[u^2 | y] = y A (1 - I1(k)/I0(k))/2;
    indefinite:  g = u^2/A - v^2/C, y > 0,  p(y) = sqrt(AC)/(2 pi) exp(-y (A-C)/4) K0(k),  k = y (A+C)/4,
                 E[u^2 | y] = y A (1 + K1/K0)/2,  E[v^2 | y] = y C (K1/K0 - 1)/2.
"""

from __future__ import annotations

import math

import numpy as np
import sympy
from sympy import Expr, Symbol

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.label.exact.zeros import in_elementary_functions
from hermite_analytics.label.quadrature import LabelQuadrature

__all__ = ["form_matrix", "planar_form"]

_NODES = (160, 240)
_FROM, _TO = -4.1, 2.6  # of the double exponential rule on the half line


def form_matrix(signal: Expr, unknown: tuple[Symbol, ...]) -> sympy.Matrix | None:
    """The symmetric matrix of a quadratic form without linear terms, up to a constant, else None.

    Examples
    --------
    >>> from sympy import symbols
    >>> w1, w2 = symbols("w1 w2", real=True)
    >>> form_matrix(w1 * w2 + 1, (w1, w2))
    Matrix([
    [  0, 1/2],
    [1/2,   0]])
    """
    signal = in_elementary_functions(signal)
    if not signal.is_polynomial(*unknown):
        return None
    poly = sympy.Poly(signal, *unknown)
    if any(sum(monomial) not in (0, 2) for monomial in poly.monoms()):
        return None
    q = len(unknown)
    return sympy.Matrix(
        q, q, lambda i, j: poly.coeff_monomial(unknown[i] * unknown[j]) / (1 if i == j else 2)
    )


def planar_form(eigenvalues: Array, *, level: int = 1) -> LabelQuadrature:
    """The law of a quadratic form with two eigenvalues that are not 0, in its eigenaxes.

    Examples
    --------
    >>> from hermite_analytics.label.operator import top_eigenvalue
    >>> product = planar_form(np.array([0.5, -0.5]))  # z1*z2
    >>> round(1 / top_eigenvalue(product), 12)
    0.593751098222
    """
    first, second = (float(x) for x in eigenvalues)
    if first * second > 0:
        y, steps = _half_line(level, 2 * max(abs(first), abs(second)))
        return _joined([_definite(abs(first), abs(second), y, steps)])
    if first < 0:
        first, second = second, first
    scale = 2 * max(abs(first), abs(second))
    y, steps = _half_line(level, scale)
    above = _indefinite(first, -second, y, steps)
    below = _indefinite(-second, first, y, steps)
    return _joined([above, (below[0], below[2], below[1])])


def _half_line(level: int, scale: float) -> tuple[Array, Array]:
    t = np.linspace(_FROM, _TO, _NODES[level])
    y = scale * np.exp(0.5 * math.pi * np.sinh(t))
    return y, (t[1] - t[0]) * 0.5 * math.pi * np.cosh(t) * y


def _definite(first: float, second: float, y: Array, steps: Array) -> tuple[Array, Array, Array]:
    from scipy import special

    a, b = 1 / first, 1 / second
    k = y * (a - b) / 4
    size = np.abs(k)
    scaled = special.i0e(size)
    weights = steps * math.sqrt(a * b) / 2 * np.exp(size - y * (a + b) / 4) * scaled
    mean = np.sign(k) * special.i1e(size) / scaled
    return weights, y * a * (1 - mean) / 2 - 1, y * b * (1 + mean) / 2 - 1


def _indefinite(first: float, second: float, y: Array, steps: Array) -> tuple[Array, Array, Array]:
    """y > 0, g = first u^2 - second v^2: probability, G_uu, G_vv."""
    from scipy import special

    a, c = 1 / first, 1 / second
    k = y * (a + c) / 4
    k0, k1 = special.k0e(k), special.k1e(k)
    weights = steps * math.sqrt(a * c) / (2 * math.pi) * np.exp(-y * a / 2) * k0
    ratio = k1 / k0
    return weights, y * a * (1 + ratio) / 2 - 1, y * c * (ratio - 1) / 2 - 1


def _joined(parts: list[tuple[Array, Array, Array]]) -> LabelQuadrature:
    weights, u, v = (np.concatenate([part[i] for part in parts]) for i in range(3))
    keep = weights > 0
    second = np.zeros((int(keep.sum()), 2, 2))
    second[:, 0, 0], second[:, 1, 1] = u[keep], v[keep]
    return LabelQuadrature(weights=weights[keep], first=np.zeros((len(second), 2)), second=second)
