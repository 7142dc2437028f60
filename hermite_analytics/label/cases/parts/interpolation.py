"""Compiled values of a tabulated density between its nodes."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.label.compiled import compiled

__all__ = ["STENCIL", "WEIGHTS", "Table", "interpolate"]

STENCIL = 12
WEIGHTS = np.array([(-1.0) ** j * math.comb(STENCIL - 1, j) for j in range(STENCIL)])


class Table(NamedTuple):
    """A density on one panel.

    Attributes
    ----------
    values : ndarray, shape (nodes, channels)
    first, last : int
        The nodes that are kept.
    half : int
        Node k stands at s = (k - half) step, the logarithm of the ratio of the distances from the ends.
    step : float
    """

    values: Array
    first: int
    last: int
    half: int
    step: float


@compiled
def _beyond(table: Table, position: float, out: Array) -> bool:
    """Like the power that the density shows at the last nodes; False where they are too few."""
    values, first, last = table.values, table.first, table.last
    end = first if position < first else last
    inner = min(first + 4, last) if position < first else max(last - 4, first)
    if inner == end:
        return False
    ratio = values[end, 0] / values[inner, 0] if values[inner, 0] > 0.0 else 1.0
    growth = ratio ** ((position - end) / (end - inner)) if ratio > 0.0 else 1.0
    for c in range(values.shape[1]):
        out[c] = values[end, c] * growth
    return True


@compiled
def _between(values: Array, start: int, position: float, out: Array) -> None:
    """The polynomial through the nodes from `start` on, by the barycentric formula."""
    channels = values.shape[1]
    for c in range(channels):
        out[c] = 0.0
    total = 0.0
    for j in range(STENCIL):
        distance = position - (start + j)
        if distance == 0.0:
            for c in range(channels):
                out[c] = values[start + j, c]
            return
        factor = WEIGHTS[j] / distance
        total += factor
        for c in range(channels):
            out[c] += factor * values[start + j, c]
    for c in range(channels):
        out[c] /= total


@compiled
def interpolate(table: Table, left: float, right: float, out: Array) -> bool:
    """All channels at distances `left`, `right` from the ends of the panel; False where the density vanishes.

    Between nodes: the polynomial through twelve neighbours. Outside the nodes kept: all channels go on like
    the power of the distance that the density shows there.
    """
    first, last = table.first, table.last
    if first > last or left <= 0.0 or right <= 0.0:
        return False
    position = math.log(left / right) / table.step + table.half
    if position < first or position > last:
        return _beyond(table, position, out)
    if last - first + 1 < STENCIL:
        # too few nodes for the rule: the nearest one, of a panel whose probability is negligible
        nearest = round(position)
        for c in range(table.values.shape[1]):
            out[c] = table.values[nearest, c]
    else:
        start = max(first, min(math.floor(position) - STENCIL // 2 + 1, last + 1 - STENCIL))
        _between(table.values, start, position, out)
    return True
