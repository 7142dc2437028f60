"""Scrambled Sobol points of N(0, I)."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

__all__ = ["gaussian_points", "scrambled_points"]

Array = NDArray[np.float64]

_EDGE = 1e-12


def scrambled_points(dimension: int, logarithm: int, seed: int) -> Array:
    """2**logarithm points of N(0, I) from a scrambled Sobol sequence."""
    from scipy.stats import qmc  # slow to load

    rng = np.random.default_rng([seed, dimension, logarithm])
    uniform = qmc.Sobol(dimension, scramble=True, rng=rng).random_base2(logarithm)
    return np.asarray(ndtri(np.clip(uniform, _EDGE, 1 - _EDGE)))


@functools.lru_cache(maxsize=64)
def gaussian_points(dimension: int, logarithm: int, seed: int) -> Array:
    """The same for those who ask again, read-only."""
    points = scrambled_points(dimension, logarithm, seed)
    points.flags.writeable = False
    return points
