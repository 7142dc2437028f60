"""The sums of F for two coordinates: labels with weighted points z of the plane, omega on a grid.

With p_k the probability of the points z_k of a label, w ~ N(0, I), and omega = sqrt(m) t in the axes of M,

    F = sum over labels int dt (sum_k p_k J_k(t) d_k) (sum_k p_k J_k(t) d_k)^T / sum_k p_k J_k(t),
    d_k = V^-1 (z_k - omega),  J_k(t) = N(t; sqrt(m) z_k, V),  V = I - m,

each coordinate with its own m and V. J is a product over the coordinates, and no grid point beyond some of
its standard deviations is visited.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Integers
from hermite_analytics.foundation.threads import THREADS, in_threads
from hermite_analytics.numeric.compiled import compiled

__all__ = ["omega_step", "overlap_sums", "smoothed_square", "visited"]


# of t, in standard deviations sqrt(V), by the number of coordinates and the level
_STEP = {1: (0.24, 0.1), 2: (0.36, 0.2), 3: (0.5, 0.4)}
_SQUARE_STEP = (0.65, 0.55)  # the same for squares of smoothed functions: exp(-pi^2/.65^2) = 7e-11
_WINDOW = (5.8, 7.2)  # standard deviations of J that are visited
_FARTHEST = {1: (8.6, 9.2), 2: (6.4, 7.4), 3: (5.6, 6.6)}  # |t|
_SMALL = 1e-2  # overlap below which F is small: all points are visited, so that nothing is lost on one side
_EVERYTHING = 10.0
_TINY = 1e-280
_AT_ONCE = 100_000_000  # visits of the grid between looks at the clock


def omega_step(m: float, level: int, *, coordinates: int) -> tuple[float, float]:
    """(step of t, the largest t) at an overlap; one point where it is 0."""
    if m <= 0:
        return 1.0, 0.0
    return _STEP[coordinates][level] * math.sqrt(1 - m), _FARTHEST[coordinates][level]


def _grid(m: float, level: int, *, step: float | None = None) -> tuple[float, int]:
    """(step of t, half of the number of steps); `step` in standard deviations sqrt(V)."""
    found, reach = omega_step(m, level, coordinates=2)
    if step is not None and m > 0:
        found = step * math.sqrt(1 - m)
    return found, math.ceil(reach / found)


def visited(m: float, level: int) -> tuple[int, int]:
    """(steps of t that a point sees, all of them) at an overlap."""
    step, half = _grid(m, level)
    return min(math.ceil(2 * _WINDOW[level] * math.sqrt(1 - m) / step), 2 * half + 1), 2 * half + 1


def overlap_sums(
    starts: Integers, points: Array, masses: Array, overlaps: Array, *, level: int, half: Sequence[bool]
) -> Array:
    """F, shape (2, 2), in the axes of M.

    Parameters
    ----------
    starts : ndarray of int, shape (n + 1,)
        Points starts[i] to starts[i + 1] are those of label i.
    points : ndarray, shape (k, 2)
        In the axes of M.
    masses : ndarray, shape (k,)
    overlaps : ndarray, shape (2,)
        Eigenvalues of M, in [0, 1).
    level : int
        0 or 1, of the grid.
    half : two bools
        Whether half of the line is enough, see `Mirrors`.
    """
    steps, halves = zip(*(_grid(float(m), level) for m in overlaps), strict=True)
    firsts = [0 if e and h > 0 else -h for e, h in zip(half, halves, strict=True)]
    visits = len(points) * math.prod(visited(float(m), level)[0] for m in overlaps)
    parts = THREADS * max(1, math.ceil(visits / (THREADS * _AT_ONCE)))
    # the labels with many points take longest: dealt out one after the other
    order = np.argsort(-np.diff(starts), kind="stable")

    counts = [_multiplicities(first, half) for first, half in zip(firsts, halves, strict=True)]

    def evaluate(labels: Integers) -> Array:
        found = np.zeros(3)
        _overlap_sums(
            labels,
            starts,
            points,
            masses,
            np.asarray(overlaps, dtype=np.float64),
            np.array(steps),
            np.array(firsts),
            counts[0],
            counts[1],
            _WINDOW[level] if float(np.max(overlaps)) > _SMALL else _EVERYTHING,
            np.zeros((3, len(counts[0]), len(counts[1]))),
            np.zeros((4, max(map(len, counts)))),
            found,
        )
        return found

    sums = sum(in_threads(evaluate, [order[k::parts] for k in range(parts)]), np.zeros(3))
    first, mixed, second = sums * math.prod(steps)
    return np.array([[first, mixed], [mixed, second]])


def _multiplicities(first: int, last: int) -> Array:
    """How often each grid point counts: twice on a half line, 0 apart."""
    times = np.ones(last - first + 1)
    if first == 0:
        times[1:] = 2.0
    return times


@compiled
def _overlap_sums(
    labels: Integers,
    starts: Integers,
    points: Array,
    masses: Array,
    overlaps: Array,
    steps: Array,
    firsts: Integers,
    times0: Array,
    times1: Array,
    window: float,
    grids: Array,
    work: Array,
    result: Array,
) -> None:
    """Add the three sums of F to `result`; `grids` is room, 0 before and after."""
    n0, n1 = len(times0), len(times1)
    z, z0, z1 = grids[0], grids[1], grids[2]
    factor0, shift0, factor1, shift1 = work[0], work[1], work[2], work[3]
    for label in labels:
        low0, high0, low1, high1 = n0, 0, n1, 0
        for k in range(starts[label], starts[label + 1]):
            a0, b0 = _factors(points[k, 0], overlaps[0], steps[0], firsts[0], n0, window, factor0, shift0)
            a1, b1 = _factors(points[k, 1], overlaps[1], steps[1], firsts[1], n1, window, factor1, shift1)
            if b0 <= a0 or b1 <= a1:
                continue
            low0, high0, low1, high1 = min(low0, a0), max(high0, b0), min(low1, a1), max(high1, b1)
            for i in range(a0, b0):
                here = masses[k] * factor0[i]
                along = here * shift0[i]
                for j in range(a1, b1):
                    term = here * factor1[j]
                    z[i, j] += term
                    z0[i, j] += along * factor1[j]
                    z1[i, j] += term * shift1[j]
        for i in range(low0, high0):
            for j in range(low1, high1):
                if z[i, j] > _TINY:
                    weight = times0[i] * times1[j] / z[i, j]
                    result[0] += weight * z0[i, j] * z0[i, j]
                    result[1] += weight * z0[i, j] * z1[i, j]
                    result[2] += weight * z1[i, j] * z1[i, j]
                z[i, j] = 0.0
                z0[i, j] = 0.0
                z1[i, j] = 0.0


@compiled
def _factors(
    place: float, m: float, step: float, first: int, count: int, window: float, factor: Array, shift: Array
) -> tuple[int, int]:
    """Fill N(t; sqrt(m) z, V) and (z - omega)/V on the grid points that are near; returns their range."""
    if m <= 0.0:
        factor[0], shift[0] = 1.0, place
        return 0, 1
    v = 1.0 - m
    size, root = math.sqrt(v), math.sqrt(m)
    centre = root * place
    a = max(0, math.ceil((centre - window * size) / step) - first)
    b = min(count, math.floor((centre + window * size) / step) - first + 1)
    for i in range(a, b):
        t = (first + i) * step
        x = (t - centre) / size
        factor[i] = math.exp(-0.5 * x * x) / (size * math.sqrt(2.0 * math.pi))
        shift[i] = (place - root * t) / v
    return a, b


def smoothed_square(points: Array, masses: Array, overlaps: Array, *, level: int) -> float:
    """E (E[f | omega])^2 for masses p_k f(z_k), with z given omega of N(omega, I - M); points in M's axes.

    A sum over equally spaced t with spacing s sqrt(V) is off by exp(-pi^2/s^2), relatively: along t + ia a
    smoothed density grows as exp(a^2/2V), and its square over that of N(0, 1) as exp(a^2/V - a^2/2) at most.
    """
    steps, halves = zip(*(_grid(float(m), level, step=_SQUARE_STEP[level]) for m in overlaps), strict=True)
    grid, work = np.zeros([2 * h + 1 for h in halves]), np.empty((4, 2 * max(halves) + 1))
    over, window = np.asarray(overlaps, dtype=np.float64), _WINDOW[level]
    _spread_masses(points, masses, over, np.array(steps), -np.array(halves), window, work, grid)
    square = grid**2
    for k, (m, step, half) in enumerate(zip(over, steps, halves, strict=True)):
        t = step * np.arange(-half, half + 1)
        density = np.exp(0.5 * t * t) * math.sqrt(2 * math.pi) if m > 0 else np.ones(1)
        square = square * np.expand_dims(density * step, 1 - k)
    return float(square.sum())


@compiled
def _spread_masses(
    points: Array,
    masses: Array,
    overlaps: Array,
    steps: Array,
    firsts: Integers,
    window: float,
    work: Array,
    grid: Array,
) -> None:
    """Add the densities of the points at each omega of the grid; `work` is room."""
    n0, n1 = grid.shape
    factor0, shift0, factor1, shift1 = work[0], work[1], work[2], work[3]
    for k in range(len(points)):
        a0, b0 = _factors(points[k, 0], overlaps[0], steps[0], firsts[0], n0, window, factor0, shift0)
        a1, b1 = _factors(points[k, 1], overlaps[1], steps[1], firsts[1], n1, window, factor1, shift1)
        for i in range(a0, b0):
            here = masses[k] * factor0[i]
            for j in range(a1, b1):
                grid[i, j] += here * factor1[j]
