"""Probabilities of intervals for Gaussian variables, with all digits in both tails."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from hermite_analytics.foundation.numpy_arrays import Array, Bools
from hermite_analytics.foundation.panels import panel_rule

__all__ = [
    "between",
    "density",
    "distances",
    "far_from",
    "interval_moments",
    "interval_probabilities",
    "interval_probability",
    "tail_moments",
]

_FAR = 6.0  # standard deviations from which moments are those of tails
_DECAYED = 40.0  # the logarithm by which a tail has fallen where it is cut
_PANELS = (0.0, 0.25, 0.6, 1.0), 16  # of a tail up to there, and nodes of each
_AT_ONCE = 2**18  # nodes


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


def far_from(low: Array, high: Array, weights: Array) -> Bools:
    """In which rows of intervals, shape (n, k), all that have a weight lie in the tails of N(0, 1)."""
    nearest = np.where(weights > 0, np.maximum(low, -high), np.inf)
    return np.asarray(nearest.min(axis=1, initial=np.inf) > _FAR)


def tail_moments(low: Array, high: Array, weights: Array) -> tuple[Array, Array, Array]:
    """(log Z, E[w], 1 - Var(w)) of w ~ N(0, 1) on weighted intervals in its tails, where Z may underflow.

    A tail falls by exp(-a t - t^2/2) at the distance t from its end a: panels to where that is nothing.

    Parameters
    ----------
    low, high : ndarray, shape (n, k)
    weights : ndarray, shape (n, k)
        Of the intervals. Where none is above 0, log Z is -inf, and the others are 0.

    Examples
    --------
    >>> one = np.ones((1, 1))
    >>> log_z, mean, _ = tail_moments(600 * one, np.inf * one, one)
    >>> round(float(log_z[0]), 9), round(float(mean[0]), 9)  # 1/600 - 2/600^3 from the end
    (-180007.315870966, 600.001666657)
    """
    together = max(1, _AT_ONCE // max(1, low.shape[1] * _PANELS[1] * (len(_PANELS[0]) - 1)))
    parts = [
        _in_tails(low[a : a + together], high[a : a + together], weights[a : a + together])
        for a in range(0, len(low), together)
    ]
    log_z, mean, lost = (np.concatenate(column) for column in zip(*parts, strict=True))
    return log_z, mean, lost


def _in_tails(low: Array, high: Array, weights: Array) -> tuple[Array, Array, Array]:
    x, w = panel_rule(*_PANELS)
    taken = weights > 0
    possible = taken.any(axis=1)
    end = np.where(taken, np.maximum(low, -high), 1.0)
    reach = np.minimum(np.where(taken, high - low, 1.0), _DECAYED / end)
    heads = np.where(taken, np.log(np.where(taken, weights, 1.0) * reach) - 0.5 * end * end, -np.inf)
    top = np.where(possible, heads.max(axis=1, initial=-np.inf), 0.0)
    t = reach[..., None] * x
    p = w * np.exp((heads - top[:, None])[..., None] - t * (end[..., None] + 0.5 * t))
    total = np.where(possible, p.sum(axis=(1, 2)), 1.0)
    p /= total[:, None, None]
    places = np.where(low > 0, 1.0, -1.0)[..., None] * (end[..., None] + t)
    mean = (p * places).sum(axis=(1, 2))
    spread = (p * (places - mean[:, None, None]) ** 2).sum(axis=(1, 2))
    log_z = np.where(possible, top + np.log(total) - 0.5 * math.log(2 * math.pi), -np.inf)
    return log_z, mean, np.where(possible, 1 - spread, 0.0)


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
