"""Where a label is nearest to omega in the metric of V."""

from __future__ import annotations

import math

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Function

__all__ = ["gradients", "nearest"]

_DIFFERENCE = 1e-6
_STEPS = 6
_PLAIN = 2  # of these
_DAMPED = 0.6  # share of a step after them
_FAR = 30.0  # standard deviations


def gradients(value: Function, w: Array, factor: Array) -> Array:
    """In u, w = omega + L u, at points of shape (n, q): differences."""
    steps = _DIFFERENCE * factor.T
    with np.errstate(divide="ignore", invalid="ignore"):  # labels may be infinite there
        found = np.stack([value(w + step) - value(w - step) for step in steps], axis=1)
    return np.asarray(found / (2 * _DIFFERENCE))


def nearest(value: Function, labels: Array, omega: Array, factor: Array) -> tuple[Array, Array]:
    """(unit vectors along the gradient at the nearest u with the label, |u|), about; one of several.

    Source: Rackwitz and Fiessler, Comput. Struct. 9 (1978) 489, structural reliability. A step takes u to
    where the tangent plane has the label; from the third on they are damped, and the last one is the end.

    Examples
    --------
    >>> direction, length = nearest(lambda w: w.sum(-1), np.array([6.0]), np.zeros((1, 4)), np.eye(4))
    >>> direction.round(6).tolist(), length.round(6).tolist()
    ([[0.5, 0.5, 0.5, 0.5]], [3.0])
    """
    n, q = omega.shape
    u, direction = np.zeros((n, q)), np.full((n, q), 1 / math.sqrt(q))
    for step in range(_STEPS):
        w = omega + u @ factor.T
        gradient = gradients(value, w, factor)
        size = np.linalg.norm(gradient, axis=1)
        known = (size > 0) & (size < np.inf)
        size = np.where(known, size, 1.0)
        direction = np.where(known[:, None], gradient / size[:, None], direction)
        with np.errstate(invalid="ignore", over="ignore"):
            off = (labels - value(w)) / size
        length = (direction * u).sum(axis=1) + np.where(np.isfinite(off), off, 0.0)
        moved = np.clip(length, -_FAR, _FAR)[:, None] * direction - u
        u = u + (1.0 if step < _PLAIN else _DAMPED) * moved
    return direction, np.linalg.norm(u, axis=1)
