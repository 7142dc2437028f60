"""Integrals of a Gaussian against a table that is constant on boxes, with two derivatives in its mean.

With T(z) constant on boxes, Z = int N(z; omega, V) T(z) dz and its derivatives stand on the faces:

    d_k Z     = sum over the edges e of z_k of N(e; omega_k, V_kk) Z_-k(e),
    d_j d_k Z = sum N(e; omega_k, V_kk) d_j Z_-k(e),        j != k,
    d_k^2 Z   = sum N(e; omega_k, V_kk) [(e - omega_k)/V_kk Z_-k(e) - sum_j V_jk/V_kk d_j Z_-k(e)],

where Z_-k(e) is of the other coordinates given z_k = e, and of the jump of T across e. Z itself is that of
independent coordinates and the integral of dZ/d rho (R. L. Plackett, Biometrika 41, 1954), or, where that
cancels or the correlation is strong, an integral over panels of terms of one sign.

Everything is for n samples at once, each with its mean and, by its code, its table: one coordinate more is
one dimension of the tables more.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.clock import check_time
from hermite_analytics.foundation.numpy_arrays import Array, Integers
from hermite_analytics.foundation.panels import unit_rule
from hermite_analytics.label.intervals import between, density, distances

__all__ = ["box_moments"]

Edges = Sequence[Array]

_NODES, _WEIGHTS = unit_rule(16)
_REACH = 38.0  # standard deviations: beyond it the density is 0 in double precision
_NEGLIGIBLE = 1e-16
_PANEL = 2.25
_STRONGEST = 0.8  # correlation up to which 16 nodes give dZ/d rho to the last digit
_LEAST_EIGENVALUE = 0.2  # of a correlation matrix of three, for the same
_LEAST = 1e-5  # Z below which the difference has lost too many of them
_NARROWEST = 0.05  # panel, in standard deviations
_STEPS = 3.0  # widths of a smoothed step in a panel
_AT_ONCE = 16384  # samples
_IN_PANELS = 1024  # each with 16 nodes


def box_moments(
    tables: Array, code: Integers, edges: Edges, omega: Array, variance: Array
) -> tuple[Array, Array, Array]:
    """(Z, gradient, Hessian) in the mean of up to three coordinates, shapes (n,), (n, q), (n, q, q).

    Parameters
    ----------
    tables : ndarray, shape (k, m1 + 1, ..., mq + 1)
    code : ndarray of int, shape (n,)
        The table of each sample.
    edges : q ndarrays
        The m1, ..., mq places, increasing, where the tables change along each coordinate.
    omega : ndarray, shape (n, q)
    variance : ndarray, shape (q, q)
        V, positive definite.
    """
    parts = []
    for start in range(0, max(len(omega), 1), _AT_ONCE):
        check_time()
        some, mine = tables, code[start : start + _AT_ONCE]
        if len(tables) > _AT_ONCE:  # one for each sample: those of these
            some, mine = tables[mine], np.arange(len(mine))
        parts.append(_moments(_Boxes(some, edges, variance), mine, omega[start : start + _AT_ONCE]))
    z, first, second = (np.concatenate(column) for column in zip(*parts, strict=True))
    return z, first, second


@dataclass(frozen=True, slots=True)
class _Boxes:
    """Tables, the places where they change, and the covariance of the coordinates."""

    tables: Array
    edges: Edges
    v: Array

    def faces(self, code: Integers, omega: Array) -> Iterator[_Face]:
        """Each edge of each coordinate across which a table jumps."""
        for k in range(len(self.edges)):
            others = [j for j in range(len(self.edges)) if j != k]
            along = self.v[others, k] / self.v[k, k]
            left = self.v[np.ix_(others, others)] - np.outer(along, self.v[k, others])
            jumps = np.moveaxis(np.diff(self.tables, axis=1 + k), 1 + k, 0)
            for e, jump in zip(self.edges[k], jumps, strict=True):
                if jump.any():
                    yield _Face(
                        axis=k,
                        others=others,
                        along=along,
                        distance=(d := e - omega[:, k]),
                        size=density(d, float(self.v[k, k])),
                        boxes=_Boxes(jump, [self.edges[j] for j in others], left),
                        mean=omega[:, others] + d[:, None] * along,
                    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Face:
    """One edge: the jump of the tables across it, and the law of the other coordinates there.

    Attributes
    ----------
    axis, others
        The coordinate of the edge, and those that are left.
    along : ndarray, shape (q - 1,)
        V_jk/V_kk.
    distance, size : ndarray, shape (n,)
        e - omega_k, and the density there.
    mean : ndarray, shape (n, q - 1)
    """

    axis: int
    others: list[int]
    along: Array
    distance: Array
    size: Array
    boxes: _Boxes
    mean: Array


def _moments(boxes: _Boxes, code: Integers, omega: Array) -> tuple[Array, Array, Array]:
    n, q = omega.shape
    second = np.zeros((n, q, q))
    first = np.zeros((n, q))
    for face in boxes.faces(code, omega):
        k, others = face.axis, face.others
        value, slopes = _probability(face.boxes, code, face.mean), _gradient(face.boxes, code, face.mean)
        first[:, k] += face.size * value
        second[:, k, k] += face.size * (face.distance / boxes.v[k, k] * value - slopes @ face.along)
        for j, slope in zip(others, slopes.T, strict=True):
            if j > k:
                second[:, k, j] += face.size * slope
    lower = np.tril_indices(q, -1)
    second[:, lower[0], lower[1]] = second[:, lower[1], lower[0]]
    return _probability(boxes, code, omega), first, second


def _gradient(boxes: _Boxes, code: Integers, mean: Array) -> Array:
    found = np.zeros(mean.shape)
    for face in boxes.faces(code, mean):
        found[:, face.axis] += face.size * _probability(face.boxes, code, face.mean)
    return found


def _probability(boxes: _Boxes, code: Integers, mean: Array) -> Array:
    """Z, of none to three coordinates."""
    if not boxes.edges:
        return boxes.tables[code]
    if len(boxes.edges) == 1:
        return _line(boxes.tables, code, boxes.edges[0], mean[:, 0], float(boxes.v[0, 0]))
    return _plane(boxes, code, mean) if len(boxes.edges) == 2 else _space(boxes, code, mean)


def _line(tables: Array, code: Integers, edges: Array, mean: Array, variance: float) -> Array:
    p = between(distances(edges, mean, math.sqrt(variance)))
    return np.asarray(np.einsum("ni,ni->n", tables[code], p))


def _corner_rule(correlation: float) -> tuple[Array, Array, Array]:
    """Of the integral over the correlation s: nodes, 1/(2 (1 - s^2)), weights with the density's factor."""
    angle = math.asin(correlation)
    s = np.sin(angle * _NODES)
    return s, 0.5 / (1 - s * s), angle * _WEIGHTS / (2 * math.pi)


def _plane(boxes: _Boxes, code: Integers, mean: Array) -> Array:
    """Z of two coordinates: a product, moved to their correlation; by panels where that loses digits."""
    sizes = np.sqrt(np.diag(boxes.v))
    correlation = float(boxes.v[0, 1] / (sizes[0] * sizes[1]))
    apart = correlation == 0 or not all(map(len, boxes.edges))
    if not apart and abs(correlation) > _STRONGEST:
        return _of_panels(boxes, code, mean)
    a, b = (distances(boxes.edges[k], mean[:, k], float(sizes[k])) for k in range(2))
    total = np.einsum("nij,ni,nj->n", boxes.tables[code], between(a), between(b))
    if apart:
        return np.asarray(total)
    total += _of_corners(boxes.tables, code, (a, b), correlation)
    weak = np.abs(total) <= _LEAST * np.abs(boxes.tables).max((1, 2))[code]
    if weak.any():
        total[weak] = _of_panels(boxes, code[weak], mean[weak])
    return np.asarray(total)


def _of_corners(tables: Array, code: Integers, at: tuple[Array, Array], correlation: float) -> Array:
    """What the correlation adds: dZ/d rho = sum over corners of the jump of T times the density there."""
    s, r, weights = _corner_rule(correlation)
    jumps = np.diff(np.diff(tables, axis=1), axis=2)
    total = np.zeros(len(code))
    for i, j in itertools.product(*map(range, jumps.shape[1:])):
        if jumps[:, i, j].any():
            a, b = at[0][:, i, None], at[1][:, j, None]
            total += jumps[code, i, j] * (np.exp((2 * a * b * s - a * a - b * b) * r) @ weights)
    return total


def _width(slope: float, spread: float) -> float:
    """A panel in which a step of another coordinate, smoothed over `spread`, is resolved."""
    return min(_PANEL, max(_STEPS * spread / slope, _NARROWEST))


def _given_first(boxes: _Boxes) -> tuple[Array, Array, float]:
    """(V_j0/V_00, covariance of the others given the first, width of a panel of the first)."""
    size, along = math.sqrt(boxes.v[0, 0]), boxes.v[1:, 0] / boxes.v[0, 0]
    left = boxes.v[1:, 1:] - np.outer(along, boxes.v[0, 1:])
    widths = [
        _width(abs(float(a)) * size, math.sqrt(left[k, k]))
        for k, a in enumerate(along)
        if a != 0 and len(boxes.edges[1 + k])
    ]
    return along, left, min(widths, default=_PANEL)


def _of_panels(boxes: _Boxes, code: Integers, mean: Array) -> Array:
    """Over the first coordinate by panels between its edges, over the others given it.

    Terms of tables of one sign have one sign, so that Z keeps its digits in tails; of three coordinates two
    orders of them agree to 1e-8 at Z = e^-200.
    """
    if len(code) > _IN_PANELS:
        cuts = [slice(a, a + _IN_PANELS) for a in range(0, len(code), _IN_PANELS)]
        return np.concatenate([_of_panels(boxes, code[part], mean[part]) for part in cuts])
    size = math.sqrt(boxes.v[0, 0])
    along, left, width = _given_first(boxes)
    count = boxes.tables.shape[1]
    rows = _Boxes(boxes.tables.reshape(-1, *boxes.tables.shape[2:]), boxes.edges[1:], left)
    scales = np.abs(rows.tables).reshape(len(rows.tables), -1).max(1)

    def inner(which: Integers, row: Integers, x: Array) -> Array:
        means = mean[which, None, 1:] + size * x[..., None] * along
        values = _probability(rows, np.repeat(row, x.shape[1]), means.reshape(-1, len(along)))
        return np.asarray(values.reshape(x.shape))

    ends = np.full((len(code), 1), np.inf)
    edges = np.hstack([-ends, distances(boxes.edges[0], mean[:, 0], size), ends])
    lows, highs = edges[:, :-1], edges[:, 1:]
    order = np.argsort(np.maximum(np.maximum(lows, -highs), 0.0), axis=1, kind="stable")
    total = np.zeros(len(code))
    for nearest in order.T:
        low, high = (np.take_along_axis(x, nearest[:, None], 1)[:, 0] for x in (lows, highs))
        for side in (1.0, -1.0):
            row = code * count + nearest
            _add_panels(total, inner, row, scales[row], (low, high), side, width)
    return total


def _add_panels(
    total: Array,
    inner: Callable[[Integers, Integers, Array], Array],
    row: Integers,
    scale: Array,
    ends: tuple[Array, Array],
    side: float,
    width: float,
) -> None:
    """Add the panels of one interval of each sample, from what is nearest to the mean to one side."""
    start = np.minimum(np.maximum(0.0, ends[0]), ends[1])
    end = ends[1] if side > 0 else ends[0]
    while True:
        check_time()
        counts = scale * np.exp(-0.5 * start * start) > _NEGLIGIBLE * np.abs(total)
        which = np.flatnonzero((side * (end - start) > 0) & (np.abs(start) < _REACH) & counts)
        if not len(which):
            return
        size = np.minimum(width, side * (end - start)[which])
        x = start[which, None] + side * size[:, None] * _NODES
        total[which] += size * ((density(x, 1.0) * inner(which, row[which], x)) @ _WEIGHTS)
        start[which] += side * size


def _space(boxes: _Boxes, code: Integers, mean: Array) -> Array:
    """Z of three coordinates: one of them apart, moved to its correlations; by panels as in the plane."""
    axes = _one_apart(boxes.v)
    boxes = _Boxes(
        np.transpose(boxes.tables, (0, *(1 + k for k in axes))),
        [boxes.edges[k] for k in axes],
        boxes.v[np.ix_(axes, axes)],
    )
    mean = mean[:, axes]
    sizes = np.sqrt(np.diag(boxes.v))
    apart = not boxes.v[1:, 0].any()
    if not apart and np.linalg.eigvalsh(boxes.v / np.outer(sizes, sizes))[0] < _LEAST_EIGENVALUE:
        return _of_panels(boxes, code, mean)
    p = between(distances(boxes.edges[0], mean[:, 0], float(sizes[0])))
    total = np.zeros(len(code))
    for i in range(p.shape[1]):
        rows = _Boxes(boxes.tables[:, i], boxes.edges[1:], boxes.v[1:, 1:])
        total += p[:, i] * _plane(rows, code, mean[:, 1:])
    if apart:
        return total
    total += _of_edges(boxes, code, mean)
    weak = np.abs(total) <= _LEAST * np.abs(boxes.tables).max((1, 2, 3))[code]
    if weak.any():
        total[weak] = _of_panels(boxes, code[weak], mean[weak])
    return total


def _one_apart(v: Array) -> list[int]:
    """The coordinates, first an independent one, or that given which the others are least correlated."""
    partial = np.linalg.inv(v)
    orders = [[0, 1, 2], [1, 0, 2], [2, 0, 1]]
    for i, j, k in orders:
        if v[i, j] == v[i, k] == 0:
            return [i, j, k]
    strength = [abs(partial[j, k]) / math.sqrt(partial[j, j] * partial[k, k]) for _, j, k in orders]
    return orders[int(np.argmin(strength))]


def _of_edges(boxes: _Boxes, code: Integers, mean: Array) -> Array:
    """What correlations t V_0k, 0 < t < 1, of the first coordinate add to Z of three: dZ/dV_0k = d_0 d_k Z.

    That is a sum over the points (e_0, e_k) at which two edges meet, of the density there and the third one's
    Z given them.
    """
    total = np.zeros(len(code))
    for k, other in ((1, 2), (2, 1)):
        tables = np.moveaxis(boxes.tables, 1 + other, 3)
        jumps = np.diff(np.diff(tables, axis=1), axis=2)
        meeting = [
            (jumps[:, i, j], np.stack([a - mean[:, 0], b - mean[:, k]]))
            for i, a in enumerate(boxes.edges[0])
            for j, b in enumerate(boxes.edges[k])
            if jumps[:, i, j].any()
        ]
        for node, weight in zip(_NODES, _WEIGHTS, strict=True):
            v = boxes.v.copy()
            v[0, 1:] *= node
            v[1:, 0] *= node
            pair, seen = v[np.ix_([0, k], [0, k])], v[other, [0, k]]
            inverse = np.linalg.inv(pair)
            along, left = seen @ inverse, float(v[other, other] - seen @ inverse @ seen)
            scale = weight * boxes.v[0, k] / (2 * math.pi * math.sqrt(np.linalg.det(pair)))
            for jump, d in meeting:
                there = np.exp(-0.5 * np.einsum("an,ab,bn->n", d, inverse, d))
                z = _line(jump, code, boxes.edges[other], mean[:, other] + along @ d, left)
                total += scale * there * z
    return total
