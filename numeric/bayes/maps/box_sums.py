"""The sums of F over labels that are constant on boxes, for M along the coordinates: see `label_sums`.

Intervals of a coordinate are the places x of a grid, and their probabilities given omega what points are
seen by: nothing is spread, for any number of coordinates.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Integers
from hermite_analytics.foundation.threads import in_threads
from hermite_analytics.label.cases.values.boxes import BoxChannel
from hermite_analytics.label.intervals import interval_moments, interval_probabilities
from hermite_analytics.numeric.bayes.maps.gaussian_grid import omega_nodes
from hermite_analytics.numeric.bayes.maps.label_sums import OmegaAxis, label_sums, over_halves
from hermite_analytics.numeric.bayes.maps.mirrors import Mirrors
from hermite_analytics.numeric.bayes.maps.point_grid import parts_of

__all__ = ["box_sums"]


# of t, in units of min(1, sqrt(V/m)), by level: errors of 1e-14 of one coordinate, 1e-11 of more
_STEPS_OF_ONE = (0.2, 0.1)
_STEPS = (0.3, 0.15)
_CLOSE = 1e-3  # spacing of nodes below which those that see no edge are taken together
_WINDOW = 9.0  # standard deviations sqrt(V) from which an edge is seen
_FLOOR = 1e-15  # probability of a label that rounding may hide
_SAME = 1e-11
_TOGETHER = 2_000_000  # numbers in the tables of labels that are summed at once


def box_sums(
    channel: BoxChannel, overlaps: Array, even: Sequence[Array], *, level: int, alike: bool = False
) -> Array:
    """F at M = diag(overlaps), shape (q, q); `even` are mirrors of coordinates that keep every label.

    It is a multiple of I where all of the coordinates are `alike`, their overlaps too.
    """
    q = len(overlaps)
    edges, homes = zip(*map(_mirrored, channel.edges), strict=True)
    step = (_STEPS_OF_ONE if q == 1 else _STEPS)[level]
    axes = [_axis(e, float(m), step) for e, m in zip(edges, overlaps, strict=True)]
    mirrors = Mirrors.along(np.eye(q), even)
    halves = [len(h) // 2 for h in homes]
    tables = [parts_of(t[np.ix_(*homes)], mirrors, halves) for t in channel.tables(level)]
    size = max(1, _TOGETHER // math.prod(len(a.weights) for a in axes))

    def part(start: int) -> Array:
        parts = [
            np.ascontiguousarray(np.stack(x, -1)) for x in zip(*tables[start : start + size], strict=True)
        ]
        return label_sums(parts, axes, mirrors, floor=_FLOOR, alike=alike)

    found = np.asarray(sum(in_threads(part, range(0, len(tables), size))))
    return np.where(mirrors.absent, 0.0, found)


def _mirrored(edges: Array) -> tuple[Array, Integers]:
    """An odd number of intervals about 0, the middle one perhaps empty, and the given interval of each."""
    inner = np.sort(np.abs(edges[1:-1])) if len(edges) > 2 else np.zeros(1)
    inner = np.where(inner < _SAME, 0.0, inner)
    inner = np.append(inner[np.diff(inner, prepend=-1.0) > _SAME], math.inf)
    found = np.concatenate([-inner[::-1], inner])
    ends = np.clip(found, -1e3, 1e3)
    return found, np.searchsorted(edges[1:-1], 0.5 * (ends[1:] + ends[:-1]))


def _axis(edges: Array, m: float, step: float) -> OmegaAxis:
    """At nodes t >= 0; those from which all of the probability is in one interval are one node for it."""
    t, weights, masses = _nodes(edges, m, step)
    p, slope = interval_probabilities(edges[1:-1], math.sqrt(m) * t, 1 - m)
    near = p.max(1) < 1.0
    masses = masses + np.bincount(np.argmax(p, axis=1)[~near], weights=weights[~near], minlength=p.shape[1])
    home = np.flatnonzero(masses)
    certain = np.eye(p.shape[1])[home]
    return OmegaAxis(
        plain=over_halves(np.concatenate([p[near], certain])),
        slope=over_halves(np.concatenate([slope[near], np.zeros_like(certain)])),
        weights=np.concatenate([weights[near], masses[home]]),
    )


def _nodes(edges: Array, m: float, step: float) -> tuple[Array, Array, Array]:
    """(nodes t >= 0, their weights, what further nodes inside of each interval weigh).

    Beside complete overlap nodes are close, and most of them see no edge: those between two that do weigh
    the integral of the density, less h^2/24 times what its slope changes (Euler and Maclaurin).
    """
    masses = np.zeros(len(edges) - 1)
    h = step * math.sqrt((1 - m) / m) if m > 0 else 1.0
    if h > _CLOSE:
        t, weights = omega_nodes(m, step, half=True)
        return t, weights / 2, masses
    inner = edges[1:-1]
    centres, window = inner[inner >= 0] / (math.sqrt(m) * h), math.ceil(_WINDOW / step)
    seen = [np.arange(max(0, k - window), k + window + 1) for k in np.rint(centres).astype(np.int64)]
    k = np.unique(np.concatenate(seen))
    t = h * k
    weights = h * np.exp(-0.5 * t * t) / math.sqrt(2 * math.pi)
    weights[t == 0] /= 2
    gaps = np.flatnonzero(np.diff(k) > 1)
    low = h * np.concatenate([[0.0] if k[0] > 0 else [], k[gaps] + 0.5, [k[-1] + 0.5]])
    high = h * np.concatenate([[k[0] - 0.5] if k[0] > 0 else [], k[gaps + 1] - 0.5, [math.inf]])
    between = interval_moments(low, high)[0] + h * h / 24 * (_slope(high) - _slope(low))
    place = np.searchsorted(inner, math.sqrt(m) * np.where(np.isinf(high), low, 0.5 * (low + high)))
    return t, weights, masses + np.bincount(place, weights=between, minlength=len(masses))


def _slope(t: Array) -> Array:
    """Minus that of the density of N(0, 1)."""
    x = np.where(np.isinf(t), 0.0, t)
    return np.asarray(x * np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi))
