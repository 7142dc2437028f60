"""Averages over a law on u that is known up to its total, by Sobol points near where it is.

Each row has a law of its own. Points are drawn from N(0, I) and from a Gaussian with the mean and covariance
of the law, half of them each, and weighed with the density of both together. These are found step by step,
from N(0, I) on: weights are taken to a power that leaves a tenth of the points with weight.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Integers
from hermite_analytics.label.cases.sampled.points import shifted_points

__all__ = ["Law", "importance_points", "proposals"]

Law = Callable[[Integers, Array], Array]
"""The logarithm of the law of rows at points of each, shape (rows, points, q)."""

_PILOT = 9  # binary logarithm of the points of a step
_STEPS = 8
_EVEN = 0.1  # of the points, that have weight
_HALVINGS = 30
_WIDER = 1.3  # standard deviations of the Gaussian, than those of the law
_RIDGE = 1e-8


def proposals(law: Law, rows: Integers, shifts: Array, seed: int) -> tuple[Array, Array]:
    """(means, factors L of the covariances L L^T) of the Gaussians, shapes (rows, q) and (rows, q, q)."""
    q = shifts.shape[1] // 2
    centre, factor = np.zeros((len(rows), q)), np.tile(np.eye(q), (len(rows), 1, 1))
    left = np.arange(len(rows))
    for step in range(_STEPS):
        x, log_q = importance_points(centre[left], factor[left], shifts[left], _PILOT, seed + step)
        log_w = law(rows[left], x) - log_q
        share, w = _tempered(log_w)
        centre[left] = np.einsum("nk,nki->ni", w, x)
        moved = x - centre[left][:, None, :]
        covariance = np.einsum("nk,nki,nkj->nij", w, moved, moved, optimize=True)
        factor[left] = np.linalg.cholesky(_WIDER**2 * covariance + _RIDGE * np.eye(q))
        left = left[share < 1]
        if not len(left):
            break
    return centre, factor


def importance_points(
    centre: Array, factor: Array, shifts: Array, logarithm: int, seed: int
) -> tuple[Array, Array]:
    """(2^logarithm points of each row, the logarithm of the density that they are drawn from)."""
    q = centre.shape[1]
    plain = shifted_points(shifts[:, :q], logarithm - 1, seed)
    own = shifted_points(shifts[:, q:], logarithm - 1, seed)
    own = centre[:, None, :] + own @ factor.transpose(0, 2, 1)
    x = np.concatenate([plain, own], axis=1)
    inside = (x - centre[:, None, :]) @ np.linalg.inv(factor).transpose(0, 2, 1)
    size = np.log(np.diagonal(factor, axis1=1, axis2=2)).sum(axis=1)
    two = -0.5 * (x * x).sum(axis=-1), -0.5 * (inside * inside).sum(axis=-1) - size[:, None]
    return x, np.logaddexp(*two) + math.log(0.5) - 0.5 * q * math.log(2 * math.pi)


def _tempered(log_w: Array) -> tuple[Array, Array]:
    """(the largest share b <= 1, weights w^b), with weights on a tenth of the points at least."""
    top = log_w.max(axis=1, keepdims=True)
    log_w = np.where(np.isfinite(top), log_w - np.where(np.isfinite(top), top, 0.0), 0.0)  # no law: as it was
    low, high = np.zeros(len(log_w)), np.ones(len(log_w))
    share = high
    for _ in range(_HALVINGS):
        w = np.exp(share[:, None] * log_w)
        even = w.sum(axis=1) ** 2 >= _EVEN * log_w.shape[1] * (w * w).sum(axis=1)
        low, high = np.where(even, share, low), np.where(even, high, share)
        if (low == 1).all():
            break
        share = np.where(low == 1, 1.0, 0.5 * (low + high))
    w = np.exp(low[:, None] * log_w)
    return low, w / w.sum(axis=1, keepdims=True)
