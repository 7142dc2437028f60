"""Functions that the array-API standard lacks, per namespace.

Where a library has its own (scipy.special, torch.special, cupyx.scipy.special) that one is used; a
namespace without any (array-api-strict) goes through numpy on the host.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import cast

import numpy as np
from array_api_compat import device

from hermite_analytics.codegen.rules import owen_rule
from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.arrays import Array, Namespace

__all__ = [
    "angle_sum",
    "chebyshev_sum",
    "erf",
    "erfc",
    "guarded",
    "hermite",
    "hermite_sum",
    "leaky_relu",
    "maximum",
    "minimum",
    "namespace_of",
    "normal_cdf",
    "normal_density",
    "normal_given_cdf",
    "normal_pair_cdf",
    "normal_pair_density",
    "owen_t",
    "pair_bell",
    "select",
    "sigmoid",
    "sign",
    "softplus",
    "spread",
    "step",
]


def namespace_of(*values: object) -> Namespace:
    """The functions of arrays: of numpy's own itself, which since version 2 has the names of the standard.

    To wrap them takes as long to load as numpy.
    """
    if all(type(v) is np.ndarray for v in values):
        return cast(Namespace, np)
    from array_api_compat import array_namespace

    return cast(Namespace, array_namespace(*values))


@functools.cache
def _library(name: str) -> ModuleType | None:
    """The module of special functions that works on arrays of the namespace `name`."""
    import importlib

    for key, module in (("torch", "torch.special"), ("cupy", "cupyx.scipy.special")):
        if key in name:
            return importlib.import_module(module)
    if "numpy" in name:
        return importlib.import_module("scipy.special")
    return None


def _apply(xp: Namespace, function: str, *arguments: Array) -> Array:
    library = _library(xp.__name__)
    if library is not None:
        if not hasattr(library, function):
            raise UnsupportedExpression(f"{function} is not available for {xp.__name__} arrays")
        found: Array = getattr(library, function)(*arguments)
        return found
    import scipy.special

    values = getattr(scipy.special, function)(*(np.asarray(a) for a in arguments))
    return xp.asarray(values, dtype=arguments[0].dtype)


def erf(xp: Namespace, x: Array) -> Array:
    return _apply(xp, "erf", x)


def erfc(xp: Namespace, x: Array) -> Array:
    return _apply(xp, "erfc", x)


_OWEN_SQUARES, _OWEN_WEIGHTS = owen_rule()


def owen_t(xp: Namespace, h: Array, a: Array) -> Array:
    """Owen's T, from its integral over [0, 1] after the reflection a -> 1/a."""
    h, a = _together(xp, h, a)
    k, b = xp.abs(h), xp.abs(a)
    far = b > 1.0
    width = xp.where(far, 1.0 / xp.where(far, b, 1.0), b)
    height = xp.where(far & (k > 0.0), b, 1.0) * k  # no product of 0 and infinity
    total = xp.zeros_like(height + width)
    for square, weight in zip(_OWEN_SQUARES, _OWEN_WEIGHTS, strict=True):
        rest = 1.0 + square * width * width
        total = total + weight / rest * xp.exp(-0.5 * height * height * rest)
    q, p = normal_cdf(xp, -k), normal_cdf(xp, -height)
    value = xp.where(far, 0.5 * (q + p) - q * p - width * total, width * total)
    return xp.where(a >= 0.0, value, -value)


def _pair(xp: Namespace, h: Array, k: Array, rho: Array) -> tuple[Array, Array, Array, Array]:
    """Two thresholds and a correlation as arrays of one type, and zeros of their shape."""
    h, k, rho = _together(xp, h, k, rho)
    zero = xp.zeros_like(h + k + rho)
    return h + zero, k + zero, rho + zero, zero


def normal_given_cdf(xp: Namespace, k: Array, h: Array, rho: Array) -> Array:
    """P(Y <= k | X = h) at correlation rho; at rho = +-1 the limit."""
    k, h, rho, zero = _pair(xp, k, h, rho)
    side = xp.where(rho >= 0.0, zero + 1.0, -1.0)
    rest = (k - side * h) + side * h * (1.0 - xp.abs(rho))
    square = (1.0 - rho) * (1.0 + rho)
    inside = square > 0.0
    value = normal_cdf(xp, rest / xp.sqrt(xp.where(inside, square, 1.0)))
    end = xp.where(square == 0.0, 0.5 + 0.5 * xp.sign(rest), math.nan)
    return xp.where(inside, value, end)


def pair_bell(xp: Namespace, h: Array, k: Array, rho: Array) -> Array:
    """exp(-(h^2 - 2 rho h k + k^2)/(2 (1 - rho^2))); at rho = +-1 the limit."""
    h, k, rho, zero = _pair(xp, h, k, rho)
    side = xp.where(rho >= 0.0, zero + 1.0, -1.0)
    gap = h - side * k
    square = (1.0 - rho) * (1.0 + rho)
    inside = square > 0.0
    steep = 0.5 * gap * gap / xp.where(inside, square, 1.0)
    exponent = -steep - side * h * k / (1.0 + xp.abs(rho))
    limit = inside | (gap == 0.0)
    value = xp.exp(xp.where(limit & (square >= 0.0), exponent, -math.inf))
    return xp.where(square >= 0.0, value, zero + math.nan)


def normal_pair_density(xp: Namespace, h: Array, k: Array, rho: Array) -> Array:
    """Density of a pair at (h, k); at rho = +-1 infinite where k = rho h, else 0."""
    h, k, rho, zero = _pair(xp, h, k, rho)
    bell = pair_bell(xp, h, k, rho)
    square = (1.0 - rho) * (1.0 + rho)
    inside = square > 0.0
    value = bell / (2.0 * math.pi * xp.sqrt(xp.where(inside, square, 1.0)))
    return xp.where(inside, value, xp.where(bell > 0.0, zero + math.inf, bell))


def normal_pair_cdf(xp: Namespace, h: Array, k: Array, rho: Array) -> Array:
    """P(X <= h, Y <= k) at correlation rho, by Owen's T (rule G12 with its sign cases)."""
    h, k, rho, zero = _pair(xp, h, k, rho)  # choices between numbers have no type
    inside = xp.abs(rho) < 1.0
    safe_rho, safe_h, safe_k = (
        xp.where(inside, rho, 0.0),
        xp.where(h == 0.0, 1.0, h),
        xp.where(k == 0.0, 1.0, k),
    )
    root = xp.sqrt((1.0 - safe_rho) * (1.0 + safe_rho))
    side = xp.where(safe_rho >= 0.0, zero + 1.0, -1.0)
    rest = 1.0 - xp.abs(safe_rho)
    end_h = xp.where(k < 0.0, zero - math.inf, math.inf)
    end_k = xp.where(h < 0.0, zero - math.inf, math.inf)
    a_h = xp.where(h == 0.0, end_h, ((k - side * h) + side * h * rest) / (safe_h * root))
    a_k = xp.where(k == 0.0, end_k, ((h - side * k) + side * k * rest) / (safe_k * root))
    same = ((h > 0.0) & (k > 0.0)) | ((h < 0.0) & (k < 0.0))
    on_axis = ((h == 0.0) | (k == 0.0)) & (h + k >= 0.0)
    delta = xp.where(same | on_axis, zero, 0.5)
    value = 0.5 * (normal_cdf(xp, h) + normal_cdf(xp, k)) - owen_t(xp, h, a_h) - owen_t(xp, k, a_k) - delta
    value = xp.where((h == 0.0) & (k == 0.0), 0.25 + xp.asin(safe_rho) / (2.0 * math.pi), value)
    together, opposite = normal_cdf(xp, minimum(xp, h, k)), normal_cdf(xp, h) + normal_cdf(xp, k) - 1.0
    value = xp.where(inside, value, xp.where(rho >= 1.0, together, opposite))
    return maximum(xp, value, 0.0)


def select(
    xp: Namespace,
    condition: Array,
    complement: Array,
    then: Array | float,
    otherwise: Array | float,
    like: Array,
) -> Array:
    """`then` or `otherwise`, numbers or arrays of the type of `like`; NaN where what is compared is NaN."""
    zero = xp.zeros_like(like)
    return xp.where(condition, zero + then, xp.where(complement, zero + otherwise, math.nan))


def guarded(xp: Namespace, safe: Array, value: Array, fallback: Callable[[], Array]) -> Array:
    """`value` where it is safe, else the fallback, which is computed only if it is needed."""
    if bool(xp.all(safe)):
        return value
    return xp.where(safe, value, fallback())


def normal_cdf(xp: Namespace, x: Array) -> Array:
    return 0.5 * erfc(xp, x * (-1.0 / math.sqrt(2.0)))


def normal_density(xp: Namespace, x: Array) -> Array:
    return (1.0 / math.sqrt(2.0 * math.pi)) * xp.exp(-0.5 * x * x)


def sign(xp: Namespace, x: Array) -> Array:
    return xp.sign(x)


def step(xp: Namespace, x: Array) -> Array:
    return xp.where(xp.isnan(x), x, xp.astype(x > 0, x.dtype))


def maximum(xp: Namespace, x: Array | float, y: Array | float) -> Array:
    return xp.maximum(*_together(xp, x, y))  # NaN if one of them is


def minimum(xp: Namespace, x: Array | float, y: Array | float) -> Array:
    return xp.minimum(*_together(xp, x, y))


def _together(xp: Namespace, *values: Array | float) -> tuple[Array, ...]:
    """Arrays that broadcast, some of which may have been Python numbers: these get the type of the others."""
    like = next(v for v in values if hasattr(v, "dtype"))

    def array(value: Array | float) -> Array:
        if hasattr(value, "dtype"):
            return cast(Array, value)
        return xp.full((), value, dtype=cast(Array, like).dtype, device=device(like))

    return tuple(map(array, values))


def leaky_relu(xp: Namespace, x: Array, slope: float) -> Array:
    return xp.where(x > 0, x, slope * x)


def sigmoid(xp: Namespace, x: Array) -> Array:
    decay = xp.exp(-xp.abs(x))  # never overflows, and keeps the digits of a small value
    return xp.where(x >= 0, 1.0 / (1.0 + decay), decay / (1.0 + decay))


def softplus(xp: Namespace, x: Array) -> Array:
    return maximum(xp, x, 0.0) + xp.log1p(xp.exp(-xp.abs(x)))


def spread(
    xp: Namespace, values: tuple[Array | float, ...], arguments: tuple[Array, ...]
) -> tuple[Array, ...]:
    """Outputs broadcast over the shape of all arguments; a number becomes an array."""
    zero = arguments[0]
    if any(isinstance(v, float) for v in values) or any(a.shape != zero.shape for a in arguments[1:]):
        zero = functools.reduce(
            lambda total, a: total + xp.zeros_like(a), arguments[1:], xp.zeros_like(arguments[0])
        )
    found: list[Array] = []
    for value in values:  # an argument, or one array twice, is not handed out to be written into
        v = xp.full_like(zero, value) if isinstance(value, float) else value
        is_new = v.shape == zero.shape and sum(v is other for other in (*arguments, *values)) < 2
        found.append(v if is_new else xp.broadcast_to(v, zero.shape))
    return tuple(found)


def hermite(xp: Namespace, degree: float, x: Array) -> Array:
    """He_degree(x) by the forward recurrence."""
    low, high = xp.ones_like(x), x
    for j in range(1, int(degree)):
        low, high = high, x * high - j * low
    return high if degree else low


def hermite_sum(xp: Namespace, coefficients: tuple[float, ...], x: Array) -> Array:
    """sum_k coefficients[k] He_k(x), by Clenshaw's recurrence b_k = a_k + x b_{k+1} - (k + 1) b_{k+2}."""
    low = high = xp.zeros_like(x)
    for k in range(len(coefficients) - 1, -1, -1):
        low, high = coefficients[k] + x * low - (k + 1.0) * high, low
    return low


def chebyshev_sum(xp: Namespace, coefficients: Sequence[float], x: Array) -> Array:
    """sum_k coefficients[k] T_k(x); NaN for |x| > 1."""
    inside = xp.abs(x) <= 1.0
    return xp.where(inside, _clenshaw(coefficients, xp.where(inside, x, 0.0)), math.nan)


def angle_sum(xp: Namespace, edges: Sequence[float], rows: Sequence[Sequence[float]], x: Array) -> Array:
    """The Chebyshev sum of the panel that arccos(x) is in; NaN for |x| > 1."""
    inside = xp.abs(x) <= 1.0
    angle = xp.acos(xp.where(inside, x, 0.0))
    row = xp.zeros(x.shape, dtype=xp.int64, device=device(x))
    for edge in edges[1:-1]:
        row = row + xp.astype(angle >= edge, xp.int64)
    flat = xp.reshape(row, (-1,))

    def of_panel(numbers: Sequence[float]) -> Array:
        table = xp.asarray(list(numbers), dtype=x.dtype, device=device(x))
        return xp.reshape(xp.take(table, flat, axis=0), x.shape)

    left, right = of_panel(edges[:-1]), of_panel(edges[1:])
    columns = [of_panel(numbers) for numbers in zip(*rows, strict=True)]
    value = _clenshaw(columns, (2.0 * angle - left - right) / (right - left))
    return xp.where(inside, value, math.nan)


def _clenshaw(coefficients: Sequence[Array | float], x: Array) -> Array:
    """sum_k coefficients[k] T_k(x)."""
    first = second = 0.0 * x
    for a in reversed(coefficients[1:]):
        first, second = a + 2.0 * x * first - second, first
    return coefficients[0] + x * first - second
