"""Two independent sets of points a label: what they differ by is the error, and says where more are due."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Bools, Integers
from hermite_analytics.label.moments import EstimatedMoments, Moments, from_whitened

__all__ = ["ENOUGH", "Averages", "Estimate", "from_two_sets", "pooled", "with_noise"]

ENOUGH = 0.01  # half of what the means of two sets differ by in a coordinate, in standard deviations of V


class Averages(NamedTuple):
    """Of u = L^-1 (z - omega) given each of n labels.

    Attributes
    ----------
    log_z : ndarray, shape (n,)
    mean : ndarray, shape (n, q)
    second : ndarray, shape (n, q, q)
        Less the mean times itself it is the covariance.
    error : ndarray, shape (n, q)
        Of the mean: a draw of it, or a bound.
    """

    log_z: Array
    mean: Array
    second: Array
    error: Array

    @classmethod
    def unknown(cls, n: int, q: int) -> Averages:
        """Room for them: no numbers yet."""
        return cls(*(np.full((n, *(q,) * power), np.nan) for power in (0, 1, 2, 1)))

    def put(self, rows: Integers | slice, found: Averages) -> None:
        """What is found of some labels."""
        for place, value in zip(self, found, strict=True):
            place[rows] = value

    def moments(self, factor: Array, kept: Integers | slice, drawn: Bools) -> EstimatedMoments:
        """Those of some coordinates, V = L L^T; an error of g where labels are possible."""
        log_z, g, minus_dg = from_whitened(self.log_z, self.mean, self.second, factor)
        error = np.where(np.isfinite(log_z)[:, None], self.error @ np.linalg.inv(factor), 0.0)
        found = Moments(log_z=log_z, g=g[:, kept], minus_dg=minus_dg[:, kept][:, :, kept])
        return EstimatedMoments(found, error[:, kept], drawn)


Estimate = Callable[[Integers, int, int], tuple[Array, Array, Array]]
"""(rows, set 0 or 1, binary logarithm of its points) to log Z and the means of u and u u^T of these rows."""


def from_two_sets(
    estimate: Estimate, rows: Integers, logarithms: tuple[int, int], at_once: int, q: int
) -> Averages:
    """Both sets together, doubled from the first logarithm to the second where they differ too much.

    Parameters
    ----------
    at_once : int
        Points at a time.
    """
    found = Averages.unknown(len(rows), q)
    left = np.arange(len(rows))
    for logarithm in range(logarithms[0], logarithms[1] + 1):
        step = max(1, at_once >> logarithm)
        for part in (left[k : k + step] for k in range(0, len(left), step)):
            sets = (estimate(rows[part], k, logarithm) for k in range(2))
            found.put(part, pooled(*sets))
        left = left[~(np.abs(found.error[left]).max(axis=1) <= ENOUGH) | ~np.isfinite(found.log_z[left])]
        if not len(left):
            break
    return found


def with_noise(omega: Array, variance: Array, hidden: int) -> tuple[Array, Array]:
    """Omega and V with coordinates of noise behind them, of which nothing is ever known.

    Examples
    --------
    >>> with_noise(np.array([[0.5]]), np.array([[0.25]]), 1)
    (array([[0.5, 0. ]]), array([[0.25, 0.  ],
           [0.  , 1.  ]]))
    """
    q = len(variance)
    whole = np.eye(q + hidden)
    whole[:q, :q] = variance
    return np.pad(omega, ((0, 0), (0, hidden))), whole


def pooled(one: tuple[Array, Array, Array], two: tuple[Array, Array, Array]) -> Averages:
    """Of two sets alike; half of the difference of the means has the variance of the mean of both.

    So its square is what the square of that mean is too large by: it is added to `second`.

    Examples
    --------
    >>> part = [(np.zeros(1), np.full((1, 1), x), np.ones((1, 1, 1))) for x in (0.25, 0.75)]
    >>> found = pooled(*part)
    >>> [float(x[0, 0]) for x in found[1:2]], float(found.second[0, 0, 0]), float(found.error[0, 0])
    ([0.5], 1.0625, -0.25)
    """
    top = np.maximum(one[0], two[0])
    top = np.where(np.isfinite(top), top, 0.0)
    a, b = (np.exp(part[0] - top) for part in (one, two))
    total = a + b
    a, b = (part / np.where(total > 0, total, 1.0) for part in (a, b))
    # beside a set without points, half of what the other one is from omega
    error = 0.5 * (one[1] - two[1])
    with np.errstate(divide="ignore"):
        log_z = np.log(0.5 * total) + top
    second = a[:, None, None] * one[2] + b[:, None, None] * two[2]
    return Averages(
        log_z=log_z,
        mean=a[:, None] * one[1] + b[:, None] * two[1],
        second=second + error[:, :, None] * error[:, None, :],
        error=error,
    )
