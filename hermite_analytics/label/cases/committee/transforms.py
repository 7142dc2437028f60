"""Transforms of a standard normal coordinate on an interval: E[(1, z^2) exp(i u z); a < z < b]."""

from __future__ import annotations

import math

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Complex

__all__ = ["interval_transforms"]


def interval_transforms(u: Array, low: float, high: float) -> tuple[Complex, Complex]:
    """Both transforms at real u, by the Faddeeva function.

    Examples
    --------
    >>> zeroth, second = interval_transforms(np.array([0.0, 1.0]), 0.0, math.inf)
    >>> np.round(zeroth.real, 12).tolist(), np.round(second.real, 12).tolist()
    ([0.5, 0.303265329856], [0.5, 0.0])
    """
    at_low, at_high = _above(u, low), _above(u, high)
    zeroth, second = at_low[0] - at_high[0], at_low[1] - at_high[1]
    return np.asarray(zeroth, dtype=np.complex128), np.asarray(second, dtype=np.complex128)


def _above(u: Array, a: float) -> tuple[Complex, Complex]:
    """E[(1, z^2) exp(i u z); z > a]."""
    from scipy.special import wofz

    if math.isinf(a) and a > 0:
        return np.zeros(len(u), dtype=complex), np.zeros(len(u), dtype=complex)
    whole = np.exp(-0.5 * u * u)
    if math.isinf(a):
        return whole + 0j, np.asarray((1 - u * u) * whole, dtype=np.complex128)
    if a < 0:
        zeroth, second = _above(-u, -a)
        return whole - zeroth, np.asarray((1 - u * u) * whole - second, dtype=np.complex128)
    edge = math.exp(-0.5 * a * a) / math.sqrt(2 * math.pi) * np.exp(1j * u * a)
    zeroth = edge * math.sqrt(math.pi / 2) * wofz((u + 1j * a) / math.sqrt(2))
    first = edge + 1j * u * zeroth
    second = zeroth + a * edge + 1j * u * first
    return np.asarray(zeroth, dtype=np.complex128), np.asarray(second, dtype=np.complex128)
