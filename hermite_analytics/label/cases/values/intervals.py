"""Probabilities of intervals for Gaussian variables, with all digits in both tails."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

__all__ = ["between", "density", "distances", "interval_probabilities"]

Array = NDArray[np.float64]


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
    nothing, all_of_it = np.zeros((len(x), 1)), np.ones((len(x), 1))
    below = np.hstack([nothing, ndtr(x), all_of_it])
    above = np.hstack([all_of_it, ndtr(-x), nothing])
    p = np.diff(below, axis=1)
    np.copyto(p[:, 1:], (above[:, :-1] - above[:, 1:])[:, 1:], where=x > 0)
    return np.asarray(p)


def density(x: Array, variance: float) -> Array:
    """Of N(0, variance)."""
    return np.asarray(np.exp(-0.5 * x * x / variance) / math.sqrt(2 * math.pi * variance))
