"""Places of a curve's points: round ones, so that most stay where they are when an end of the range moves."""

from __future__ import annotations

import math

from hermite_analytics.errors import InputError

__all__ = ["places"]

_DIGITS = 6


def places(low: float, high: float, most: int, *, logarithmic: bool) -> list[float]:
    """Both ends and, between them, all multiples of a power of 2 (of log10, if logarithmic): at most `most`.

    All numbers have at most 6 digits, so that they can be printed.

    Raises
    ------
    InputError
        If the range is empty.

    Examples
    --------
    >>> places(0.5, 10, 5, logarithmic=True)
    [0.5, 1.0, 3.16228, 10.0]
    >>> places(0.3, 2, 6, logarithmic=False)
    [0.3, 0.5, 1.0, 1.5, 2.0]
    """
    low, high = _rounded(low), _rounded(high)
    if not low < high:
        raise InputError(f"the range is from {low:g} to {high:g}; accepted: a first number below the second")
    first, last = (math.log10(low), math.log10(high)) if logarithmic else (low, high)
    step = 2.0 ** math.ceil(math.log2((last - first) / max(most - 2, 1)))
    inner = [k * step for k in range(math.floor(first / step) + 1, math.ceil(last / step))]
    inside = [10.0**x for x in inner] if logarithmic else inner
    return sorted({low, *map(_rounded, inside), high})


def _rounded(x: float) -> float:
    return float(f"{x:.{_DIGITS}g}")
