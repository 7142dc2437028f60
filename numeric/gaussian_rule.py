"""Quadrature over kappa ~ N(0, 1) that knows where its integrands change quickly.

Gauss-Legendre panels; near a feature (a kink smoothed over a width w, or an unsmoothed one, w = 0) the
panels shrink geometrically down to w. Level 1 has panels about as wide as level 0, at other places, so that
the two measure each other's error; each further level halves all panels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.foundation.panels import panel_rule

__all__ = ["PANEL_WIDTH", "PRODUCT_GROWTH", "Feature", "gaussian_rule", "product_rule"]

_PANEL_NODES = 16
PANEL_WIDTH = 1.5
PRODUCT_GROWTH = 1.5
"""Nodes of a coordinate of a product rule, times those of the level before; at a step it errs as 1/nodes."""
_HALF_WIDTHS = (8.0, 9.0)  # of levels 0 and 1; then each level adds a panel's width
_NARROWEST = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """A point near which integrands vary on the scale `width` (0: a kink at the point itself)."""

    center: float
    width: float


def gaussian_rule(features: Sequence[Feature], level: int) -> tuple[Array, Array]:
    """Nodes and weights of E over N(0, 1); weights include the density.

    Parameters
    ----------
    features : sequence of Feature
    level : int >= 0
        Level 1 moves the panels; each further level halves them. Each widens the range.

    Returns
    -------
    nodes, weights : ndarray, shape (n,)
    """
    edges = _halved(_panels(features, level), max(level - 1, 0))
    nodes, weights = panel_rule(edges, _PANEL_NODES)
    return nodes, weights * np.exp(-0.5 * nodes**2) / np.sqrt(2 * np.pi)


def _panels(features: Sequence[Feature], level: int) -> Array:
    """Edges of panels no longer than the scale on which the integrands vary there."""
    # 11 and 12 panels: at level 1 no panel and no half, quarter, ... of one is that of level 0
    end = _HALF_WIDTHS[level] if level < 2 else _HALF_WIDTHS[1] + PANEL_WIDTH * (level - 1)
    count = round(2 * end / PANEL_WIDTH)
    inside = [f for f in features if abs(f.center) < end]
    kinks = [f.center for f in inside if f.width <= _NARROWEST]
    edges = np.unique(np.concatenate([np.linspace(-end, end, count + 1), kinks]))
    smooth = [f for f in inside if _NARROWEST < f.width < PANEL_WIDTH]
    if not smooth:
        return edges
    centers = np.array([f.center for f in smooth])
    widths = np.array([f.width for f in smooth])
    while True:
        left, right = edges[:-1, None], edges[1:, None]
        distance = np.maximum(np.maximum(left - centers, centers - right), 0.0)
        long = np.any(right - left > 1.0001 * np.maximum(widths, distance), axis=1)
        if not np.any(long):
            return edges
        middles = 0.5 * (edges[1:] + edges[:-1])
        edges = np.sort(np.concatenate([edges, middles[long]]))


def _halved(edges: Array, times: int) -> Array:
    for _ in range(times):
        edges = np.sort(np.concatenate([edges, 0.5 * (edges[1:] + edges[:-1])]))
    return edges


def product_rule(dimension: int, level: int, *, smallest: float = 1e-22) -> tuple[Array, Array]:
    """Nodes and weights of E over N(0, I) in several dimensions, for smooth integrands.

    Gauss-Hermite in each coordinate, 1.5 times as many nodes a level; products of weights below `smallest`
    are left out.

    Returns
    -------
    nodes : ndarray, shape (dimension, n)
    weights : ndarray, shape (n,)
    """
    from scipy.special import roots_hermitenorm

    first = 40 if dimension == 2 else 24
    line, weight = roots_hermitenorm(round(first * PRODUCT_GROWTH**level))
    weight = weight / weight.sum()
    grids = np.meshgrid(*[line] * dimension, indexing="ij")
    weights = np.ones(grids[0].shape)
    for axis in range(dimension):
        shape = [1] * dimension
        shape[axis] = -1
        weights = weights * weight.reshape(shape)
    kept = weights.ravel() > smallest
    return np.stack([g.ravel()[kept] for g in grids]), weights.ravel()[kept]
