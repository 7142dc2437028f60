"""Special functions of real scalars that numba lacks, in float64.

Accuracy (tests/symbolic/codegen/test_special.py): relative 1e-13 for Phi, sigmoid and softplus,
absolute 1e-15 for OwenT and Phi2.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.codegen.rules import owen_rule
from hermite_analytics.foundation.kernels_on_disk import kept

__all__ = [
    "angle_sum",
    "chebyshev_sum",
    "floor",
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
    "owen_t_inside",
    "pair_bell",
    "sigmoid",
    "sign",
    "softplus",
    "step",
]

_INVERSE_SQRT2 = 1.0 / math.sqrt(2.0)
_INVERSE_SQRT_2PI = 1.0 / math.sqrt(2.0 * math.pi)
_SQUARES, _WEIGHTS = owen_rule()


@kept()
def normal_cdf(x: float) -> float:
    return 0.5 * math.erfc(-x * _INVERSE_SQRT2)


@kept()
def normal_density(x: float) -> float:
    return _INVERSE_SQRT_2PI * math.exp(-0.5 * x * x)


@kept()
def sign(x: float) -> float:
    return 1.0 if x > 0.0 else (-1.0 if x < 0.0 else (0.0 if x == 0.0 else x))


@kept()
def floor(x: float) -> float:
    return float(math.floor(x)) if abs(x) < 2.0**52 else x  # beyond, and for NaN, it is itself


@kept()
def step(x: float) -> float:
    return 1.0 if x > 0.0 else (0.0 if x <= 0.0 else x)


@kept()
def maximum(x: float, y: float) -> float:
    """The larger one, NaN if one of them is: no NaN may hide, loops over arrays recompute such points."""
    return x if x > y else (y if y >= x else x + y)


@kept()
def minimum(x: float, y: float) -> float:
    return x if x < y else (y if y <= x else x + y)


@kept()
def leaky_relu(x: float, slope: float) -> float:
    return x if x > 0.0 else slope * x


@kept()
def sigmoid(x: float) -> float:
    if x >= 0.0:
        return 1.0 / (1.0 + math.exp(-x))
    e = math.exp(x)
    return e / (1.0 + e)


@kept()
def softplus(x: float) -> float:
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


@kept()
def hermite(degree: float, x: float) -> float:
    """He_degree(x) by the forward recurrence."""
    low, high = 1.0, x
    if degree == 0.0:
        return low
    for j in range(1, int(degree)):
        low, high = high, x * high - j * low
    return high


@kept()
def hermite_sum(coefficients: tuple[float, ...], x: float) -> float:
    """sum_k coefficients[k] He_k(x), by Clenshaw's recurrence b_k = a_k + x b_{k+1} - (k + 1) b_{k+2}."""
    low, high = 0.0, 0.0
    for k in range(len(coefficients) - 1, -1, -1):
        low, high = coefficients[k] + x * low - (k + 1.0) * high, low
    return low


@kept()
def _clenshaw(coefficients: NDArray[np.float64], x: float) -> float:
    """sum_k coefficients[k] T_k(x)."""
    first, second = 0.0, 0.0
    for k in range(len(coefficients) - 1, 0, -1):
        first, second = coefficients[k] + 2.0 * x * first - second, first
    value: float = coefficients[0] + x * first - second
    return value


@kept()
def chebyshev_sum(coefficients: NDArray[np.float64], x: float) -> float:
    """sum_k coefficients[k] T_k(x); NaN for |x| > 1."""
    return _clenshaw(coefficients, x) if abs(x) <= 1.0 else math.nan


@kept()
def angle_sum(edges: NDArray[np.float64], rows: NDArray[np.float64], x: float) -> float:
    """The Chebyshev sum of the panel that arccos(x) is in; NaN for |x| > 1."""
    if not abs(x) <= 1.0:
        return math.nan
    angle = math.acos(x)
    low, high = 0, len(edges) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if angle < edges[middle]:
            high = middle
        else:
            low = middle
    left, right = edges[low], edges[low + 1]
    return _clenshaw(rows[low], (2.0 * angle - left - right) / (right - left))


@kept()
def owen_t_inside(h: float, a: float) -> float:
    """Owen's T for 0 <= a <= 1; the poles at +-i are far from [0, a]."""
    total: float = 0.0
    half = -0.5 * h * h
    for j in range(len(_SQUARES)):
        rest = 1.0 + a * a * _SQUARES[j]
        total += _WEIGHTS[j] * math.exp(half * rest) / rest
    value: float = a * total
    return value


@kept()
def owen_t(h: float, a: float) -> float:
    """Owen's T function for real h and a (a may be infinite)."""
    k, b = abs(h), abs(a)
    value: float
    if b <= 1.0:
        value = owen_t_inside(k, b)
    elif math.isinf(b):
        value = 0.5 * normal_cdf(-k)
    else:
        q, p = normal_cdf(-k), normal_cdf(-b * k)
        value = 0.5 * (q + p) - q * p - owen_t_inside(b * k, 1.0 / b)
    return value if a >= 0.0 else -value


@kept()
def _remainder(k: float, h: float, rho: float) -> float:
    """k - rho h without cancellation: 1 - |rho| is exact near |rho| = 1."""
    side = 1.0 if rho >= 0.0 else -1.0
    return (k - side * h) + side * h * (1.0 - abs(rho))


@kept()
def normal_given_cdf(k: float, h: float, rho: float) -> float:
    """P(Y <= k | X = h) at correlation rho; at rho = +-1 the limit."""
    rest = _remainder(k, h, rho)
    root = math.sqrt((1.0 - rho) * (1.0 + rho))
    return normal_cdf(rest / root) if rest != 0.0 else 0.5 + 0.0 * root


@kept()
def pair_bell(h: float, k: float, rho: float) -> float:
    """exp(-(h^2 - 2 rho h k + k^2)/(2 (1 - rho^2))); at rho = +-1 the limit."""
    product = h * k if rho >= 0.0 else -h * k
    gap = h - k if rho >= 0.0 else h + k
    square = (1.0 - rho) * (1.0 + rho)
    steep = 0.5 * gap * gap / square if gap != 0.0 else 0.0
    return math.exp(-steep - product / (1.0 + abs(rho))) if square >= 0.0 else math.nan


@kept()
def normal_pair_density(h: float, k: float, rho: float) -> float:
    """Density of a pair at (h, k); at rho = +-1 infinite where k = rho h, else 0."""
    bell = pair_bell(h, k, rho)
    root = math.sqrt((1.0 - rho) * (1.0 + rho))
    return bell / (2.0 * math.pi * root) if bell != 0.0 else bell


@kept()
def normal_pair_cdf(h: float, k: float, rho: float) -> float:
    """P(X <= h, Y <= k) at correlation rho, by Owen's T (rule G12 with its sign cases)."""
    # in one piece: a compiled function whose cases are those of the rule
    value: float
    if rho >= 1.0:
        value = normal_cdf(min(h, k))
    elif rho <= -1.0:
        value = normal_cdf(h) + normal_cdf(k) - 1.0
    elif h == 0.0 and k == 0.0:
        value = 0.25 + math.asin(rho) / (2.0 * math.pi)
    elif math.isinf(h) or math.isinf(k):
        value = 0.0 if min(h, k) == -math.inf else normal_cdf(min(h, k))
    else:
        root = math.sqrt((1.0 - rho) * (1.0 + rho))
        a_h = _remainder(k, h, rho) / (h * root) if h != 0.0 else math.copysign(math.inf, k)
        a_k = _remainder(h, k, rho) / (k * root) if k != 0.0 else math.copysign(math.inf, h)
        same = (h > 0.0 and k > 0.0) or (h < 0.0 and k < 0.0)
        on_axis = (h == 0.0 or k == 0.0) and h + k >= 0.0
        delta = 0.0 if same or on_axis else 0.5
        value = 0.5 * (normal_cdf(h) + normal_cdf(k)) - owen_t(h, a_h) - owen_t(k, a_k) - delta
    return max(value, 0.0)
