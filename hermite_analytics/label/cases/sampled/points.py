"""Scrambled Sobol points of N(0, I), and of the unit cube."""

from __future__ import annotations

import functools

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array

__all__ = ["gaussian_points", "scrambled_points", "shifted_points", "uniform_points"]

_EDGE = 1e-12


def scrambled_points(dimension: int, logarithm: int, seed: int) -> Array:
    """2**logarithm points of N(0, I) from a scrambled Sobol sequence."""
    return _normal(uniform_points(dimension, logarithm, seed))


@functools.lru_cache(maxsize=64)
def gaussian_points(dimension: int, logarithm: int, seed: int) -> Array:
    """The same for those who ask again, read-only."""
    points = scrambled_points(dimension, logarithm, seed)
    points.flags.writeable = False
    return points


def shifted_points(shifts: Array, logarithm: int, seed: int) -> Array:
    """2**logarithm points of N(0, I) for each row of shifts, shape (n, points, dimension).

    The points of one sequence, moved in the unit cube around its edges: those of two rows are independent, so
    that their errors are too.

    Parameters
    ----------
    shifts : ndarray, shape (n, dimension)
        Uniform on [0, 1).
    """
    points = _sequence(shifts.shape[1], logarithm, seed)
    return _normal((points + shifts[:, None, :]) % 1.0)


def uniform_points(dimension: int, logarithm: int, seed: int) -> Array:
    """2**logarithm points of the unit cube from a scrambled Sobol sequence."""
    from scipy.stats import qmc  # slow to load

    rng = np.random.default_rng([seed, dimension, logarithm])
    return np.asarray(qmc.Sobol(dimension, scramble=True, rng=rng).random_base2(logarithm))


_sequence = functools.lru_cache(maxsize=64)(uniform_points)


def _normal(uniform: Array) -> Array:
    from scipy.special import ndtri

    return np.asarray(ndtri(np.clip(uniform, _EDGE, 1 - _EDGE)))
