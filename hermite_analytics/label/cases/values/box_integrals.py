"""Integrals of a Gaussian against a table that is constant on boxes, with two derivatives in its mean.

With T(z) constant on boxes, Z = int N(z; omega, V) T(z) dz and its derivatives stand on the faces:

    d_k Z     = sum over the edges e of z_k of N(e; omega_k, V_kk) Z_-k(e),
    d_j d_k Z = sum N(e; omega_k, V_kk) d_j Z_-k(e),        j != k,
    d_k^2 Z   = sum N(e; omega_k, V_kk) [(e - omega_k)/V_kk Z_-k(e) - sum_j V_jk/V_kk d_j Z_-k(e)],

where Z_-k(e) is of the other coordinates given z_k = e, and of the jump of T across e. Z itself is that of
independent coordinates and the integral of dZ/d rho (R. L. Plackett, Biometrika 41, 1954), or, where that
cancels or the correlation is strong, an integral over panels of terms of one sign.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.label.compiled import compiled

__all__ = ["line_moments", "plane_moments", "space_moments"]

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
_REACH = 38.0  # standard deviations: beyond it the density is 0 in double precision
_NEGLIGIBLE = 1e-16
_PANEL = 2.25
_STRONGEST = 0.8  # correlation up to which 16 nodes give dZ/d rho to the last digit
_LEAST = 1e-5  # Z below which the difference has lost too many of them
_NARROWEST = 0.05  # panel, in standard deviations
_STEPS = 3.0  # widths of a smoothed step in a panel


@compiled
def line_moments(
    tables: Array, code: Integers, edges: Array, counts: Integers, omega: Array, v: Array
) -> tuple[Array, Array, Array]:
    """(Z, gradient, Hessian) of one coordinate, for the table and the mean of each sample."""
    n = len(omega)
    z, first, second = np.empty(n), np.zeros((n, 1)), np.zeros((n, 1, 1))
    for t in range(n):
        table = tables[code[t]]
        z[t], first[t, 0] = _line(table, edges[0], counts[0], omega[t, 0], v[0, 0])
        for i in range(counts[0]):
            d = edges[0, i] - omega[t, 0]
            second[t, 0, 0] += _density(d, v[0, 0]) * d / v[0, 0] * (table[i + 1] - table[i])
    return z, first, second


@compiled
def plane_moments(
    tables: Array, code: Integers, edges: Array, counts: Integers, omega: Array, v: Array
) -> tuple[Array, Array, Array]:
    """(Z, gradient, Hessian) of two coordinates."""
    n = len(omega)
    z, first, second = np.empty(n), np.zeros((n, 2)), np.zeros((n, 2, 2))
    rule = _corner_rule(v)
    for t in range(n):
        table = tables[code[t]]
        z[t] = _plane(table, edges, counts, omega[t], v, rule)
        for k in range(2):
            j = 1 - k
            along = v[0, 1] / v[k, k]
            for i in range(counts[k]):
                d = edges[k, i] - omega[t, k]
                jump = table[i + 1] - table[i] if k == 0 else table[:, i + 1] - table[:, i]
                size = _density(d, v[k, k])
                face, slope = _line(
                    jump, edges[j], counts[j], omega[t, j] + along * d, v[j, j] - along * v[0, 1]
                )
                first[t, k] += size * face
                second[t, k, k] += size * (d / v[k, k] * face - along * slope)
                if k == 0:
                    second[t, 0, 1] += size * slope
        second[t, 1, 0] = second[t, 0, 1]
    return z, first, second


@compiled
def space_moments(
    tables: Array, code: Integers, edges: Array, counts: Integers, omega: Array, v: Array
) -> tuple[Array, Array, Array]:
    """(Z, gradient, Hessian) of three coordinates."""
    n = len(omega)
    z, first, second = np.empty(n), np.zeros((n, 3)), np.zeros((n, 3, 3))
    for k in range(3):
        others = np.array([j for j in range(3) if j != k])
        faces, sizes = edges[others], counts[others]
        along, left = np.empty(2), np.empty((2, 2))
        for a in range(2):
            along[a] = v[others[a], k] / v[k, k]
        for a in range(2):
            for b in range(2):
                left[a, b] = v[others[a], others[b]] - along[a] * v[others[b], k]
        rule = _corner_rule(left)
        for t in range(n):
            table = tables[code[t]]
            mean = np.empty(2)
            for i in range(counts[k]):
                d = edges[k, i] - omega[t, k]
                jump = _slice(table, k, i + 1) - _slice(table, k, i)
                for a in range(2):
                    mean[a] = omega[t, others[a]] + along[a] * d
                size = _density(d, v[k, k])
                face = _plane(jump, faces, sizes, mean, left, rule)
                slopes = _plane_gradient(jump, faces, sizes, mean, left)
                first[t, k] += size * face
                second[t, k, k] += size * (d / v[k, k] * face - along[0] * slopes[0] - along[1] * slopes[1])
                for a in range(2):
                    if others[a] > k:
                        second[t, k, others[a]] += size * slopes[a]
                        second[t, others[a], k] += size * slopes[a]
            if k == 0:
                z[t] = _space(table, edges[0], counts[0], faces, sizes, omega[t], v[0, 0], along, left, rule)
    return z, first, second


@compiled
def _slice(table: Array, axis: int, index: int) -> Array:
    """The table at one interval of a coordinate."""
    if axis == 0:
        face: Array = table[index].copy()
    elif axis == 1:
        face = table[:, index].copy()
    else:
        face = table[:, :, index].copy()
    return face


@compiled
def _upper(x: float) -> float:
    """P(N(0, 1) > x)."""
    return 0.5 * math.erfc(x / math.sqrt(2.0))


@compiled
def _between(low: float, high: float) -> float:
    """P(low < N(0, 1) < high), on the side of the small tail."""
    return _upper(low) - _upper(high) if low + high > 0 else _upper(-high) - _upper(-low)


@compiled
def _density(x: float, variance: float) -> float:
    return math.exp(-0.5 * x * x / variance) / math.sqrt(2.0 * math.pi * variance)


@compiled
def _line(table: Array, edges: Array, count: int, mean: float, variance: float) -> tuple[float, float]:
    """(Z, dZ/dmean) of one coordinate."""
    size = math.sqrt(variance)
    z, slope, low = 0.0, 0.0, -np.inf
    for i in range(count + 1):
        high = (edges[i] - mean) / size if i < count else np.inf
        if table[i] != 0.0:
            z += table[i] * _between(low, high)
        if i < count:
            slope += (table[i + 1] - table[i]) * _density(edges[i] - mean, variance)
        low = high
    return z, slope


@compiled
def _corner_rule(v: Array) -> Array:
    """Of the integral over the correlation up to that of V, which all samples share.

    Rows: nodes s, 1/(2 (1 - s^2)), and weights that contain the factor of the density; zeros without one.
    """
    rule = np.zeros((3, len(_NODES)))
    correlation = v[0, 1] / (math.sqrt(v[0, 0]) * math.sqrt(v[1, 1]))
    if 0.0 < abs(correlation) <= _STRONGEST:
        half = 0.5 * math.asin(correlation)
        for k in range(len(_NODES)):
            sine = math.sin(half * (1.0 + _NODES[k]))
            rule[0, k], rule[1, k] = sine, 0.5 / (1.0 - sine * sine)
            rule[2, k] = half * _WEIGHTS[k] / (2.0 * math.pi)
    return rule


@compiled
def _plane(table: Array, edges: Array, counts: Integers, mean: Array, v: Array, rule: Array) -> float:
    """Z of two coordinates: a product, moved to their correlation; by panels where that loses digits."""
    sizes = np.array([math.sqrt(v[0, 0]), math.sqrt(v[1, 1])])
    total, low = 0.0, -np.inf
    for i in range(counts[0] + 1):
        high = (edges[0, i] - mean[0]) / sizes[0] if i < counts[0] else np.inf
        z, _ = _line(table[i], edges[1], counts[1], mean[1], v[1, 1])
        total += z * _between(low, high)
        low = high
    correlation = v[0, 1] / (sizes[0] * sizes[1])
    if correlation == 0.0 or counts[1] == 0:
        return total
    if abs(correlation) <= _STRONGEST:
        total += _of_corners(table, edges, counts, mean, sizes, rule)
        if total > _LEAST * np.abs(table).max():
            return total
    return _of_panels(table, edges, counts, mean, v)


@compiled
def _of_corners(
    table: Array, edges: Array, counts: Integers, mean: Array, sizes: Array, rule: Array
) -> float:
    """What the correlation adds: dZ/d rho = sum over corners of the jump of T times the density there."""
    total = 0.0
    for i in range(counts[0]):
        a = (edges[0, i] - mean[0]) / sizes[0]
        for j in range(counts[1]):
            jump = table[i + 1, j + 1] - table[i + 1, j] - table[i, j + 1] + table[i, j]
            if jump == 0.0:
                continue
            b = (edges[1, j] - mean[1]) / sizes[1]
            here = 0.0
            for k in range(len(_NODES)):
                here += rule[2, k] * math.exp((2.0 * a * b * rule[0, k] - a * a - b * b) * rule[1, k])
            total += jump * here
    return total


@compiled
def _of_panels(table: Array, edges: Array, counts: Integers, mean: Array, v: Array) -> float:
    """Over the first coordinate by panels between its edges, over the second in closed form.

    All terms have one sign: Z keeps its digits however small it is.
    """
    size = math.sqrt(v[0, 0])
    along = v[0, 1] / v[0, 0]
    left = v[1, 1] - along * v[0, 1]
    width = _width(abs(along) * size, math.sqrt(left))
    lows, highs, order = _intervals(edges[0], counts[0], mean[0], size)
    total = 0.0
    for i in order:
        scale = np.abs(table[i]).max()
        for side in (1.0, -1.0):
            start = min(max(0.0, lows[i]), highs[i])
            end = highs[i] if side > 0 else lows[i]
            while side * (end - start) > 0.0 and _counts(start, scale, total):
                half = 0.5 * min(width, side * (end - start))
                for j in range(len(_NODES)):
                    x = start + side * (1.0 + _NODES[j]) * half
                    z, _ = _line(table[i], edges[1], counts[1], mean[1] + along * size * x, left)
                    total += half * _WEIGHTS[j] * _density(x, 1.0) * z
                start += side * 2.0 * half
    return total


@compiled
def _intervals(edges: Array, count: int, mean: float, size: float) -> tuple[Array, Array, Integers]:
    """The ends of the intervals in standard deviations from the mean, and their order by distance."""
    lows, highs, far = np.empty(count + 1), np.empty(count + 1), np.empty(count + 1)
    for i in range(count + 1):
        lows[i] = (edges[i - 1] - mean) / size if i > 0 else -np.inf
        highs[i] = (edges[i] - mean) / size if i < count else np.inf
        far[i] = max(lows[i], -highs[i], 0.0)
    return lows, highs, np.argsort(far)


@compiled
def _counts(x: float, scale: float, total: float) -> bool:
    """Whether a tail from x on may change the total."""
    return abs(x) < _REACH and scale * math.exp(-0.5 * x * x) > _NEGLIGIBLE * abs(total)


@compiled
def _width(slope: float, spread: float) -> float:
    """A panel in which a step of the other coordinate, smoothed over `spread`, is resolved."""
    return min(_PANEL, max(_STEPS * spread / slope, _NARROWEST))


@compiled
def _plane_gradient(table: Array, edges: Array, counts: Integers, mean: Array, v: Array) -> Array:
    result = np.zeros(2)
    for k in range(2):
        j = 1 - k
        along = v[0, 1] / v[k, k]
        for i in range(counts[k]):
            d = edges[k, i] - mean[k]
            jump = table[i + 1] - table[i] if k == 0 else table[:, i + 1] - table[:, i]
            face, _ = _line(jump, edges[j], counts[j], mean[j] + along * d, v[j, j] - along * v[0, 1])
            result[k] += _density(d, v[k, k]) * face
    return result


@compiled
def _space(
    table: Array,
    edges: Array,
    count: int,
    faces: Array,
    sizes: Integers,
    omega: Array,
    variance: float,
    along: Array,
    left: Array,
    rule: Array,
) -> float:
    """Z of three coordinates: over the first by panels, over the others by `_plane`."""
    size = math.sqrt(variance)
    correlated = along[0] != 0.0 or along[1] != 0.0
    width = _PANEL
    for a in range(2):
        if along[a] != 0.0 and sizes[a] > 0:
            width = min(width, _width(abs(along[a]) * size, math.sqrt(left[a, a])))
    mean = np.empty(2)
    mean[0], mean[1] = omega[1], omega[2]
    lows, highs, order = _intervals(edges, count, omega[0], size)
    total = 0.0
    for i in order:
        if not correlated:
            total += _between(lows[i], highs[i]) * _plane(table[i], faces, sizes, mean, left, rule)
            continue
        scale = np.abs(table[i]).max()
        for side in (1.0, -1.0):
            start = min(max(0.0, lows[i]), highs[i])
            end = highs[i] if side > 0 else lows[i]
            while side * (end - start) > 0.0 and _counts(start, scale, total):
                half = 0.5 * min(width, side * (end - start))
                for j in range(len(_NODES)):
                    x = start + side * (1.0 + _NODES[j]) * half
                    mean[0], mean[1] = omega[1] + along[0] * size * x, omega[2] + along[1] * size * x
                    z = _plane(table[i], faces, sizes, mean, left, rule)
                    total += half * _WEIGHTS[j] * _density(x, 1.0) * z
                start += side * 2.0 * half
    return total
