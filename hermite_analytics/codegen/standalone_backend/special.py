"""Special functions over numpy arrays, without any other library; their text goes into standalone files.

Accuracy (tests/symbolic/codegen/test_standalone_special.py): relative 1e-14 for erf, erfc and what rests on
them, absolute 1e-15 for Owen's T and the distribution of pairs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "angle_sum",
    "chebyshev_sum",
    "erf",
    "erfc",
    "hermite",
    "hermite_sum",
    "leaky_relu",
    "normal_cdf",
    "normal_density",
    "normal_given_cdf",
    "normal_pair_cdf",
    "normal_pair_density",
    "owen_t",
    "pair_bell",
    "sigmoid",
    "softplus",
    "step",
]

Array = NDArray[np.float64]

ERFC_SQUARES = (0.5 * np.arange(13) + 0.25) ** 2  # of the midpoints of steps of 1/2
ERFC_WEIGHTS = np.exp(-ERFC_SQUARES) / math.pi
OWEN_NODES, OWEN_WEIGHTS = (x[10:] for x in np.polynomial.legendre.leggauss(20))  # the integrand is even


def erfc(x: Array) -> Array:
    """1 - erf(x), with its relative digits.

    erfc(x) = (2 x/pi) exp(-x^2) int_0^inf exp(-t^2)/(t^2 + x^2) dt by the midpoint rule of step h = 1/2,
    whose error exp(-pi^2/h^2) is below rounding. The pole at t = i x adds 2/(1 + exp(2 pi x/h)) for x < pi/h.
    """
    y = np.minimum(np.abs(x), 40.0)
    total: Array = np.zeros_like(y)
    for weight, square in zip(ERFC_WEIGHTS, ERFC_SQUARES, strict=True):
        total = total + weight / (square + y * y)
    near = np.round(16.0 * y) / 16.0  # its square is exact
    bell = np.exp(-near * near) * np.exp((near - y) * (near + y))
    pole = 2.0 / (1.0 + np.exp(4.0 * math.pi * np.minimum(y, 7.0)))
    value: Array = y * bell * total + np.where(y < 2.0 * math.pi, pole, 0.0)
    return np.where(x < 0.0, 2.0 - value, value)


def erf(x: Array) -> Array:
    """The error function: sum_k (2 x^2)^k/(2 k + 1)!! for |x| < 1, beyond 1 - erfc."""
    y = np.where(np.abs(x) < 1.0, x, 0.0)
    total = np.ones_like(y)
    for k in range(24, 0, -1):
        total = 1.0 + total * (2.0 * y * y) / (2.0 * k + 1.0)
    inner = 2.0 / math.sqrt(math.pi) * y * np.exp(-y * y) * total
    return np.where(np.abs(x) < 1.0, inner, np.sign(x) * (1.0 - erfc(np.abs(x))))


def normal_cdf(x: Array) -> Array:
    """P(Z <= x), Z ~ N(0, 1)."""
    return 0.5 * erfc(-x / math.sqrt(2.0))


def normal_density(x: Array) -> Array:
    """exp(-x^2/2)/sqrt(2 pi)."""
    return np.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)


def sigmoid(x: Array) -> Array:
    """1/(1 + exp(-x)), without overflow."""
    decay = np.exp(-np.abs(x))
    return np.where(x >= 0.0, 1.0, decay) / (1.0 + decay)


def softplus(x: Array) -> Array:
    """log(1 + exp(x)), without overflow."""
    return np.maximum(x, 0.0) + np.log1p(np.exp(-np.abs(x)))


def step(x: Array) -> Array:
    """1 for x > 0, else 0."""
    return np.where(np.isnan(x), x, np.where(x > 0.0, 1.0, 0.0))


def leaky_relu(x: Array, slope: float) -> Array:
    """x for x > 0, else slope * x."""
    return np.where(x > 0.0, x, slope * x)


def hermite(degree: int, x: Array) -> Array:
    """He_degree(x), by its recurrence."""
    low, high = np.ones_like(x), x
    for j in range(1, degree):
        low, high = high, x * high - j * low
    return high if degree else low


def hermite_sum(coefficients: Sequence[float], x: Array) -> Array:
    """sum_k coefficients[k] He_k(x), by Clenshaw's recurrence b_k = a_k + x b_{k+1} - (k + 1) b_{k+2}."""
    low = high = np.zeros_like(x)
    for k in range(len(coefficients) - 1, -1, -1):
        low, high = coefficients[k] + x * low - (k + 1.0) * high, low
    return low


def chebyshev_sum(coefficients: Sequence[float], x: Array) -> Array:
    """sum_k coefficients[k] T_k(x); NaN for |x| > 1."""
    x = np.where(np.abs(x) <= 1.0, x, math.nan)
    return np.asarray(np.polynomial.chebyshev.chebval(x, coefficients))


def angle_sum(edges: Sequence[float], rows: Sequence[Sequence[float]], x: Array) -> Array:
    """The Chebyshev sum of the panel that arccos(x) is in; NaN for |x| > 1."""
    angle = np.arccos(np.where(np.abs(x) <= 1.0, x, math.nan))
    row = np.searchsorted(edges[1:-1], angle, side="right").clip(0, len(rows) - 1)
    left, right = np.asarray(edges)[row], np.asarray(edges)[row + 1]
    u = (2.0 * angle - left - right) / (right - left)
    return np.asarray(np.polynomial.chebyshev.chebval(u, np.asarray(rows).T[:, row], tensor=False))


def owen_t(h: Array, a: Array) -> Array:
    """Owen's T(h, a) = int_0^a exp(-h^2 (1 + t^2)/2)/(1 + t^2) dt/(2 pi).

    Gauss-Legendre for |a| <= 1; beyond, T(h, a) = (q + p)/2 - q p - T(a h, 1/a), q = Phi(-h), p = Phi(-a h).
    """
    k, b = np.abs(h), np.abs(a)
    far = b > 1.0
    width = np.where(far, 1.0 / np.where(far, b, 1.0), b)
    height = np.where(far & (k > 0.0), b, 1.0) * k  # no product of 0 and infinity
    total: Array = np.zeros_like(height + width)
    for node, weight in zip(OWEN_NODES, OWEN_WEIGHTS, strict=True):
        rest = 1.0 + (node * width) ** 2
        total = total + weight / (2.0 * math.pi) / rest * np.exp(-0.5 * height * height * rest)
    q, p = normal_cdf(-k), normal_cdf(-height)
    value = np.where(far, 0.5 * (q + p) - q * p - width * total, width * total)
    return np.where(a >= 0.0, value, -value)


def remainder(k: Array, h: Array, rho: Array) -> Array:
    """k - rho h without cancellation: 1 - |rho| is exact near |rho| = 1."""
    side = np.where(rho >= 0.0, 1.0, -1.0)
    return (k - side * h) + side * h * (1.0 - np.abs(rho))


def normal_given_cdf(k: Array, h: Array, rho: Array) -> Array:
    """P(Y <= k | X = h) of two N(0, 1) at correlation rho; at rho = +-1 the limit."""
    rest = remainder(k, h, rho)
    square = (1.0 - rho) * (1.0 + rho)
    value = normal_cdf(rest / np.sqrt(np.where(square > 0.0, square, 1.0)))
    end = np.where(square == 0.0, 0.5 + 0.5 * np.sign(rest), math.nan)
    return np.where(square > 0.0, value, end)


def pair_bell(h: Array, k: Array, rho: Array) -> Array:
    """exp(-(h^2 - 2 rho h k + k^2)/(2 (1 - rho^2))); at rho = +-1 the limit."""
    side = np.where(rho >= 0.0, 1.0, -1.0)
    gap = h - side * k
    square = (1.0 - rho) * (1.0 + rho)
    steep = 0.5 * gap * gap / np.where(square > 0.0, square, 1.0)
    exponent = -steep - side * h * k / (1.0 + np.abs(rho))
    on_line = (square > 0.0) | (gap == 0.0)
    return np.where(square >= 0.0, np.exp(np.where(on_line, exponent, -math.inf)), math.nan)


def normal_pair_density(h: Array, k: Array, rho: Array) -> Array:
    """Density of a pair of N(0, 1) at (h, k); at rho = +-1 infinite where k = rho h, else 0."""
    bell = pair_bell(h, k, rho)
    square = (1.0 - rho) * (1.0 + rho)
    value = bell / (2.0 * math.pi * np.sqrt(np.where(square > 0.0, square, 1.0)))
    return np.where(square > 0.0, value, np.where(bell > 0.0, math.inf, bell))


def normal_pair_cdf(h: Array, k: Array, rho: Array) -> Array:
    """P(X <= h, Y <= k) of two N(0, 1) at correlation rho, by Owen's T."""
    inside = np.abs(rho) < 1.0
    safe = np.where(inside, rho, 0.0)
    root = np.sqrt((1.0 - safe) * (1.0 + safe))
    of_h, of_k = np.where(h == 0.0, 1.0, h), np.where(k == 0.0, 1.0, k)
    a_h = np.where(h == 0.0, np.where(k < 0.0, -math.inf, math.inf), remainder(k, h, safe) / (of_h * root))
    a_k = np.where(k == 0.0, np.where(h < 0.0, -math.inf, math.inf), remainder(h, k, safe) / (of_k * root))
    same = ((h > 0.0) & (k > 0.0)) | ((h < 0.0) & (k < 0.0))
    on_axis = ((h == 0.0) | (k == 0.0)) & (h + k >= 0.0)
    both = normal_cdf(h) + normal_cdf(k)
    value = 0.5 * both - owen_t(h, a_h) - owen_t(k, a_k) - np.where(same | on_axis, 0.0, 0.5)
    value = np.where((h == 0.0) & (k == 0.0), 0.25 + np.arcsin(safe) / (2.0 * math.pi), value)
    end = np.where(rho >= 1.0, normal_cdf(np.minimum(h, k)), both - 1.0)
    return np.maximum(np.where(inside, value, np.where(np.isnan(rho), rho, end)), 0.0)
