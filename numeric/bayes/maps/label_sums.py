"""The sums of F over labels with weighted points, omega on a grid: in two and three coordinates.

With p_k the probabilities of the points z_k of a label, omega = M^(1/2) t in the axes of M and V = I - M,

    F = sum over labels int dt (sum_k p_k J_k d_k) (sum_k p_k J_k d_k)^T / sum_k p_k J_k,
    d_k = V^-1 (z_k - omega),  J_k(t) = N(t; M^(1/2) z_k, V).

J is a product over the coordinates and smooth in z on the scale (V/m)^(1/2). The points of a label are
therefore replaced once by masses on a grid x, by means of B-splines psi, and J by the product of matrices A
with

    sum_x psi(z - x) A(t, x) = N(t; m^(1/2) z, V),
    sum_x psi(z - x) B(t, x) = V^-1 (z - m^(1/2) t) N(t; m^(1/2) z, V)

by least squares, contracted with one axis of the grid after the other: the number of points does not matter
any more, however often M changes. Where V is small, a row of A is 0 off the nodes near m^(-1/2) t.
Polynomials up to the degree of the splines are exact, whatever the step; omega is integrated by the trapezoid
rule. All of it is done for the parts that are even or odd in each axis, at x >= 0 and t >= 0: mirrors of a
label leave few of them, and each is an octant.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.foundation.threads import ONE_EACH
from hermite_analytics.numeric.bayes.maps.banded import ROWS, Banded
from hermite_analytics.numeric.bayes.maps.gaussian_grid import TINY, equal_steps
from hermite_analytics.numeric.bayes.maps.mirrors import Mirrors
from hermite_analytics.numeric.bayes.maps.point_grid import GridRule, PointGrid

__all__ = ["OmegaAxis", "label_sums", "over_halves"]

Block = tuple[int, Array]


@dataclass(frozen=True, slots=True, kw_only=True)
class OmegaAxis:
    """One axis of omega at t >= 0: A and B with rows t and columns x >= 0, and the weights of t.

    Attributes
    ----------
    plain, slope : two Banded each
        For what is even and for what is odd in x.
    weights : ndarray
        For t and -t each; t = 0 stands for both.
    """

    plain: tuple[Banded, Banded]
    slope: tuple[Banded, Banded]
    weights: Array

    @classmethod
    def of(cls, m: float, grid: PointGrid, rule: GridRule) -> OmegaAxis:
        """The trapezoid rule in t; one point where the overlap is 0."""
        z = grid.dense()
        if m <= 0:
            ones, places = np.ones((1, grid.count)), grid.fitted(z[None])
            return cls(plain=over_halves(ones), slope=over_halves(places), weights=np.full(1, 0.5))
        step = rule.step * math.sqrt(1 - m)
        t, widths = equal_steps(step, rule.farthest, half=True)
        near = rule.near(grid, m)
        if 2 * near.half < grid.half:
            with ONE_EACH:
                plain, slope = zip(*_blocks(t, m, grid, near), strict=True)
            return cls(plain=Banded.halves(plain), slope=Banded.halves(slope), weights=widths / 2)
        seen = _seen(t[:, None] - math.sqrt(m) * z, z - math.sqrt(m) * t[:, None], 1 - m)
        one, two = (over_halves(grid.fitted(values)) for values in seen)
        return cls(plain=one, slope=two, weights=widths / 2)


def _seen(distance: Array, shift: Array, v: float) -> tuple[Array, Array]:
    """N(t; m^(1/2) z, V) at t - m^(1/2) z, and V^-1 (z - m^(1/2) t) times it."""
    density = np.exp(-0.5 * distance**2 / v) / math.sqrt(2 * math.pi * v)
    return density, shift / v * density


def _blocks(t: Array, m: float, grid: PointGrid, near: PointGrid) -> Iterator[tuple[Block, Block]]:
    """Blocks of both, with columns from x = 0 on: a row has the nodes of `near` about its own node."""
    z, root = near.dense(), math.sqrt(m)
    for start in range(0, len(t), ROWS):
        rows = t[start : start + ROWS]
        centre = rows / (root * near.step)
        node = np.rint(centre)
        distance = z - ((centre - node) * near.step)[:, None]
        places = (node - node[0]).astype(np.int64)
        columns = places[:, None] + np.arange(near.count)
        first = int(node[0]) - near.half
        low, high = max(-grid.half - first, 0), grid.half - first + 1
        found = []
        for values in _seen(-root * distance, distance + (1 - m) / root * rows[:, None], 1 - m):
            block = np.zeros((len(rows), int(places[-1]) + near.count))
            np.put_along_axis(block, columns, near.fitted(values), axis=1)
            found.append((first + low, block[:, low:high]))
        yield found[0], found[1]


def over_halves(matrix: Array) -> tuple[Banded, Banded]:
    """What a matrix does with the even and with the odd part of a table, given at x >= 0 and x > 0."""
    return Banded.halves([(-(matrix.shape[1] // 2), matrix)])


def label_sums(
    parts: Sequence[Array],
    axes: Sequence[OmegaAxis],
    mirrors: Mirrors,
    *,
    floor: float,
    alike: bool = False,
) -> Array:
    """What some labels add to F, shape (q, q), in the axes of M.

    Parameters
    ----------
    parts : ndarrays, shape (n1, .., nq, count of labels)
        The density of the points of each label on the grids, see `parts_of`.
    axes : q OmegaAxis
    mirrors : Mirrors
        Of the axes; entries of F that they forbid are 0.
    floor : float
        See `GridRule`.
    alike : bool
        Whether F is a multiple of I: the last entry is computed.
    """
    q = len(axes)
    wanted = [q - 1] if alike else list(range(q))
    totals: list[Array] = []
    fields: list[list[Array]] = []
    for part, parity in zip(parts, mirrors.parities.tolist(), strict=True):
        z = part
        slopes: list[Array] = []
        for k, (axis, odd) in enumerate(zip(axes, parity, strict=True)):
            slopes = [axis.plain[odd].times(f) for f in slopes]
            if k in wanted:
                slopes.append(axis.slope[odd].times(z))
            z = axis.plain[odd].times(z)
        totals.append(z)
        fields.append(slopes)
    # the values at each choice of signs of t
    characters = np.prod(mirrors.corners[:, None] ** mirrors.parities, axis=-1)
    total = _combined(characters, totals)
    least = np.maximum(floor * total.reshape(len(total), total.shape[1], -1).max(axis=(0, 2)), TINY)
    weights = len(mirrors.signs) * functools.reduce(np.multiply.outer, (a.weights for a in axes))
    scaled = np.divide(weights, total, out=np.zeros_like(total), where=total > least.reshape(-1, *([1] * q)))
    values = [
        _combined(characters * mirrors.corners[:, k, None], [f[n] for f in fields])
        for n, k in enumerate(wanted)
    ]
    if alike:
        return float(np.vdot(scaled * values[0], values[0])) * np.eye(q)
    found = np.zeros((q, q))
    for i in range(q):
        one = scaled * values[i]
        for j in range(i, q):
            if not mirrors.absent[i, j]:
                found[i, j] = found[j, i] = float(np.vdot(one, values[j]))
    return found


def _combined(characters: Array, parts: Sequence[Array]) -> Array:
    """Sums of parts of one shape with some signs, stacked in front."""
    if np.array_equal(characters, [[1.0]]):
        return parts[0][None]
    found = np.empty((len(characters), *parts[0].shape))
    for total, signs in zip(found, characters.tolist(), strict=True):
        np.multiply(parts[0], signs[0], out=total)
        for part, sign in zip(parts[1:], signs[1:], strict=True):
            (np.add if sign > 0 else np.subtract)(total, part, out=total)
    return found
