"""Scrambled Sobol points of the variables of a training row."""

from __future__ import annotations

import functools

import numpy as np
from scipy.special import ndtri

from hermite_analytics.foundation.numpy_arrays import Array

__all__ = ["gaussian_sample"]

_STRETCH = 1.4  # of z: labels are often polynomials, whose tails matter
_EDGE = 1e-16
_MOST_KEPT = 2**19  # numbers of a sample that the next point of a curve finds again
_SAMPLES_KEPT = 32  # errors on fresh samples take up to 24, in turn


def gaussian_sample(
    stretched: int, plain: int, uniform: int, logarithm: int, seed: list[int]
) -> tuple[Array, Array, Array]:
    """2**logarithm weighted points.

    Parameters
    ----------
    stretched, plain, uniform : int
        Variables N(0, 1) drawn from N(0, 1.4^2), those drawn as they are, and uniform ones.

    Returns
    -------
    normals : ndarray, shape (stretched + plain, n)
    weights : ndarray, shape (n,)
        Their sum is 1.
    uniforms : ndarray, shape (uniform, n)
    """
    make = _kept if stretched + plain + uniform << logarithm <= _MOST_KEPT else _made
    return make(stretched, plain, uniform, logarithm, tuple(seed))


def _made(
    stretched: int, plain: int, uniform: int, logarithm: int, seed: tuple[int, ...]
) -> tuple[Array, Array, Array]:
    from scipy.stats import qmc  # slow to load

    rng = np.random.default_rng([*seed, logarithm])
    points = qmc.Sobol(stretched + plain + uniform, scramble=True, rng=rng).random_base2(logarithm).T
    normals = np.asarray(ndtri(np.clip(points[: stretched + plain], _EDGE, 1.0 - _EDGE)))
    narrow = normals[:stretched]
    weights = np.exp(-0.5 * (_STRETCH**2 - 1.0) * np.sum(narrow**2, axis=0))
    narrow *= _STRETCH
    found = normals, weights / weights.sum(), points[stretched + plain :]
    for values in found:
        values.flags.writeable = False
    return found


_kept = functools.lru_cache(maxsize=_SAMPLES_KEPT)(_made)
