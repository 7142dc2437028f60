"""Arguments of loops over points: arrays, or numbers that are the same at every point."""

from __future__ import annotations

import numpy as np
from numba import types
from numba.extending import overload

from hermite_analytics.foundation.arrays import Floats

__all__ = ["at", "part"]


def at(values: Floats | float, i: int) -> float:
    """values[i], or the number itself: the compiler then computes what depends on it only once."""
    return values[i] if isinstance(values, np.ndarray) else values


@overload(at, inline="always")
def _compiled_at(values, i):  # type: ignore[no-untyped-def]  # numba compares these names with those below
    if isinstance(values, types.Array):
        return lambda values, i: values[i]
    return lambda values, i: values


def part(values: Floats | float, start: int, stop: int) -> Floats | float:
    """values[start:stop], or the number itself."""
    return values[start:stop] if isinstance(values, np.ndarray) else values


@overload(part, inline="always")
def _compiled_part(values, start, stop):  # type: ignore[no-untyped-def]
    if isinstance(values, types.Array):
        return lambda values, start, stop: values[start:stop]
    return lambda values, start, stop: values
