"""Spectra k^-a with any number of levels, compressed to a few thousand weighted ones.

All sums over levels are sums over k of functions that are analytic in k around the positive axis, so a block
of consecutive k is summed by the Gauss rule of its own counting measure: 16 levels k (no integers) with
positive weights are exact for polynomials of degree 31 and right to rounding for these sums. The rule's
orthogonal polynomials are Chebyshev's discrete ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hermite_analytics.errors import InputError
from hermite_analytics.foundation.numpy_arrays import Array

__all__ = ["PowerLaw", "power_law"]


_DIRECT = 16384  # up to here every level is kept
_HEAD = 512  # of a longer spectrum, these are kept one by one
_NODES = 16
_SMALLEST = 60.0  # -log10 of the eigenvalue from which on an infinite spectrum is its trace
_RANGE = 290.0  # -log10 of the smallest eigenvalue that float64 holds with digits to spare
_CONTINUOUS = 1e9  # levels of a block from which on the counting measure is the uniform one, to rounding


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerLaw:
    """Levels k with weights, and the trace and coefficient of what is left out beyond `cut`.

    Attributes
    ----------
    levels, weights : arrays of shape (m,)
    cut : float
        The first level that is left out; infinite if none is.
    tail_trace, tail_coefficient : float
        Sums of k^-a and k^-b over k >= cut.
    """

    levels: Array
    weights: Array
    cut: float
    tail_trace: float
    tail_coefficient: float


def power_law(eigenvalue_power: float, coefficient_power: float, levels: float) -> PowerLaw:
    """The levels 1..`levels` of eigenvalues k^-a and squared coefficients k^-b.

    Parameters
    ----------
    eigenvalue_power : float >= 0
        a; greater than 1 with infinitely many levels.
    coefficient_power : float
        b; greater than 1 with infinitely many levels.
    levels : integer >= 1 or inf

    Raises
    ------
    InputError
        If a sum over infinitely many levels diverges or an eigenvalue underflows.

    Examples
    --------
    >>> law = power_law(2.0, 2.0, 10**9)
    >>> law.levels.size, f"{law.weights.sum():.0f}", f"{law.weights @ law.levels**-2.0:.12f}"
    (848, '1000000000', '1.644934065848')
    """
    _check(eigenvalue_power, coefficient_power, levels)
    if levels <= _DIRECT:
        return _exact(np.arange(1.0, levels + 1.0), np.ones(int(levels)))
    end = levels + 1.0
    if math.isinf(levels):
        end = max(_HEAD + 1.0, math.ceil(10.0 ** (_SMALLEST / eigenvalue_power)))
    places, weights = [np.arange(1.0, _HEAD + 1.0)], [np.ones(_HEAD)]
    start, growth = _HEAD + 1.0, 1.0 + min(1.0, 4.0 / max(eigenvalue_power, 1.0))
    while start < end:
        stop = min(end, float(math.ceil(start * growth)))
        if stop - start < _NODES:
            block, weight = np.arange(start, stop), np.ones(int(stop - start))
        else:
            block, weight = _gauss_rule(start, stop)
        places.append(block)
        weights.append(weight)
        start = stop
    if not math.isinf(levels):
        return _exact(np.concatenate(places), np.concatenate(weights))
    return PowerLaw(
        levels=np.concatenate(places),
        weights=np.concatenate(weights),
        cut=end,
        tail_trace=_zeta(eigenvalue_power, end),
        tail_coefficient=_zeta(coefficient_power, end),
    )


def _exact(levels: Array, weights: Array) -> PowerLaw:
    return PowerLaw(levels=levels, weights=weights, cut=math.inf, tail_trace=0.0, tail_coefficient=0.0)


def _check(a: float, b: float, levels: float) -> None:
    if not a >= 0.0 or math.isinf(a):
        raise InputError(f"eigenvalue_power is {a:g}; accepted: finite eigenvalue_power >= 0")
    if not math.isfinite(b):
        raise InputError(f"coefficient_power is {b:g}; accepted: finite numbers")
    if not levels >= 1 or (math.isfinite(levels) and levels != math.floor(levels)):
        raise InputError(f"levels is {levels:g}; accepted: an integer >= 1, or inf")
    if math.isinf(levels) and not a > 1.0:
        raise InputError(
            f"eigenvalue_power is {a:g} with infinitely many levels, whose trace is infinite; accepted: "
            "eigenvalue_power > 1, or finite levels"
        )
    if math.isinf(levels) and not b > 1.0:
        raise InputError(
            f"coefficient_power is {b:g} with infinitely many levels, whose target has an infinite norm; "
            "accepted: coefficient_power > 1, or finite levels"
        )
    smallest = max(a, abs(b)) * math.log10(_HEAD if math.isinf(levels) else levels)
    if smallest > _RANGE:
        name, power = ("eigenvalue_power", a) if a >= abs(b) else ("coefficient_power", b)
        raise InputError(
            f"{name} is {power:g}, for which k^-{name} leaves the range of floating-point numbers "
            f"before the last level; accepted here: at most {power * _RANGE / smallest:.4g}"
        )


def _gauss_rule(start: float, stop: float) -> tuple[Array, Array]:
    """Nodes and weights of the counting measure on the integers start..stop-1."""
    count = stop - start
    n = np.arange(1.0, _NODES)
    squeeze = 0.0 if count > _CONTINUOUS else 1.0 / count**2
    beside = np.sqrt(n**2 * (1.0 - n**2 * squeeze) / (4.0 * n**2 - 1.0))
    nodes, vectors = np.linalg.eigh(np.diag(beside, 1) + np.diag(beside, -1))
    weights = vectors[0] ** 2
    return 0.5 * (start + stop - 1.0) + 0.5 * count * nodes, count * (weights / weights.sum())


def _zeta(power: float, start: float) -> float:
    """Sum of k^-power over k >= start, start large."""
    from scipy.special import zeta

    return float(zeta(power, start))
