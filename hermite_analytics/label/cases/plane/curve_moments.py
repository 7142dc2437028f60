"""Moments of N(omega, V) on level curves.

Where it is narrow, arcs near omega are halved until they are short in its standard deviations.
"""

from __future__ import annotations

import math

import numpy as np

from hermite_analytics.foundation import threads
from hermite_analytics.foundation.numpy_arrays import Array, Integers
from hermite_analytics.label.cases.plane.level_curves import HALVINGS, LevelCurves, arc_rule
from hermite_analytics.label.compiled import compiled
from hermite_analytics.label.moments import Moments, from_whitened

__all__ = ["moments_on_curves"]

_LONGEST = 3.0  # of an arc, in standard deviations of N(omega, V)
_BELOW = 42.0  # logarithm below the largest term that is left out


def moments_on_curves(curves: LevelCurves, chosen: Integers, omega: Array, variance: Array) -> Moments:
    """Moments of each sample on the level curve of its label.

    Parameters
    ----------
    curves : LevelCurves
    chosen : ndarray of int, shape (n,)
        The curve of each sample.
    omega : ndarray, shape (n, 2)
    variance : ndarray, shape (2, 2)
        Positive definite.
    """
    factor = np.asarray(np.linalg.cholesky(variance), dtype=np.float64)
    inverse = np.asarray(np.linalg.inv(factor), dtype=np.float64)
    log_weights, halves = arc_rule()
    log_z, sums = np.empty(len(chosen)), np.empty((len(chosen), 5))

    def evaluate(part: slice) -> None:
        _curve_sums(
            curves.starts,
            curves.points,
            curves.log_density,
            chosen[part],
            omega[part],
            inverse,
            log_weights,
            halves,
            log_z[part],
            sums[part],
        )

    threads.in_threads(evaluate, threads.halves(len(chosen)))
    log_z -= math.log(2 * math.pi) + float(np.log(np.diag(factor)).sum())
    return from_whitened(log_z, sums[:, :2], sums[:, [[2, 3], [3, 4]]], factor)


@compiled
def _curve_sums(
    starts: Integers,
    points: Array,
    log_density: Array,
    chosen: Integers,
    omega: Array,
    inverse: Array,
    log_weights: Array,
    halves: Array,
    log_z: Array,
    sums: Array,
) -> None:
    """log sum, and the averages of u, u u^T in units of the standard deviations, u = L^-1 (z - omega)."""
    n = points.shape[1]
    stack = np.empty((2 * HALVINGS + 4, n, 3))
    level = np.empty(2 * HALVINGS + 4, dtype=np.int64)
    s = np.empty(6)
    for i in range(len(chosen)):
        first, last = starts[chosen[i]], starts[chosen[i] + 1]
        nearest, least = first, np.inf
        for a in range(first, last):
            for k in range(n):
                d0, d1 = points[a, k, 0] - omega[i, 0], points[a, k, 1] - omega[i, 1]
                u0, u1 = inverse[0, 0] * d0, inverse[1, 0] * d0 + inverse[1, 1] * d1
                distance = u0 * u0 + u1 * u1
                if distance < least:
                    nearest, least = a, distance
        top = -np.inf
        s[:] = 0.0
        for order in range(first, last):
            # the nearest arc first: its terms say which others may be left out
            a = nearest if order == first else (first if order == nearest else order)
            for k in range(n):
                d0, d1 = points[a, k, 0] - omega[i, 0], points[a, k, 1] - omega[i, 1]
                stack[0, k, 0] = inverse[0, 0] * d0
                stack[0, k, 1] = inverse[1, 0] * d0 + inverse[1, 1] * d1
                stack[0, k, 2] = log_density[a, k]
            level[0], depth = 0, 0
            while depth >= 0:
                depth, top = _take(stack, level, depth, top, s, log_weights, halves)
        if s[0] == 0.0:
            log_z[i] = -np.inf
            sums[i] = 0.0
            continue
        log_z[i] = top + math.log(s[0])
        for k in range(5):
            sums[i, k] = s[1 + k] / s[0]


@compiled
def _take(
    stack: Array, level: Integers, depth: int, top: float, s: Array, log_weights: Array, halves: Array
) -> tuple[int, float]:
    """Leave out, add or halve the arc on the stack; returns the new depth and the largest logarithm."""
    # one function on purpose: with its loops in functions of their own it takes 6 to 10 % longer
    arc = stack[depth]
    n = arc.shape[0]
    length, widest, nearest, most = 0.0, 0.0, np.inf, -np.inf
    for k in range(n):
        if k > 0:
            gap = math.hypot(arc[k, 0] - arc[k - 1, 0], arc[k, 1] - arc[k - 1, 1])
            length, widest = length + gap, max(widest, gap)
        nearest = min(nearest, math.hypot(arc[k, 0], arc[k, 1]))
        most = max(most, arc[k, 2])
    scale = -level[depth] * math.log(2.0)
    reach = max(0.0, nearest - widest)
    if most + scale - 0.5 * reach * reach < top - _BELOW:
        return depth - 1, top
    if length <= _LONGEST or level[depth] >= HALVINGS:
        for k in range(n):
            u0, u1 = arc[k, 0], arc[k, 1]
            log_term = arc[k, 2] + scale + log_weights[k] - 0.5 * (u0 * u0 + u1 * u1)
            if log_term > top:
                shrink = math.exp(top - log_term)
                for j in range(6):
                    s[j] *= shrink
                top = log_term
            term = math.exp(log_term - top)
            s[0] += term
            s[1] += term * u0
            s[2] += term * u1
            s[3] += term * u0 * u0
            s[4] += term * u0 * u1
            s[5] += term * u1 * u1
        return depth - 1, top
    near = 0 if math.hypot(arc[0, 0], arc[0, 1]) < math.hypot(arc[n - 1, 0], arc[n - 1, 1]) else 1
    whole = arc.copy()
    for part in range(2):
        half = halves[near if part == 1 else 1 - near]  # the nearer half on top
        child = stack[depth + part]
        for k in range(n):
            for j in range(3):
                total = 0.0
                for m in range(n):
                    total += half[k, m] * whole[m, j]
                child[k, j] = total
        level[depth + part] = level[depth] + 1 if part == 0 else level[depth]
    return depth + 1, top
