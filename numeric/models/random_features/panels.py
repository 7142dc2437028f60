"""Gauss-Legendre panels on the line that shrink towards the points where an integrand bends, compiled."""

from __future__ import annotations

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.foundation.panels import gauss_legendre
from hermite_analytics.numeric.compiled import compiled

__all__ = ["MOST_FEATURES", "NODES", "WEIGHTS", "in_order", "panel_edges"]

MOST_FEATURES = 96
NODES, WEIGHTS = gauss_legendre(16)
_PANEL_WIDTH = 1.5
_HALF_WIDTH = 9.0
_NARROWEST = 1e-9


@compiled
def in_order(values: Array) -> Array:
    """Sort a short array in place by insertion: np.sort would take seconds to compile."""
    for j in range(1, values.size):
        value = values[j]
        i = j
        while i > 0 and values[i - 1] > value:
            values[i] = values[i - 1]
            i -= 1
        values[i] = value
    return values


@compiled
def panel_edges(features: Array, count: int, level: int) -> Array:
    """Sorted edges of panels that cover the bulk of N(0, 1).

    Parameters
    ----------
    features : array of shape (>= count, 2)
        Rows (center, width): panels near the center are not wider than the width; width 0 is a kink, where
        two panels meet.
    level : int >= 0
        Each level halves the panels and widens the range.
    """
    end = _HALF_WIDTH + _PANEL_WIDTH * level
    base = round(2.0 * end / _PANEL_WIDTH)
    edges = np.empty(base + 1 + count * 70)
    for j in range(base + 1):
        edges[j] = -end + 2.0 * end * j / base
    size = base + 1
    for j in range(count):
        center, width = features[j]
        if not abs(center) < end:
            continue
        edges[size] = center
        size += 1
        width = max(width, _NARROWEST) if width > 0.0 else _PANEL_WIDTH
        while width < _PANEL_WIDTH:
            for point in (center - width, center + width):
                if abs(point) < end:
                    edges[size] = point
                    size += 1
            width *= 2.0
    edges = in_order(edges[:size])
    for _ in range(level):
        finer = np.empty(2 * edges.size - 1)
        for j in range(edges.size):
            finer[2 * j] = edges[j]
            if j > 0:
                finer[2 * j - 1] = 0.5 * (edges[j] + edges[j - 1])
        edges = finer
    return edges
