"""Curves and lines on which a label jumps, as smooth arcs with the label on either side.

A curve h = 0 is followed on polynomial patches of h, turned by an angle at which nothing runs along the
patches' sides. Arcs are cut where another curve crosses them: each has one label on either side.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.numpy_arrays import Array, Function, Integers
from hermite_analytics.foundation.panels import lagrange, legendre_fit, unit_rule
from hermite_analytics.foundation.roots import roots_between
from hermite_analytics.label.cases.plane.arcs import MOST_OF_BOUNDARY, TURN, followed, turned_patches
from hermite_analytics.label.cases.plane.patches import RADIUS

__all__ = ["NODES", "Boundaries", "along_arcs", "boundaries_of", "interpolation"]

NODES = 14  # of an arc
_PLACES = unit_rule(NODES)[0]  # Gauss's nodes on (0, 1)
_SEGMENT = 1.0  # length of a part of a line
_LOOKED_AT = np.linspace(0.0, 1.0, 33)  # places of an arc between which crossings are looked for
_SHORTEST = 1e-6  # arc; shorter ones, beside singular points of curves, are left out
_BESIDE = np.array([1e-3, 3e-3])  # distances at which labels are read, relative to the length of an arc,
_FARTHEST = 1e-2  # counted up to this
_MIDDLE = slice(4, 10)  # nodes beside which labels are read
_DIFFERENCE = 1e-3  # of gradients, relative to that length
_POLISHES = 3
_ACCURACY = 1e-12  # last coefficients of an arc
_MOST_HALVINGS = 8
_FLAT = 1e-13  # range of a constant, relative to the largest label
_SAME = 1e-11


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundaries:
    """Arcs between parts of the plane with different labels, within |w| < 7.4.

    Attributes
    ----------
    points : ndarray, shape (arcs, 14, 2)
        At Gauss's nodes of each arc.
    left, right : ndarray of int, shape (arcs,)
        Index of the label on either side of the arc's direction; -1 where the label varies.
    values : ndarray, shape (k,)
        The labels that are constant beside some arc, in increasing order.
    """

    points: Array
    left: Integers
    right: Integers
    values: Array


def boundaries_of(
    value: Function, curves: Sequence[Function], lines: Sequence[Sequence[float]] = ()
) -> Boundaries:
    """Where the constants of a label meet each other or a part of the plane on which it varies.

    Parameters
    ----------
    value : function of points, shape (n, 2)
        The label, smooth off the curves and lines.
    curves : sequence of functions of points
        Smooth; each stands for the points where it vanishes.
    lines : sequence of (a, b, c)
        a w1 + b w2 = c.

    Raises
    ------
    UnsupportedExpression
        If a curve is not the zero set of a smooth function.

    Examples
    --------
    >>> found = boundaries_of(lambda w: np.sign((w**2).sum(1) - 2), [lambda w: (w**2).sum(1) - 2])
    >>> found.values.tolist(), bool(np.abs((found.points**2).sum(-1) - 2).max() < 1e-10)
    ([-1.0, 1.0], True)
    """
    zeros = [*map(_on_curve, curves), *map(_on_line, lines)]
    functions = [*curves, *map(_height, lines)]
    arcs = []
    for own, points in enumerate(zeros):
        for other, h in enumerate(functions):
            points = points if other == own else _cut(points, h)
        arcs.append(points)
    return _between_labels(value, np.concatenate(arcs) if arcs else np.zeros((0, NODES, 2)))


def interpolation(places: Array, *, derivative: bool = False) -> Array:
    """Matrices (..., n, 14) from values at the nodes of arcs to those, or to slopes, at places in [0, 1]."""
    if not derivative:
        return lagrange(NODES, 2 * places - 1)
    slopes = 2 * np.polynomial.legendre.legder(legendre_fit(NODES), axis=0)
    return np.asarray(np.polynomial.legendre.legvander(2 * places - 1, NODES - 2) @ slopes)


def along_arcs(points: Array, places: Array) -> Array:
    """Points (a, n, 2) of arcs (a, 14, 2) at places in [0, 1], the same (n,) for all arcs or (a, n)."""
    return np.asarray(np.einsum("...nk,...kd->...nd", interpolation(places), points))


def _on_curve(h: Function) -> Array:
    """Arcs of h = 0."""
    patches = turned_patches(h)
    _, points, _ = followed(patches, np.zeros(1), _PLACES, most=MOST_OF_BOUNDARY)
    corners = patches.coefficients[:, [0, 0, -1, -1], [0, -1, 0, -1]]  # values there
    if not len(points) and corners.min() < 0 < corners.max():
        raise UnsupportedExpression("a boundary of the label has too many singular points")
    return np.asarray(_resolved(points, lambda w: h(w @ TURN.T)) @ TURN.T)


def _resolved(points: Array, h: Function) -> Array:
    """Arcs through exact points of h = 0, each a graph over an axis, halved until polynomials follow it."""
    over = np.argmin(np.abs(legendre_fit(NODES)[2:] @ points).max(1), axis=1)  # along which nodes are Gauss's
    done = []
    for _ in range(_MOST_HALVINGS):
        points = _polished(points, 1 - over, h)
        good = np.abs(legendre_fit(NODES)[-1] @ points).max(1, initial=0.0) <= _ACCURACY
        done.append(points[good])
        points, over = points[~good], np.tile(over[~good], 2)
        points = np.concatenate([along_arcs(points, 0.5 * (_PLACES + k)) for k in range(2)])
        if not len(points):
            break
    return np.concatenate([*done, points])


def _polished(points: Array, across: Integers, h: Function) -> Array:
    """Nodes moved onto h = 0 along an axis."""
    step = _DIFFERENCE * _sizes(points)[:, None]
    away = step[..., None] * np.eye(2)[across][:, None, :]

    def height(w: Array) -> Array:
        return np.asarray(h(w.reshape(-1, 2)).reshape(w.shape[:2]))

    for _ in range(_POLISHES):
        with np.errstate(all="ignore"):
            move = height(points) * 2 / (height(points + away) - height(points - away))
        near = np.abs(move) * step < _sizes(points)[:, None]
        points = points - np.where(near, move, 0.0)[..., None] * away
    return points


def _sizes(points: Array) -> Array:
    """Lengths of the chords of arcs, up to a bound."""
    return np.asarray(np.minimum(np.linalg.norm(points[:, -1] - points[:, 0], axis=1), _FARTHEST))


def _on_line(line: Sequence[float]) -> Array:
    a, b, c = np.array(line, dtype=np.float64) / math.hypot(line[0], line[1])
    if abs(c) >= RADIUS:
        return np.zeros((0, NODES, 2))
    half = math.sqrt(RADIUS**2 - c**2)
    ends = np.linspace(-half, half, 1 + math.ceil(2 * half / _SEGMENT))
    t = ends[:-1, None] + np.diff(ends)[:, None] * _PLACES
    return np.asarray(np.array([a, b]) * c + t[..., None] * np.array([-b, a]))


def _height(line: Sequence[float]) -> Function:
    a, b, c = line
    return lambda w: w @ np.array([a, b], dtype=np.float64) - c


def _cut(points: Array, h: Function) -> Array:
    """Arcs cut where a function changes its sign along them."""
    if not len(points):
        return points
    looked = along_arcs(points, _LOOKED_AT)
    side = h(looked.reshape(-1, 2)).reshape(looked.shape[:2]) > 0
    arc, k = np.nonzero(side[:, 1:] != side[:, :-1])

    def across(x: Array) -> Array:
        return np.nan_to_num(h(along_arcs(points[arc], x[:, None])[:, 0]))

    places = roots_between(across, _LOOKED_AT[k], _LOOKED_AT[k + 1])
    whole = np.setdiff1d(np.arange(len(points)), arc)
    parts = [points[whole]]
    for a in np.unique(arc):
        ends = np.concatenate([[0.0], places[arc == a], [1.0]])
        nodes = ends[:-1, None] + np.diff(ends)[:, None] * _PLACES
        parts.append(along_arcs(points[a][None], nodes.reshape(1, -1)).reshape(-1, NODES, 2))
    return np.concatenate(parts)


def _between_labels(value: Function, points: Array) -> Boundaries:
    """The arcs with another label on the left than on the right, one of them constant."""
    points = points[_sizes(points) > _SHORTEST]
    if not len(points):
        none = np.zeros(0, dtype=np.int64)
        return Boundaries(points=points, left=none, right=none, values=np.zeros(0))
    along = points[:, -1] - points[:, 0]
    normal = np.stack([-along[:, 1], along[:, 0]], -1) / np.linalg.norm(along, axis=1)[:, None]
    sides = []
    for sign in (1.0, -1.0):
        away = sign * _BESIDE[:, None] * (_sizes(points)[:, None] * normal)[:, None, :]
        beside = points[:, None, _MIDDLE] + away[:, :, None]
        sides.append(value(beside.reshape(-1, 2)).reshape(len(points), -1))
    scale = max((float(np.abs(s).max()) for s in sides if s.size), default=1.0)
    constant = [np.ptp(s, axis=1) <= _FLAT * scale for s in sides]
    labels = 0.0 + np.sort(np.concatenate([s[c, 0] for s, c in zip(sides, constant, strict=True)]))
    values = labels[np.diff(labels, prepend=-np.inf) > _SAME * scale]
    left, right = (
        np.where(c, np.abs(s[:, :1] - values).argmin(1), -1) if len(values) else np.full(len(s), -1)
        for s, c in zip(sides, constant, strict=True)
    )
    kept = left != right
    return Boundaries(points=points[kept], left=left[kept], right=right[kept], values=values)
