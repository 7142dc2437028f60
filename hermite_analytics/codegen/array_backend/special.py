"""Functions that the array-API standard lacks, per namespace.

Where a library has its own (scipy.special, torch.special, cupyx.scipy.special) that one is used; a
namespace without any (array-api-strict) goes through numpy on the host.
"""

from __future__ import annotations

import functools
import math
from typing import Any

from hermite_analytics.errors import UnsupportedExpression

__all__ = [
    "erf",
    "erfc",
    "hermite",
    "leaky_relu",
    "maximum",
    "minimum",
    "normal_cdf",
    "normal_density",
    "owen_t",
    "sigmoid",
    "sign",
    "softplus",
    "spread",
    "step",
]

Array = Any


@functools.cache
def _library(name: str) -> Any:
    """The module of special functions that works on arrays of the namespace `name`."""
    import importlib

    for key, module in (("torch", "torch.special"), ("cupy", "cupyx.scipy.special")):
        if key in name:
            return importlib.import_module(module)
    if "numpy" in name:
        return importlib.import_module("scipy.special")
    return None


def _apply(xp: Any, function: str, *arguments: Array) -> Array:
    library = _library(xp.__name__)
    if library is not None:
        if not hasattr(library, function):
            raise UnsupportedExpression(f"{function} is not available for {xp.__name__} arrays")
        return getattr(library, function)(*arguments)
    import numpy as np
    import scipy.special

    values = getattr(scipy.special, function)(*(np.asarray(a) for a in arguments))
    return xp.asarray(values, dtype=arguments[0].dtype)


def erf(xp: Any, x: Array) -> Array:
    return _apply(xp, "erf", x)


def erfc(xp: Any, x: Array) -> Array:
    return _apply(xp, "erfc", x)


def owen_t(xp: Any, h: Array, a: Array) -> Array:
    return _apply(xp, "owens_t", h, a)


def normal_cdf(xp: Any, x: Array) -> Array:
    return 0.5 * erfc(xp, x * (-1.0 / math.sqrt(2.0)))


def normal_density(xp: Any, x: Array) -> Array:
    return (1.0 / math.sqrt(2.0 * math.pi)) * xp.exp(-0.5 * x * x)


def sign(xp: Any, x: Array) -> Array:
    return xp.sign(x)


def step(xp: Any, x: Array) -> Array:
    return xp.astype(x > 0, x.dtype)


def maximum(xp: Any, x: Array, y: Array) -> Array:
    x, y = _both(xp, x, y)
    return xp.where(x > y, x, y)


def minimum(xp: Any, x: Array, y: Array) -> Array:
    x, y = _both(xp, x, y)
    return xp.where(x < y, x, y)


def _both(xp: Any, x: Array, y: Array) -> tuple[Array, Array]:
    """Two arrays, where one of them may be a Python number."""
    if isinstance(x, float):
        return xp.full_like(y, x), y
    return (x, xp.full_like(x, y)) if isinstance(y, float) else (x, y)


def leaky_relu(xp: Any, x: Array, slope: float) -> Array:
    return xp.where(x > 0, x, slope * x)


def sigmoid(xp: Any, x: Array) -> Array:
    decay = xp.exp(-xp.abs(x))  # never overflows, and keeps the digits of a small value
    return xp.where(x >= 0, 1.0 / (1.0 + decay), decay / (1.0 + decay))


def softplus(xp: Any, x: Array) -> Array:
    return maximum(xp, x, 0.0) + xp.log1p(xp.exp(-xp.abs(x)))


def spread(xp: Any, values: tuple[Any, ...], arguments: tuple[Array, ...]) -> tuple[Array, ...]:
    """Outputs broadcast over the shape of all arguments; a number becomes an array."""
    zero = functools.reduce(
        lambda total, a: total + xp.zeros_like(a), arguments[1:], xp.zeros_like(arguments[0])
    )
    return tuple(
        xp.full_like(zero, v) if isinstance(v, float) else xp.broadcast_to(v, zero.shape) for v in values
    )


def hermite(xp: Any, degree: float, x: Array) -> Array:
    """He_degree(x) by the forward recurrence."""
    low, high = xp.ones_like(x), x
    for j in range(1, int(degree)):
        low, high = high, x * high - j * low
    return high if degree else low
