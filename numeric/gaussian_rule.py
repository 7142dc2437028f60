"""Quadrature over kappa ~ N(0, 1) that knows where its integrands change quickly.

Gauss-Legendre panels; near a feature (a kink smoothed over a width w, or an unsmoothed one, w = 0) the
panels shrink geometrically down to w. Each level halves all panels and widens the range, so that two
levels in a row measure the error of the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Feature", "gaussian_rule"]

_PANEL_NODES = 16
_PANEL_WIDTH = 1.5
_HALF_WIDTH = 9.0
_NARROWEST = 1e-12
_nodes, _weights = np.polynomial.legendre.leggauss(_PANEL_NODES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """A point near which integrands vary on the scale `width` (0: a kink at the point itself)."""

    center: float
    width: float


def gaussian_rule(features: Sequence[Feature], level: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Nodes and weights of E over N(0, 1); weights include the density.

    Parameters
    ----------
    features : sequence of Feature
    level : int >= 0
        Each level halves the panels and widens the range by 1.5.

    Returns
    -------
    nodes, weights : ndarray, shape (n,)
    """
    end = _HALF_WIDTH + 1.5 * level
    count = int(np.ceil(2 * end / _PANEL_WIDTH))
    edges = set(np.linspace(-end, end, count + 1))
    for feature in features:
        if abs(feature.center) >= end:
            continue
        edges.add(feature.center)
        width = feature.width
        while _NARROWEST < width < _PANEL_WIDTH:
            edges.update(x for x in (feature.center - width, feature.center + width) if abs(x) < end)
            width *= 2
    sorted_edges = np.array(sorted(edges))
    for _ in range(level):
        middles = 0.5 * (sorted_edges[1:] + sorted_edges[:-1])
        sorted_edges = np.sort(np.concatenate([sorted_edges, middles]))
    half = 0.5 * np.diff(sorted_edges)
    half = half[half > 0]
    middle = (0.5 * (sorted_edges[1:] + sorted_edges[:-1]))[np.diff(sorted_edges) > 0]
    nodes = (middle[:, None] + half[:, None] * _nodes).ravel()
    weights = (half[:, None] * _weights).ravel() * np.exp(-0.5 * nodes**2) / np.sqrt(2 * np.pi)
    return nodes, weights
