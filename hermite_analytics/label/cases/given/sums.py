"""Sums over nodes of rows."""

from __future__ import annotations

import math

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Bools
from hermite_analytics.label.compiled import compiled

__all__ = ["weighted"]

_LEAST = 40.0  # logarithm below the largest that is left out


@compiled
def weighted(
    log_p: Array, u: Array, moved: Array, along: Array, used: Bools
) -> tuple[Array, Array, Array, Array]:
    """log of the sum of p over nodes that are used, the means of x = (u, moved) and of x x^T - along along^T.

    The last is how many nodes of equal p would say as much, (sum p)^2/sum p^2.

    Parameters
    ----------
    log_p : ndarray, shape (n, nodes)
    u : ndarray, shape (n, nodes, k)
    moved, along : ndarrays, shape (n, nodes, q - k)
        `along` is of the last q - k coordinates.
    used : ndarray, shape (nodes,)
    """
    n, count = log_p.shape
    k, m = u.shape[2], moved.shape[2]
    q = k + m
    log_z, mean, second = np.full(n, -np.inf), np.zeros((n, q)), np.zeros((n, q, q))
    equal = np.zeros(n)
    x = np.empty(q)
    for row in range(n):
        top, total, squares = -np.inf, 0.0, 0.0
        for j in range(count):
            if used[j] and log_p[row, j] > top:
                top = log_p[row, j]
        if top == -np.inf:
            continue
        for j in range(count):
            if not used[j] or not log_p[row, j] > top - _LEAST:
                continue
            p = math.exp(log_p[row, j] - top)
            total += p
            squares += p * p
            for i in range(k):
                x[i] = u[row, j, i]
            for i in range(m):
                x[k + i] = moved[row, j, i]
            for i in range(q):
                mean[row, i] += p * x[i]
                for h in range(i + 1):
                    second[row, i, h] += p * x[i] * x[h]
                    if h >= k:
                        second[row, i, h] -= p * along[row, j, i - k] * along[row, j, h - k]
        log_z[row] = math.log(total) + top
        equal[row] = total * total / squares
        for i in range(q):
            mean[row, i] /= total
            for h in range(i + 1):
                second[row, i, h] /= total
                second[row, h, i] = second[row, i, h]
    return log_z, mean, second, equal
