"""Arguments and results of printed functions; the text goes into standalone files."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["as_arrays", "guarded"]

Array = NDArray[np.float64]


def as_arrays(*values: ArrayLike, shape: tuple[int, ...] = ()) -> tuple[Array, ...]:
    """Numbers and arrays as arrays of float64, broadcast against each other (and to a shape)."""
    arrays = [np.asarray(value, dtype=np.float64) for value in values]
    common = np.broadcast_shapes(shape, *(a.shape for a in arrays))
    return tuple(np.broadcast_to(a, common) for a in arrays)


def guarded(safe: Array, value: Array, fallback: Callable[[], Array]) -> Array:
    """`value` where it has not lost its digits, else the fallback, computed only if it is needed."""
    return value if np.all(safe) else np.where(safe, value, fallback())
