"""Elementary and special functions without branches or calls, so that loops over them vectorise.

They replace the scalar functions of `special` and `math` inside loops over arrays. Each selects between
formulas instead of branching, and returns NaN outside its range (sin and cos beyond 1e6, log of what is
not a positive normal number): the loops recompute such points with the scalar functions.

Relative accuracy 2e-15, Owen's T absolute 1e-16. The coefficients of the polynomials are in `vector_tables`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hermite_analytics.codegen.numba_backend.vector_tables import ATANH, ERF_SMALL, ERFCX
from hermite_analytics.codegen.rules import owen_rule
from hermite_analytics.foundation.kernels_on_disk import kept

__all__ = [
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "log",
    "normal_cdf",
    "normal_density",
    "normal_given_cdf",
    "normal_pair_cdf",
    "normal_pair_density",
    "owen_t",
    "owen_t_inside",
    "pair_bell",
    "sigmoid",
    "sin",
    "sinh",
    "softplus",
    "tanh",
]

# no reassociation: the splittings below rely on the order of operations; a fused product and sum is safe
_compiled = kept(fastmath={"contract"}, forceinline=True)

_ROUND = 6755399441055744.0  # adding 1.5 * 2^52 rounds to an integer, which stands in the low bits
_LOG2_E = 1.0 / math.log(2.0)
_LOG_2_HIGH, _LOG_2_LOW = 0.6931471805582987, 1.6465949582897082e-12
_HALF_PI_HIGH, _HALF_PI_MIDDLE, _HALF_PI_LOW = (
    1.5707963267341256,
    6.077100506303966e-11,
    2.0222662487959506e-21,
)
_LARGEST_ANGLE = 1e6  # beyond it the three parts of pi/2 no longer cancel exactly
_INVERSE_SQRT2 = 1.0 / math.sqrt(2.0)
_INVERSE_SQRT_2PI = 1.0 / math.sqrt(2.0 * math.pi)
_EXPONENTIAL = tuple(1.0 / math.factorial(k) for k in range(2, 14))  # (exp(r) - 1 - r)/r^2
_SINE = tuple((-1.0) ** k / math.factorial(2 * k + 1) for k in range(1, 9))  # (sin(r) - r)/r^3
_COSINE = tuple((-1.0) ** k / math.factorial(2 * k) for k in range(2, 10))  # (cos(r) - 1 + r^2/2)/r^4
_ERFCX_CENTRE = 3.5
_ERFCX_END = 28.0  # exp(-28^2) underflows
_NORMAL_END = 39.0  # exp(-39^2/2) underflows
_ERFCX_LOW, _ERFCX_HIGH = ERFCX[:12], ERFCX[12:]
_OWEN_NODES, _OWEN_WEIGHTS = owen_rule()


@_compiled
def _bits(x: float) -> Any:
    """The bits of a number as an integer."""
    return np.float64(x).view(np.int64)


@_compiled
def _float(bits: int) -> Any:
    """The number of such bits."""
    return np.int64(bits).view(np.float64)


@_compiled
def _polynomial(coefficients: tuple[float, ...], x: float) -> float:
    """sum_k coefficients[k] x^k; the loop is unrolled by the compiler."""
    value = coefficients[-1]
    for k in range(len(coefficients) - 2, -1, -1):
        value = value * x + coefficients[k]
    return value


@_compiled
def _long_polynomial(low: tuple[float, ...], high: tuple[float, ...], x: float) -> float:
    """The same for 12 coefficients and more: longer loops are not unrolled."""
    square = x * x
    eighth = (square * square) * (square * square)
    return _polynomial(low, x) + eighth * (square * square) * _polynomial(high, x)


@_compiled
def _reduced(x: float) -> tuple[float, int]:
    """(exp(r) - 1, k) with x = r + k log(2), |r| <= log(2)/2."""
    rounded = x * _LOG2_E + _ROUND
    k = rounded - _ROUND
    r = (x - k * _LOG_2_HIGH) - k * _LOG_2_LOW
    return r + r * r * _polynomial(_EXPONENTIAL, r), _bits(rounded) - _bits(_ROUND)


@_compiled
def _power_of_2(k: int) -> float:
    """2^k for -1022 <= k <= 1023."""
    return _float((k + 1023) << 52)


@_compiled
def exp(x: float) -> float:
    change, k = _reduced(min(max(x, -746.0), 710.0))
    half = k >> 1  # two factors, so that subnormal numbers come out right
    value = (1.0 + change) * _power_of_2(half) * _power_of_2(k - half)
    return value if x == x else x


@_compiled
def _expm1_positive(x: float) -> float:
    """exp(x) - 1 for 0 <= x <= 700."""
    change, k = _reduced(x)
    scale = _power_of_2(k)
    return scale * change + (scale - 1.0)


@_compiled
def tanh(x: float) -> float:
    u = _expm1_positive(min(2.0 * abs(x), 44.0))
    value = math.copysign(u / (u + 2.0), x)
    return value if x == x else x


@_compiled
def sinh(x: float) -> float:
    size = abs(x)
    u = _expm1_positive(min(size, 700.0))
    value = math.copysign(0.5 * (u + u / (u + 1.0)), x)
    return value if size <= 700.0 else math.nan


@_compiled
def cosh(x: float) -> float:
    size = abs(x)
    e = exp(min(size, 700.0))
    value = 0.5 * (e + 1.0 / e)
    return value if size <= 700.0 else math.nan


@_compiled
def sigmoid(x: float) -> float:
    e = exp(-abs(x))
    ratio = 1.0 / (1.0 + e)
    value = ratio if x >= 0.0 else e * ratio
    return value if x == x else x


@_compiled
def _log1p_unit(e: float) -> float:
    """log(1 + e) for 0 <= e <= 1."""
    s = e / (2.0 + e)
    square = s * s
    return 2.0 * (s + s * square * _polynomial(ATANH, square))


@_compiled
def softplus(x: float) -> float:
    value = max(x, 0.0) + _log1p_unit(exp(-abs(x)))
    return value if x == x else x


@_compiled
def log(x: float) -> float:
    """Natural logarithm of a positive normal number, else NaN."""
    bits = _bits(x)
    whole = (bits - _bits(_SQRT_HALF)) >> 52
    m = _float(bits - (whole << 52))  # in [sqrt(1/2), sqrt(2))
    s = (m - 1.0) / (m + 1.0)
    square = s * s
    value = 2.0 * (s + s * square * _polynomial(ATANH, square))
    k = _float(_bits(_ROUND) + whole) - _ROUND
    value = k * _LOG_2_HIGH + (value + k * _LOG_2_LOW)
    return value if 2.3e-308 <= x <= 1.7e308 else math.nan


_SQRT_HALF = math.sqrt(0.5)


@_compiled
def _sine_and_cosine(x: float) -> tuple[float, float, int]:
    """sin and cos of x - k pi/2, and the bits whose last two are k mod 4."""
    rounded = x * (2.0 / math.pi) + _ROUND
    k = rounded - _ROUND
    r = ((x - k * _HALF_PI_HIGH) - k * _HALF_PI_MIDDLE) - k * _HALF_PI_LOW
    square = r * r
    sine = r + r * square * _polynomial(_SINE, square)
    cosine = 1.0 - 0.5 * square + square * square * _polynomial(_COSINE, square)
    return sine, cosine, _bits(rounded)


@_compiled
def sin(x: float) -> float:
    sine, cosine, quarter = _sine_and_cosine(x)
    value = cosine if quarter & 1 else sine
    value = -value if quarter & 2 else value
    value = x if x == 0.0 else value  # the sign of zero
    return value if abs(x) <= _LARGEST_ANGLE else math.nan


@_compiled
def cos(x: float) -> float:
    sine, cosine, quarter = _sine_and_cosine(x)
    value = sine if quarter & 1 else cosine
    value = -value if (quarter + 1) & 2 else value
    return value if abs(x) <= _LARGEST_ANGLE else math.nan


@_compiled
def _bell(x: float, scale: float) -> float:
    """exp(-scale x^2) for 0 <= x <= 40, scale a power of 2, without the rounding of the square."""
    high = _float((_bits(x) >> 27) << 27)  # its square is exact
    rest = scale * (high - x) * (high + x)
    return exp(-scale * high * high) * (1.0 + rest * (1.0 + rest * (0.5 + rest / 6.0)))


@_compiled
def _erfcx(x: float) -> float:
    """exp(x^2) erfc(x) for 0 <= x <= 28."""
    t = (x - _ERFCX_CENTRE) / (x + _ERFCX_CENTRE)
    return _long_polynomial(_ERFCX_LOW, _ERFCX_HIGH, t) / (1.0 + 2.0 * x)


@_compiled
def erf(x: float) -> float:
    size = min(abs(x), 6.0)
    small = size * _polynomial(ERF_SMALL, min(size * size, 1.0))
    large = 1.0 - _bell(size, 1.0) * _erfcx(size)
    value = math.copysign(small if size < 1.0 else large, x)
    return value if x == x else x


@_compiled
def erfc(x: float) -> float:
    size = min(abs(x), _ERFCX_END)
    tail = _bell(size, 1.0) * _erfcx(size)
    value = tail if x >= 0.0 else 2.0 - tail
    return value if x == x else x


@_compiled
def normal_cdf(x: float) -> float:
    size = min(abs(x), _NORMAL_END)
    tail = 0.5 * _bell(size, 0.5) * _erfcx(size * _INVERSE_SQRT2)
    value = tail if x <= 0.0 else 1.0 - tail
    return value if x == x else x


@_compiled
def normal_density(x: float) -> float:
    value = _INVERSE_SQRT_2PI * _bell(min(abs(x), _NORMAL_END), 0.5)
    return value if x == x else x


@_compiled
def _exp_negative(x: float) -> float:
    """exp(x) for x <= 0, to an absolute 1e-307."""
    change, k = _reduced(max(x, -707.0))
    scale = _power_of_2(k)
    return scale + scale * change


@_compiled
def _owen_pair(first: int, half: float, square: float) -> float:
    """The terms of two nodes."""
    w, x = _OWEN_WEIGHTS, _OWEN_NODES
    low, high = 1.0 + square * x[first], 1.0 + square * x[first + 1]
    return w[first] / low * _exp_negative(half * low) + w[first + 1] / high * _exp_negative(half * high)


@_compiled
def owen_t_inside(h: float, a: float) -> float:
    """Owen's T for 0 <= a <= 1; a loop over the nodes would not be unrolled."""
    half, square = -0.5 * h * h, a * a
    low = _owen_pair(0, half, square) + _owen_pair(2, half, square)
    middle = _owen_pair(4, half, square) + _owen_pair(6, half, square)
    value = a * (low + middle + _owen_pair(8, half, square))
    return value if h == h else h


@_compiled
def owen_t(h: float, a: float) -> float:
    k, b = abs(h), abs(a)
    far = b > 1.0
    inner = owen_t_inside(b * k if far else k, 1.0 / b if far else b)
    q, p = normal_cdf(-k), normal_cdf(-b * k)
    value = 0.5 * (q + p) - q * p - inner if far else inner
    value = math.copysign(1.0, a) * value
    return value if b < 1e300 else math.nan


@_compiled
def _remainder(k: float, h: float, rho: float) -> float:
    """k - rho h without cancellation: 1 - |rho| is exact near |rho| = 1."""
    side = math.copysign(1.0, rho)
    return (k - side * h) + side * h * (1.0 - abs(rho))


@_compiled
def normal_given_cdf(k: float, h: float, rho: float) -> float:
    """P(Y <= k | X = h) at correlation rho; NaN at the ends |rho| = 1."""
    root = math.sqrt((1.0 - rho) * (1.0 + rho))
    value = normal_cdf(_remainder(k, h, rho) / root)
    return value if root > 0.0 else math.nan


@_compiled
def pair_bell(h: float, k: float, rho: float) -> float:
    """exp(-(h^2 - 2 rho h k + k^2)/(2 (1 - rho^2))); NaN at the ends |rho| = 1."""
    side = math.copysign(1.0, rho)
    gap = h - side * k
    square = (1.0 - rho) * (1.0 + rho)
    value = exp(-0.5 * gap * gap / square - side * h * k / (1.0 + abs(rho)))
    return value if square > 0.0 else math.nan


@_compiled
def normal_pair_density(h: float, k: float, rho: float) -> float:
    """Density of a pair at (h, k); NaN at the ends |rho| = 1."""
    return pair_bell(h, k, rho) / (2.0 * math.pi * math.sqrt((1.0 - rho) * (1.0 + rho)))


@_compiled
def _owen_part(h: float, k: float, rho: float, root: float) -> float:
    """T(h, (k - rho h)/(h root)), with its limit at h = 0."""
    on_axis = h == 0.0
    value = owen_t(h, _remainder(k, h, rho) / ((1.0 if on_axis else h) * root))
    return math.copysign(0.25, k) if on_axis else value


@_compiled
def normal_pair_cdf(h: float, k: float, rho: float) -> float:
    """P(X <= h, Y <= k) at correlation rho; NaN at the ends |rho| = 1, h = k = 0, infinite thresholds."""
    root = math.sqrt((1.0 - rho) * (1.0 + rho))
    delta = 0.0 if h * k > 0.0 or (h * k == 0.0 and h + k >= 0.0) else 0.5
    total = _owen_part(h, k, rho, root) + _owen_part(k, h, rho, root) + delta
    value = 0.5 * (normal_cdf(h) + normal_cdf(k)) - total
    return max(value, 0.0) if (h != 0.0 or k != 0.0) and abs(rho) < 1.0 else math.nan
