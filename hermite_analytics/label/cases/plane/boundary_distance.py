"""Compiled distances of boundaries in the plane, and halves of their arcs.

An arc has rows of its points and tangents, (w1, w2, w1', w2') or the same in u = L^-1 (w - omega), at its
ends and Gauss's nodes.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Integers
from hermite_analytics.label.compiled import compiled

__all__ = ["HALVINGS", "Arcs", "Gaussian", "Room", "gap", "halve", "nearest_of", "whiten"]

HALVINGS = 48  # of an arc
_SURE = 4.0  # by which the logarithm of the largest density on a boundary may be off


class Arcs(NamedTuple):
    """Arcs between regions.

    Attributes
    ----------
    rows : ndarray, shape (a, n + 2, 4)
        (w1, w2, w1', w2') at ends and Gauss's nodes.
    circles : ndarray, shape (a, 3)
        Discs (centre, radius) around.
    left, right : ndarray of int, shape (a,)
        Labels on either side.
    halves : ndarray, shape (2, n + 2, n)
        From values at the nodes to those of each half.
    weights : ndarray, shape (n,)
        Of Gauss's rule.
    """

    rows: Array
    circles: Array
    left: Integers
    right: Integers
    halves: Array
    weights: Array


class Gaussian(NamedTuple):
    """N(omega, L L^T) for some omega: L^-1, and 1/|L|."""

    inverse: Array
    least: float


class Room(NamedTuple):
    """For halves of an arc: rows in u, and how often each is halved."""

    stack: Array
    level: Integers


@compiled
def nearest_of(arcs: Arcs, which: Integers, omega: Array, law: Gaussian, room: Room) -> float:
    """Distance of some arcs from omega, in standard deviations, so that e^{-d^2/2} is right to e^_SURE.

    At a small V the nodes alone are too far apart: arcs are halved where their chords do not tell.
    """
    stack, level, found = room.stack, room.level, np.inf
    for a in which:
        if gap(arcs.circles[a], omega) * law.least > found:
            continue
        whiten(arcs.rows[a], omega, law.inverse, stack[0])
        for k in range(stack.shape[1]):
            found = min(found, math.hypot(stack[0, k, 0], stack[0, k, 1]))
    for a in which:
        if gap(arcs.circles[a], omega) * law.least > found:
            continue
        whiten(arcs.rows[a], omega, law.inverse, stack[0])
        level[0], depth = 0, 0
        while depth >= 0:
            near, bulge = _chords(stack[depth])
            if near - bulge < found and near * bulge > _SURE and level[depth] < HALVINGS:
                depth = halve(room, depth, arcs.halves)
                continue
            found = min(found, near)
            depth -= 1
    return found


@compiled
def _chords(arc: Array) -> tuple[float, float]:
    """(the distance of 0 from the chords between the nodes of an arc, how far these are from it)."""
    near, bulge = np.inf, 0.0
    for k in range(arc.shape[0] - 1):
        a0, a1 = arc[k, 0], arc[k, 1]
        e0, e1 = arc[k + 1, 0] - a0, arc[k + 1, 1] - a1
        place = min(max(-(a0 * e0 + a1 * e1) / max(e0 * e0 + e1 * e1, 1e-300), 0.0), 1.0)
        near = min(near, math.hypot(a0 + place * e0, a1 + place * e1))
        if k > 0:
            c0, c1 = arc[k + 1, 0] - arc[k - 1, 0], arc[k + 1, 1] - arc[k - 1, 1]
            bulge = max(bulge, abs(c0 * e1 - c1 * e0) / max(math.hypot(c0, c1), 1e-300))
    return near, bulge


@compiled
def gap(circle: Array, omega: Array) -> float:
    """Distance of a point from a disc, 0 within."""
    return max(0.0, float(math.hypot(circle[0] - omega[0], circle[1] - omega[1]) - circle[2]))


@compiled
def whiten(arc: Array, omega: Array, inverse: Array, out: Array) -> None:
    """Points and tangents of an arc in u."""
    for k in range(arc.shape[0]):
        w0, w1 = arc[k, 0] - omega[0], arc[k, 1] - omega[1]
        out[k, 0], out[k, 1] = inverse[0, 0] * w0, inverse[1, 0] * w0 + inverse[1, 1] * w1
        w0, w1 = arc[k, 2], arc[k, 3]
        out[k, 2], out[k, 3] = inverse[0, 0] * w0, inverse[1, 0] * w0 + inverse[1, 1] * w1


@compiled
def halve(room: Room, depth: int, halves: Array) -> int:
    """Replace the arc on the stack by its halves."""
    stack, level = room.stack, room.level
    n = stack.shape[1]
    whole = stack[depth, 1 : n - 1].copy()
    for part in range(2):
        for k in range(n):
            for d in range(4):
                total = 0.0
                for m in range(n - 2):
                    total += halves[part, k, m] * whole[m, d]
                stack[depth + part, k, d] = total if d < 2 else 0.5 * total
    level[depth + 1] = level[depth] = level[depth] + 1
    return depth + 1
