"""The law of a piecewise linear label g(w1, w2): its level sets are segments, with moments in closed form.

Lines cut the plane into convex polygons on which g = c + a . w. With d the distance of the level line from
the origin and (t1, t2) the part of it in the polygon, the density is phi(d) (Phi(t2) - Phi(t1))/|a|, and the
moments of w = d n + t u, u orthogonal to n = a/|a|, are those of a truncated Gaussian variable t. Between the
values at vertices all of them are analytic. Polygons on which g is constant are atoms.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.clock import check_time
from hermite_analytics.foundation.numpy_arrays import Array, Function
from hermite_analytics.foundation.panels import panel_rule
from hermite_analytics.label.cases.parts.density import LabelDensity, distinct, grid, spacing
from hermite_analytics.label.cases.plane.patches import cells_between, crossings
from hermite_analytics.label.intervals import density, interval_moments
from hermite_analytics.label.structure import ranks

__all__ = ["polygon_density", "vertex_order"]

Lines = Sequence[Sequence[float]]
_Vertex = tuple[tuple[int, int], tuple[float, float]]  # two lines, and where they meet

_HALF_WIDTH = 10.0  # of the square that stands for the plane: P(|w_i| > 10) = 2e-23
_FLAT = 1e-12  # slope of a constant piece, relative to the steepest
_SAME = 1e-9  # relative distance from a linear function that is accepted as rounding
_FARTHEST = 37.0  # |s| of the nodes of a panel: densities are bounded
_STRIP = 0.5  # widest strip of Gauss's rule for the moments of a polygon
_PARALLEL = 1e-12
_BESIDE = 1e-4  # distance from a vertex of points that tell its limits


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    """A polygon, vertices in order, with g = offset + slope . w on it."""

    polygon: Array
    offset: float
    slope: Array

    def labels(self) -> Array:
        """At the vertices."""
        return np.asarray(self.offset + self.polygon @ self.slope)


def polygon_density(value: Function, lines: Lines, *, level: float = 1) -> LabelDensity:
    """The law of y = g(w1, w2) and of w given y, g linear between lines.

    Parameters
    ----------
    value : function of an array (n, 2)
        g; it may jump on the lines.
    lines : sequence of (a, b, c)
        The lines a w1 + b w2 = c off which g is linear.
    level : float > 0
        The spacing of labels is divided by it.

    Returns
    -------
    LabelDensity

    Raises
    ------
    UnsupportedExpression
        If g is not linear between the lines.

    Examples
    --------
    >>> axes = [(1, 0, 0), (0, 1, 0)]
    >>> law = polygon_density(lambda w: np.maximum(w, 0).sum(1), axes)
    >>> law.atoms.tolist(), round(float(law.atom_values[0, 0]), 12), round(law.mass, 12)
    ([0.0], 0.25, 1.0)
    """
    pieces = _pieces(value, lines)
    steepest = max(float(np.linalg.norm(p.slope)) for p in pieces)
    rising = [p for p in pieces if np.linalg.norm(p.slope) > _FLAT * steepest]
    atoms, atom_values = _atoms([p for p in pieces if not np.linalg.norm(p.slope) > _FLAT * steepest])
    points = distinct(np.concatenate([np.zeros(0), *(p.labels() for p in rising)]))
    step = spacing(level)
    s = grid(step)
    near = np.abs(s) <= _FARTHEST
    values = np.zeros((max(len(points) - 1, 0), len(s), 6))
    for i, (low, high) in enumerate(itertools.pairwise(points)):
        check_time()
        length = high - low
        y = np.where(s < 0, low + length / (1 + np.exp(-s)), high - length / (1 + np.exp(s)))[near]
        middle = (low + high) / 2
        parts = [p for p in rising if p.labels().min() < middle < p.labels().max()]
        values[i, near] = sum((_on_segments(p, y) for p in parts), np.zeros((len(y), 6)))
    return LabelDensity(points=points, values=values, atoms=atoms, atom_values=atom_values, step=step)


def vertex_order(value: Function, lines: Lines, *, jumps: bool = False) -> tuple[int, ...]:
    """The ranks of the labels where two lines meet, equal ones alike: what the law's structure depends on.

    Of a label that jumps the ranks of its limits there from each of the four sides, and on which side of
    each other line two lines meet, 0 on it: which polygons the lines cut.

    Examples
    --------
    >>> vertex_order(lambda w: w.sum(1), [(1, 0, 0), (0, 1, 0), (1, 1, 1)])
    (0, 1, 1)
    >>> lines = [(1, 0, 0), (0, 1, 0), (1, 1, 1)]
    >>> vertex_order(lambda w: np.sign(w.prod(1)), lines, jumps=True)[:3]
    (-1, 1, 1)
    """
    vertices = crossings(lines)
    if not vertices:
        return ()
    points = np.array([point for _, point in vertices])
    if not jumps:
        return _order(np.asarray(value(points)))
    sides = []
    for pair, point in vertices:
        for k, (a, b, c) in enumerate(lines):
            if k not in pair:
                beyond = a * point[0] + b * point[1] - c
                scale = math.hypot(a, b) * (1 + math.hypot(*point))
                sides.append(0 if abs(beyond) <= _SAME * scale else int(math.copysign(1, beyond)))
    return (*sides, *_order(_limits(value, lines, vertices)))


def _order(labels: Array) -> tuple[int, ...]:
    return ranks(labels, max(float(np.abs(labels).max()), 1e-300))


def _limits(value: Function, lines: Lines, vertices: Sequence[_Vertex]) -> Array:
    """Of a function that is linear between lines, at each vertex from the four sides."""
    found = []
    for (i, j), point in vertices:
        rays = [np.array([-b, a]) / math.hypot(a, b) for a, b, _ in (lines[i], lines[j])]
        inward = np.array([s * rays[0] + t * rays[1] for s, t in itertools.product((1, -1), repeat=2)])
        near, far = (np.asarray(value(np.array(point) + k * _BESIDE * inward)) for k in (1, 2))
        found.append(2 * near - far)
    return np.concatenate(found)


def _pieces(value: Function, lines: Lines) -> list[_Piece]:
    h = _HALF_WIDTH
    polygons = [np.array([[-h, -h], [h, -h], [h, h], [-h, h]])]
    polygons = [p for p in cells_between(polygons, lines) if len(p) > 2]
    # in the inside of each polygon: the label may jump on its sides
    inside = [0.6 * p + 0.4 * p.mean(0) for p in polygons]
    labels = np.split(np.asarray(value(np.concatenate(inside))), np.cumsum([len(p) for p in polygons])[:-1])
    found = []
    scale = max(float(np.abs(v).max()) for v in labels)
    for polygon, points, at in zip(polygons, inside, labels, strict=True):
        centre = points.mean(0)
        slope = np.linalg.lstsq(points - centre, at - at.mean(), rcond=None)[0]
        if np.abs(at.mean() + (points - centre) @ slope - at).max() > _SAME * scale:
            raise UnsupportedExpression("the label is not linear between the lines given")
        found.append(_Piece(polygon=polygon, offset=float(at.mean() - centre @ slope), slope=slope))
    return found


def _on_segments(piece: _Piece, y: Array) -> Array:
    """Densities of (1, w1, w2, w1^2 - 1, w1 w2, w2^2 - 1) at labels y."""
    size = float(np.linalg.norm(piece.slope))
    n = piece.slope / size
    return _strip(piece.polygon, n, (y - piece.offset) / size) / size


def _strip(polygon: Array, n: Array, d: Array) -> Array:
    """Integrals of the channels times the Gaussian density over the lines n . w = d within a polygon."""
    u = np.array([-n[1], n[0]])
    along, across = polygon @ u, polygon @ n
    low, high = np.full(len(d), -np.inf), np.full(len(d), np.inf)
    area = np.sum(along * np.roll(across, -1) - across * np.roll(along, -1))
    for k in range(len(polygon)):
        j = (k + 1) % len(polygon)
        rise = across[j] - across[k]
        if abs(rise) <= _PARALLEL * _HALF_WIDTH:
            continue
        t = along[k] + (along[j] - along[k]) * (d - across[k]) / rise
        # the inside is on the left of each side of a polygon that runs counter-clockwise in (u, n)
        if (rise > 0) == (area > 0):
            high = np.minimum(high, t)
        else:
            low = np.maximum(low, t)
    high = np.maximum(high, low)
    mass, first, square = interval_moments(low, high)
    second, weight = mass + square, density(d, 1.0)
    one, two = (n[i] * d * mass + u[i] * first for i in (0, 1))
    pairs = [
        n[i] * n[j] * d * d * mass + (n[i] * u[j] + u[i] * n[j]) * d * first + u[i] * u[j] * second
        for i, j in ((0, 0), (0, 1), (1, 1))
    ]
    channels = [mass, one, two, pairs[0] - mass, pairs[1], pairs[2] - mass]
    return np.asarray(weight[:, None] * np.stack(channels, 1))


def _atoms(flat: Sequence[_Piece]) -> tuple[Array, Array]:
    """Labels of constant pieces, with their probability and moments."""
    if not flat:
        return np.zeros(0), np.zeros((0, 6))
    labels = np.array([p.labels().mean() for p in flat])
    scale = max(1.0, float(np.abs(labels).max()))
    moments = np.array([_moments(p.polygon) for p in flat])
    order = np.argsort(labels)
    ends = np.flatnonzero(np.diff(labels[order]) > _SAME * scale) + 1
    groups = np.split(order, ends)
    total = np.array([moments[group].sum(0) for group in groups])
    values = np.array([labels[group].mean() for group in groups])
    kept = total[:, 0] > 0
    return np.where(np.abs(values) <= 1e-14 * scale, 0.0, values)[kept], total[kept]


def _moments(polygon: Array) -> Array:
    """Integrals of the channels over a polygon, by strips between its vertices."""
    d, weights = panel_rule(np.unique(polygon[:, 0]), 16, widest=_STRIP)
    return np.asarray(weights @ _strip(polygon, np.array([1.0, 0.0]), d))
