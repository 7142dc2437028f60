"""Compiled integrals of a Gaussian over regions of the plane, as sums over the arcs around them.

With u = L^-1 (w - omega), theta its angle and n the outer normal of a region R,

    P(R) = 1{omega in R} - 1/(2 pi) int e^{-|u|^2/2} d theta,
    E[u 1_R] = -int n N(u) ds,    E[u u^T 1_R] = P(R) I - int n u^T N(u) ds :

the theorem of Gauss for the field u e^{-|u|^2/2}/|u|^2, whose divergence is that of a Gaussian density but
for a point mass at 0. Near omega the angle of an arc is taken apart, e^{-x} = 1 - (1 - e^{-x}): what is left
is smooth.
"""

from __future__ import annotations

import math

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Bools, Integers
from hermite_analytics.foundation.panels import unit_rule
from hermite_analytics.label.cases.plane.boundaries import NODES, Boundaries, interpolation
from hermite_analytics.label.cases.plane.boundary_distance import (
    HALVINGS,
    Arcs,
    Gaussian,
    Room,
    gap,
    halve,
    nearest_of,
    whiten,
)
from hermite_analytics.label.compiled import compiled

__all__ = ["REACH", "all_sums", "arcs_of", "gaussian", "region_sums"]

REACH = 9.2  # standard deviations from omega that matter
_LONGEST = 2.0  # arc, in standard deviations
_NEAR = 2.0  # distance below which the angle of an arc is taken apart
_FAR = 4.0  # distance from which a region that does not contain omega keeps its digits
_FALL = 10.0  # of the logarithm of the density on an arc, where it is in a tail
_TOUCHING = 1e-9  # distance, in standard deviations, at which the side of an arc is not clear
_SKIP, _HALVE, _WHOLE, _ANGLE, _UNCLEAR = range(5)
_GAUSS, _WEIGHTS = unit_rule(NODES)
_PLACES = np.concatenate([[0.0], _GAUSS, [1.0]])  # ends and Gauss's nodes
_HALVES = np.array([interpolation(0.5 * (_PLACES + k)) for k in range(2)])
_POINTS, _TANGENTS = interpolation(_PLACES), interpolation(_PLACES, derivative=True)


def arcs_of(boundaries: Boundaries) -> Arcs:
    """Arcs with tangents at ends and nodes, and discs around them."""
    points = boundaries.points
    rows = np.concatenate([_POINTS @ points, _TANGENTS @ points], axis=2)
    centres = 0.5 * (rows[..., :2].max(1) + rows[..., :2].min(1))
    radii = np.linalg.norm(rows[..., :2] - centres[:, None], axis=2).max(1)
    circles = np.column_stack([centres, 1.1 * radii])
    return Arcs(rows, circles, boundaries.left, boundaries.right, _HALVES, _WEIGHTS)


def gaussian(factor: Array) -> Gaussian:
    """Of L, shape (2, 2)."""
    return Gaussian(np.asarray(np.linalg.inv(factor)), 1 / float(np.linalg.norm(factor, 2)))


@compiled
def _room(count: int) -> Room:
    return Room(np.empty((HALVINGS + 4, count, 4)), np.empty(HALVINGS + 4, dtype=np.int64))


@compiled
def region_sums(
    arcs: Arcs,
    codes: Integers,
    inside: Bools,
    omega: Array,
    law: Gaussian,
    sums: Array,
    logs: Array,
    unclear: Bools,
) -> None:
    """Integrals of 1, u1, u2, u1^2, u1 u2, u2^2 over the region of one label a sample.

    Parameters
    ----------
    codes, inside : ndarray, shape (n,)
        The label of each sample, and whether omega is in its region.
    omega : ndarray, shape (n, 2)
    law : Gaussian
    sums, logs, unclear : ndarrays, shapes (n, 6), (n,), (n,)
        For the integrals in units of exp(logs), and whether omega lies on an arc, and they are wrong.
    """
    left, right, room = arcs.left, arcs.right, _room(arcs.rows.shape[1])
    for i in range(len(codes)):
        scale = 0.0
        if not inside[i]:
            which = np.flatnonzero((left == codes[i]) | (right == codes[i]))
            nearest = nearest_of(arcs, which, omega[i], law, room)
            if nearest > _FAR:
                scale = 0.5 * nearest * nearest
        reach = math.sqrt(2.0 * scale + REACH * REACH)
        sums[i] = 0.0
        unclear[i] = False
        for a in range(len(arcs.rows)):
            if left[a] != codes[i] and right[a] != codes[i]:
                continue
            if gap(arcs.circles[a], omega[i]) * law.least < reach:
                sign = 1.0 if left[a] == codes[i] else -1.0
                if _take(arcs, a, omega[i], law, reach, scale, sign, room, sums[i]):
                    unclear[i] = True
        _close(sums[i], inside[i])
        logs[i] = -scale


@compiled
def all_sums(arcs: Arcs, home: Integers, omega: Array, law: Gaussian, sums: Array, unclear: Bools) -> None:
    """The same integrals over the regions of all labels, shape (n, k, 6); `home` is the label at omega.

    An arc adds to the label on its left what it takes from the one on its right.
    """
    left, right, room, part = arcs.left, arcs.right, _room(arcs.rows.shape[1]), np.empty(6)
    for i in range(len(omega)):
        sums[i] = 0.0
        unclear[i] = False
        for a in range(len(arcs.rows)):
            if gap(arcs.circles[a], omega[i]) * law.least >= REACH:
                continue
            part[:] = 0.0
            if _take(arcs, a, omega[i], law, REACH, 0.0, 1.0, room, part):
                unclear[i] = True
            for k in range(6):
                if left[a] >= 0:
                    sums[i, left[a], k] += part[k]
                if right[a] >= 0:
                    sums[i, right[a], k] -= part[k]
        for c in range(sums.shape[1]):
            _close(sums[i, c], home[i] == c)


@compiled
def _take(
    arcs: Arcs,
    a: int,
    omega: Array,
    law: Gaussian,
    reach: float,
    scale: float,
    sign: float,
    room: Room,
    s: Array,
) -> bool:
    """Add what an arc contributes; whether omega lies on it."""
    stack, level = room.stack, room.level
    whiten(arcs.rows[a], omega, law.inverse, stack[0])
    level[0], depth, unclear = 0, 0, False
    while depth >= 0:
        todo = _task(stack[depth], level[depth], reach, scale > 0.0)
        if todo == _HALVE:
            depth = halve(room, depth, arcs.halves)
            continue
        if todo == _UNCLEAR:
            unclear = True
        elif todo != _SKIP:
            _add(stack[depth], todo == _ANGLE, scale, sign, arcs.weights, s)
        depth -= 1
    return unclear


@compiled
def _close(s: Array, inside: bool) -> None:
    """From the sums over a boundary to those over its region."""
    s[0] = (1.0 if inside else 0.0) - s[0] / (2.0 * math.pi)
    s[3] += s[0]
    s[5] += s[0]


@compiled
def _task(arc: Array, level: int, reach: float, in_tail: bool) -> int:
    """What to do with an arc: leave it out, halve it, add it, or nothing as omega lies on it."""
    n = arc.shape[0]
    length, widest, nearest, farthest = 0.0, 0.0, np.inf, 0.0
    for k in range(n):
        if k > 0:
            gap = math.hypot(arc[k, 0] - arc[k - 1, 0], arc[k, 1] - arc[k - 1, 1])
            length, widest = length + gap, max(widest, gap)
        distance = math.hypot(arc[k, 0], arc[k, 1])
        nearest, farthest = min(nearest, distance), max(farthest, distance)
    if nearest - widest > reach:
        return _SKIP
    steep = in_tail and 0.5 * (farthest - nearest) * (farthest + nearest) > _FALL
    if (length > _LONGEST or steep) and level < HALVINGS:
        return _HALVE
    if nearest - widest >= _NEAR:
        return _WHOLE
    # the angle follows from the ends where 0 is not between the arc and its chord
    e0, e1 = arc[n - 1, 0] - arc[0, 0], arc[n - 1, 1] - arc[0, 1]
    chord = max(math.hypot(e0, e1), 1e-300)
    bulge = 0.0
    for k in range(1, n - 1):
        bulge = max(bulge, abs(e0 * (arc[k, 1] - arc[0, 1]) - e1 * (arc[k, 0] - arc[0, 0])) / chord)
    height = abs(e0 * arc[0, 1] - e1 * arc[0, 0]) / chord
    place = -(e0 * arc[0, 0] + e1 * arc[0, 1]) / chord
    room = max(1.5 * bulge, _TOUCHING)
    if height > room or place < -room or place > chord + room:
        return _ANGLE
    return _HALVE if 1.5 * bulge > _TOUCHING and level < HALVINGS else _UNCLEAR


@compiled
def _add(arc: Array, by_angle: bool, scale: float, sign: float, weights: Array, s: Array) -> None:
    """Add what an arc contributes, its region on the left for sign 1."""
    n = arc.shape[0]
    if by_angle:
        cross = arc[0, 0] * arc[n - 1, 1] - arc[0, 1] * arc[n - 1, 0]
        dot = arc[0, 0] * arc[n - 1, 0] + arc[0, 1] * arc[n - 1, 1]
        s[0] += sign * math.atan2(cross, dot)
    for k in range(1, n - 1):
        u0, u1, t0, t1 = arc[k, 0], arc[k, 1], arc[k, 2], arc[k, 3]
        square = u0 * u0 + u1 * u1
        weight = sign * weights[k - 1]
        density = math.exp(scale - 0.5 * square)
        turning = weight * (u0 * t1 - u1 * t0)
        if by_angle:
            s[0] -= turning * (-math.expm1(-0.5 * square) / square if square > 1e-280 else 0.5)
        else:
            s[0] += turning * density / square
        weight *= density / (2.0 * math.pi)
        s[1] -= weight * t1
        s[2] += weight * t0
        s[3] -= weight * t1 * u0
        s[4] -= 0.5 * weight * (t1 * u1 - t0 * u0)
        s[5] += weight * t0 * u1
