"""Probabilities of intervals for Gaussian variables, with all digits in both tails."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "between",
    "density",
    "distances",
    "interval_moments",
    "interval_probabilities",
    "interval_probability",
]

Array = NDArray[np.float64]


def interval_probability(low: float, high: float) -> float:
    """P(low < w < high) for w ~ N(0, 1)."""
    return float(interval_moments(np.float64(low), np.float64(high))[0])


def interval_moments(low: ArrayLike, high: ArrayLike) -> tuple[Array, Array, Array]:
    """E[(1, w, w^2 - 1) 1{low < w < high}] for w ~ N(0, 1), ends of any one shape.

    These are P and its first two derivatives when both ends move to the left.

    Examples
    --------
    >>> [float(x) for x in interval_moments(0.0, np.inf)]
    [0.5, 0.3989422804014327, 0.0]
    """
    from scipy.special import ndtr

    low, high = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    flip = low > 0
    p = ndtr(np.where(flip, -low, high)) - ndtr(np.where(flip, -high, low))
    at_low, at_high = density(low, 1.0), density(high, 1.0)
    edge_low, edge_high = (np.where(np.isinf(x), 0.0, x) * f for x, f in ((low, at_low), (high, at_high)))
    return p, at_low - at_high, edge_low - edge_high


def interval_probabilities(edges: Array, omega: Array, variance: float) -> tuple[Array, Array]:
    """P(w in each interval between edges) for w ~ N(omega, V), with the derivative in omega.

    Each of shape (number of omega, m + 1) for m edges.
    """
    size = math.sqrt(variance)
    x = distances(edges, omega, size)
    nothing = np.zeros((len(omega), 1))
    at_ends = np.hstack([nothing, density(x, 1.0), nothing])
    return between(x), -np.diff(at_ends, axis=1) / size


def distances(edges: Array, mean: Array, size: float) -> Array:
    """Of the edges from each mean, in standard deviations, shape (n, edges)."""
    return np.asarray((edges - mean[:, None]) / size)


def between(x: Array) -> Array:
    """P(N(0, 1) in each interval) between edges, shape (n, m + 1), on the side of the small tail."""
    from scipy.special import ndtr

    nothing, all_of_it = np.zeros((len(x), 1)), np.ones((len(x), 1))
    below = np.hstack([nothing, ndtr(x), all_of_it])
    above = np.hstack([all_of_it, ndtr(-x), nothing])
    p = np.diff(below, axis=1)
    np.copyto(p[:, 1:], (above[:, :-1] - above[:, 1:])[:, 1:], where=x > 0)
    return np.asarray(p)


def density(x: Array, variance: float) -> Array:
    """Of N(0, variance)."""
    return np.asarray(np.exp(-0.5 * x * x / variance) / math.sqrt(2 * math.pi * variance))
