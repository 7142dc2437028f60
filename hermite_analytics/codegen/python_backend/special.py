"""Functions of the language at the working precision of mpmath."""

from __future__ import annotations

import bisect
from collections.abc import Sequence

import mpmath
import sympy

from hermite_analytics.language import functions as own

__all__ = [
    "DIGITS",
    "SAFE_SHARE",
    "angle_sum",
    "chebyshev_sum",
    "hermite",
    "hermite_sum",
    "leaky_relu",
    "maximum",
    "minimum",
    "normal_cdf",
    "normal_density",
    "normal_given_cdf",
    "normal_pair_cdf",
    "normal_pair_density",
    "owen_t",
    "pair_bell",
    "sigmoid",
    "sign",
    "softplus",
    "step",
]

DIGITS = 30
SAFE_SHARE = mpmath.mpf(10) ** -12  # a smaller share of its terms has lost digits that count
_X, _Y, _Z = sympy.symbols("x y z", real=True)
_VALUES = {
    "Phi": own.Phi(_X),
    "phi": own.phi(_Y),
    "sigmoid": own.sigmoid(_X),
    "softplus": own.softplus(_X),
    "Phi2": own.Phi2(_X, _Y, _Z),
    "PhiGiven": own.PhiGiven(_X, _Y, _Z),
    "bell2": own.bell2(_X, _Y, _Z),
    "phi2": own.phi2(_X, _Y, _Z),
}


def sign(x: mpmath.mpf) -> mpmath.mpf:
    return mpmath.sign(x)


def step(x: mpmath.mpf) -> mpmath.mpf:
    return x if mpmath.isnan(x) else mpmath.mpf(1 if x > 0 else 0)


def maximum(x: mpmath.mpf, y: mpmath.mpf) -> mpmath.mpf:
    """The larger one, NaN if one of them is."""
    return x + y if mpmath.isnan(x) or mpmath.isnan(y) else max(x, y)


def minimum(x: mpmath.mpf, y: mpmath.mpf) -> mpmath.mpf:
    return x + y if mpmath.isnan(x) or mpmath.isnan(y) else min(x, y)


def leaky_relu(x: mpmath.mpf, slope: mpmath.mpf) -> mpmath.mpf:
    return x if x > 0 else slope * x


def normal_cdf(x: mpmath.mpf) -> mpmath.mpf:
    return _VALUES["Phi"]._value(x)


def normal_density(x: mpmath.mpf) -> mpmath.mpf:
    return _VALUES["phi"]._value(x)


def sigmoid(x: mpmath.mpf) -> mpmath.mpf:
    return _VALUES["sigmoid"]._value(x)


def softplus(x: mpmath.mpf) -> mpmath.mpf:
    return _VALUES["softplus"]._value(x)


def owen_t(h: mpmath.mpf, a: mpmath.mpf) -> mpmath.mpf:
    """Owen's T to relative digits: the Gaussian factor stands outside the integral."""
    k, b = abs(h), abs(a)
    if mpmath.isnan(k) or mpmath.isnan(b):
        return mpmath.nan
    if b > 1:
        q = mpmath.erfc(k / mpmath.sqrt(2)) / 2
        p = mpmath.erfc(b * k / mpmath.sqrt(2)) / 2 if k else mpmath.mpf(1) / 2
        value = q / 2 if mpmath.isinf(b) else (q + p) / 2 - q * p - owen_t(b * k, 1 / b)
    elif mpmath.isinf(k):
        value = mpmath.mpf(0)
    else:
        panels = [x for x in (2 * j / k for j in range(1, 7)) if x < b] if k else []
        integral = mpmath.quad(lambda x: mpmath.exp(-((k * x) ** 2) / 2) / (1 + x * x), [0, *panels, b])
        value = mpmath.exp(-k * k / 2) * integral / (2 * mpmath.pi)
    return value if a >= 0 else -value


def normal_pair_cdf(h: mpmath.mpf, k: mpmath.mpf, rho: mpmath.mpf) -> mpmath.mpf:
    return _VALUES["Phi2"]._value(h, k, rho)


def normal_given_cdf(k: mpmath.mpf, h: mpmath.mpf, rho: mpmath.mpf) -> mpmath.mpf:
    return _VALUES["PhiGiven"]._value(k, h, rho)


def pair_bell(h: mpmath.mpf, k: mpmath.mpf, rho: mpmath.mpf) -> mpmath.mpf:
    return _VALUES["bell2"]._value(h, k, rho)


def normal_pair_density(h: mpmath.mpf, k: mpmath.mpf, rho: mpmath.mpf) -> mpmath.mpf:
    return _VALUES["phi2"]._value(h, k, rho)


def hermite(degree: int, x: mpmath.mpf) -> mpmath.mpf:
    """He_degree(x)."""
    low, high = mpmath.mpf(1), x
    for j in range(1, degree):
        low, high = high, x * high - j * low
    return high if degree else mpmath.mpf(1)


def hermite_sum(coefficients: Sequence[mpmath.mpf], x: mpmath.mpf) -> mpmath.mpf:
    """sum_k coefficients[k] He_k(x)."""
    return mpmath.fsum(a * hermite(k, x) for k, a in enumerate(coefficients))


def chebyshev_sum(coefficients: Sequence[float], x: mpmath.mpf) -> mpmath.mpf:
    """sum_k coefficients[k] T_k(x); NaN for |x| > 1."""
    return _clenshaw(coefficients, x) if abs(x) <= 1 else mpmath.nan


def angle_sum(edges: Sequence[float], rows: Sequence[Sequence[float]], x: mpmath.mpf) -> mpmath.mpf:
    """The Chebyshev sum of the panel that arccos(x) is in; NaN for |x| > 1."""
    if not abs(x) <= 1:
        return mpmath.nan
    angle = mpmath.acos(x)
    row = max(0, min(bisect.bisect_right(edges, angle), len(rows)) - 1)
    left, right = (mpmath.mpf(e) for e in edges[row : row + 2])
    return _clenshaw(rows[row], (2 * angle - left - right) / (right - left))


def _clenshaw(coefficients: Sequence[float], x: mpmath.mpf) -> mpmath.mpf:
    first = second = mpmath.mpf(0)
    for a in reversed(coefficients[1:]):
        first, second = a + 2 * x * first - second, first
    return coefficients[0] + x * first - second
