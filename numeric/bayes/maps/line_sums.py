"""The sums of F for one coordinate: labels with weighted points w, omega on a grid.

With p_k the masses of the points w_k of a label, omega = m^(1/2) t and V = 1 - m,

    E[a a^T] = sum over labels int dt (sum_k p_k J_k a_k) (sum_k p_k J_k a_k)^T / sum_k p_k J_k,
    J_k(t) = N(t; m^(1/2) w_k, V),

for the average a of any a_k(t) = values_k - offset omega over the points: F has (w_k - omega)/V. No grid
point beyond some standard deviations of J is visited.
"""

from __future__ import annotations

import math

import numpy as np

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.numpy_arrays import Array, Integers
from hermite_analytics.label.cases.soft.channel import SoftChannel
from hermite_analytics.label.nodes import LabelNodes
from hermite_analytics.numeric.bayes.maps.gaussian_grid import equal_steps
from hermite_analytics.numeric.bayes.maps.plane_sums import omega_step
from hermite_analytics.numeric.compiled import compiled

__all__ = ["line_averages", "line_sum", "sum_beside_noise"]

_WINDOW = 8.6  # standard deviations of J that are visited
_SMALL = 1e-2  # overlap below which F is small: nothing may be lost on one side, nor to rounding
_WIDER = 12.0
_TINY = 1e-280
_NARROWEST = 1e-6  # variance
_SAME = 1e-12


def line_sum(nodes: LabelNodes, m: float, *, level: int, half: bool = False) -> float:
    """F(m); `half` where the points of each label are symmetric."""
    v = 1.0 - m
    return float(line_averages(nodes, nodes.points / v, np.full(1, 1 / v), m, level=level, half=half)[0, 0])


def sum_beside_noise(channel: SoftChannel, matrix: Array, *, level: int) -> Array:
    """F(M), shape (2, 2), of y = slope l + h(w) + noise xi at a diagonal M of l and w.

    A known part of l is taken off exactly; what is unknown of it is noise of h(w).

    Raises
    ------
    UnsupportedExpression
        If M is not diagonal, or one overlap alone is too close to 1.
    """
    if np.abs(matrix - np.diag(np.diag(matrix))).max() > _SAME:
        raise UnsupportedExpression(
            "F of this label is found at matrices M that are diagonal in its coordinates; "
            "simulate other ones by AMP"
        )
    slope, m = channel.slope, float(matrix[1, 1])
    variance = channel.noise**2 + slope**2 * (1 - float(matrix[0, 0]))
    if min(variance, 1 - m) < _NARROWEST:
        raise UnsupportedExpression(
            f"an overlap is within {_NARROWEST:g} of 1, but not both coordinates are known exactly; "
            "simulate it by AMP"
        )
    nodes = channel.label_nodes(level, math.sqrt(1 - m), math.sqrt(variance))
    labels = np.repeat(nodes.labels, np.diff(nodes.starts))
    rest = labels - channel.rule.laws[0](nodes.points)
    values = np.stack([slope * rest / variance, nodes.points[:, 0] / (1 - m)], axis=1)
    found = line_averages(nodes, values, np.array([0.0, 1 / (1 - m)]), m, level=level)
    return np.asarray(np.diag(np.diag(found)))


def line_averages(
    nodes: LabelNodes, values: Array, offset: Array, m: float, *, level: int, half: bool = False
) -> Array:
    """E[a a^T], shape (c, c), over omega and the labels.

    Parameters
    ----------
    values : ndarray, shape (points, c)
    offset : ndarray, shape (c,)
    half : bool
        Whether half of the line of omega is enough.
    """
    step, reach = omega_step(m, level, coordinates=1)
    t, times = equal_steps(step, reach, half=half)
    first = 0 if half else -(len(t) // 2)
    density = np.ones(1)
    if m > 0:
        fine = step / math.sqrt(1 - m)
        x = fine * np.arange(math.ceil((_WINDOW if m > _SMALL else _WIDER) / fine) + 1)
        density = np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi * (1 - m))
    centres = math.sqrt(m) / step * nodes.points[:, 0]
    size = values.shape[1]
    result = np.zeros((size, size))
    _averages(
        nodes.starts,
        nodes.masses,
        np.rint(centres).astype(np.int64) - first,
        (np.rint(centres) - centres) * step / math.sqrt(1 - m),
        density,
        np.ascontiguousarray(values.T),
        math.sqrt(m) * np.multiply.outer(offset, t),
        step / math.sqrt(1 - m) if m > 0 else 0.0,
        times,
        m <= _SMALL,
        np.zeros((1 + size, len(t))),
        np.empty(2 * len(density) - 1),
        result,
    )
    return np.asarray(np.tril(result) + np.tril(result, -1).T)


@compiled
def _averages(
    starts: Integers,
    masses: Array,
    nearest: Integers,
    beside: Array,
    density: Array,
    values: Array,
    offsets: Array,
    step: float,
    times: Array,
    careful: bool,
    grid: Array,
    near: Array,
    result: Array,
) -> None:
    """Add to the lower triangle of `result`; `grid` is room, 0 before and after, and `near` is room.

    `nearest` is the grid point next to the centre of J, `beside` its distance in standard deviations.
    Products are as good as their factors; `careful` is without their rounding.
    """
    size, count, reach = len(values), len(times), len(density) - 1
    z, sums = grid[0], grid[1:]
    for label in range(len(starts) - 1):
        first, last = count, 0
        for k in range(starts[label], starts[label + 1]):
            c = nearest[k]
            low, high = max(c - reach, 0), min(c + reach + 1, count)
            if low >= high:
                continue
            first, last = min(first, low), max(last, high)
            # exp(-(x + j h)^2/2) = exp(-x^2/2) exp(-x h)^j exp(-(j h)^2/2)
            ratio = math.exp(-beside[k] * step)
            up = masses[k] * math.exp(-0.5 * beside[k] * beside[k])
            down = up
            near[reach] = up * density[0]
            for j in range(1, reach + 1):
                if careful:
                    up = masses[k] * math.exp(-0.5 * (beside[k] * beside[k] + 2.0 * j * beside[k] * step))
                    down = masses[k] * math.exp(-0.5 * (beside[k] * beside[k] - 2.0 * j * beside[k] * step))
                else:
                    up *= ratio
                    down /= ratio
                near[reach + j] = up * density[j]
                near[reach - j] = down * density[j]
            shift = reach - c
            for i in range(low, high):
                z[i] += near[i + shift]
            for s in range(size):
                value = values[s, k]
                for i in range(low, high):
                    sums[s, i] += near[i + shift] * (value - offsets[s, i])
        # the grid between its first and last point, or what each point has seen where that is less
        together = last - first <= (starts[label + 1] - starts[label]) * len(near)
        for k in range(starts[label], starts[label] + 1 if together else starts[label + 1]):
            if not together:
                first, last = max(nearest[k] - reach, 0), min(nearest[k] + reach + 1, count)
            for i in range(first, last):
                if z[i] > _TINY:
                    weight = times[i] / z[i]
                    for s in range(size):
                        for r in range(s + 1):
                            result[s, r] += weight * sums[s, i] * sums[r, i]
                z[i] = 0.0
                for s in range(size):
                    sums[s, i] = 0.0
