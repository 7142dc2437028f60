"""Where a sum of independent terms lies, and how far its law is blurred for transforms that do not end."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.numpy_arrays import Array

__all__ = ["WIDEST", "Spread", "blurs", "spread_of"]


_LATTICE = 2**14
_BLURS = (1.4, 1.4 * math.sqrt(2), 2.8)  # spacings
WIDEST = _BLURS[-1]
_WIDE = 0.084  # blur, in standard deviations of the sum


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Of a sum.

    Attributes
    ----------
    low, high : float
        What it is below, and above, with little probability.
    variance : float
    """

    low: float
    high: float
    variance: float


def spread_of(laws: Sequence[tuple[Array, Array, int]], tail: float) -> Spread:
    """Of the sum of terms by their laws.

    Parameters
    ----------
    laws : sequence of (values, probabilities, how many terms have this law)
        Probabilities that do not add up to 1 are those of values that are looked at.
    tail : float
        The probability on each side.

    Examples
    --------
    >>> found = spread_of([(np.array([0.0, 1.0]), np.array([0.5, 0.5]), 20)], 1e-3)
    >>> round(found.low), round(found.high), found.variance
    (3, 17, 5.0)
    """
    from scipy import fft

    variance, start, extent = 0.0, 0.0, 0.0
    for x, p, count in laws:
        total = float(p.sum())
        mean = float(p @ x) / total
        variance += count * float(p @ (x - mean) ** 2) / total
        start += count * float(x.min())
        extent += count * float(np.ptp(x))
    cell = extent / (_LATTICE - 2 * sum(count for *_, count in laws))
    transform = np.ones(_LATTICE // 2 + 1, dtype=np.complex128)
    for x, p, count in laws:
        single = np.bincount(np.round((x - x.min()) / cell).astype(np.int64), p, _LATTICE)
        transform = transform * fft.rfft(single) ** count
    law = np.maximum(fft.irfft(transform, _LATTICE), 0.0)
    below, above = np.cumsum(law), np.cumsum(law[::-1])[::-1]
    return Spread(
        low=start + cell * float(np.searchsorted(below, tail)),
        high=start + cell * float(_LATTICE - np.searchsorted(above[::-1], tail)),
        variance=variance,
    )


def blurs(width: float, frequencies: int, most: int, deviation: float) -> tuple[float, ...]:
    """Three scales by which a law is blurred, for what it tells to be extrapolated to none.

    Parameters
    ----------
    width : float
        The period.
    frequencies, most : int
        Of the transform, at this level and at the finest one.
    deviation : float
        Of the label.

    Raises
    ------
    UnsupportedExpression
        If they are too wide at the finest level.
    """
    if _BLURS[0] * width / (2 * most) > _WIDE * deviation:
        raise UnsupportedExpression("the labels of the parts are spread out too far for transforms")
    return tuple(b * width / (2 * frequencies) for b in _BLURS)
