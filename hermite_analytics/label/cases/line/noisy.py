"""Labels of one coordinate under additive noise, y = g(z) + a*xi: the smoothed law on panels of y.

    p(y) = int density(z) phi((y - g(z))/a)/a dz,

with z nodes so dense that g moves by less than half of a between neighbours, and only those near y used.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.label.cases.line.coordinate import Coordinate
from hermite_analytics.label.cases.line.numeric_pieces import NumericPiece
from hermite_analytics.label.cases.line.preimages import LabelSheet
from hermite_analytics.label.quadrature import LabelQuadrature

__all__ = ["noisy_quadrature"]

Array = NDArray[np.float64]

_PANEL = (2.4, 1.6)  # width of a panel of labels in standard deviations, by level
_STEP = (1.6, 1.1)  # the most that g moves on a panel of z, in standard deviations
_WIDEST = 0.8  # of a panel of z
_NODES = 14
_REACH = 8.6
_MOST = 400_000  # nodes in z


def noisy_quadrature(
    sheets: Sequence[LabelSheet], coordinate: Coordinate, noise: float, *, level: int = 1
) -> tuple[LabelQuadrature, float]:
    """(the law of the noisy label as a finite sum, its mass defect).

    Parameters
    ----------
    sheets : sequence of LabelSheet
    coordinate : Coordinate
    noise : float > 0
        Standard deviation.

    Raises
    ------
    UnsupportedExpression
        If the label is too steep for the noise.
    """
    g, p, m1, m2 = _sources(sheets, coordinate, noise, level)
    order = np.argsort(g)
    g, p, m1, m2 = g[order], p[order], m1[order], m2[order]
    x, w = np.polynomial.legendre.leggauss(_NODES)
    weights, first, second = [], [], []
    width = _PANEL[level] * noise
    for low, high in _panels(g, p, width, _REACH * noise):
        y = (low + high) / 2 + (high - low) / 2 * x
        near = slice(*np.searchsorted(g, [low - _REACH * noise, high + _REACH * noise]))
        kernel = np.exp(-0.5 * ((y[:, None] - g[near]) / noise) ** 2) * p[near]
        mass = kernel.sum(1)
        keep = mass > 0
        safe = mass[keep]
        weights.append((high - low) / 2 * w[keep] * safe / (noise * math.sqrt(2 * math.pi)))
        first.append(kernel[keep] @ m1[near] / safe[:, None])
        second.append(np.tensordot(kernel[keep], m2[near], 1) / safe[:, None, None])
    found = LabelQuadrature(
        weights=np.concatenate(weights), first=np.concatenate(first), second=np.concatenate(second)
    )
    return found, found.mass_defect


def _sources(
    sheets: Sequence[LabelSheet], coordinate: Coordinate, noise: float, level: int
) -> tuple[Array, Array, Array, Array]:
    """Labels without noise, probabilities and moments at nodes of the coordinate."""
    x, w = np.polynomial.legendre.leggauss(_NODES)
    z_parts, p_parts, g_parts, m1_parts, m2_parts = [], [], [], [], []
    for sheet in sheets:
        ends = np.concatenate([_ends(sheet, piece, _STEP[level] * noise) for piece in sheet.pieces])
        a, b = ends[:, 0], ends[:, 1]
        z = ((a + b)[:, None] / 2 + (b - a)[:, None] / 2 * x).ravel()
        p = sheet.probability * ((b - a)[:, None] / 2 * w).ravel() * np.exp(coordinate.log_density(z))
        keep = p > 1e-18
        m1, m2 = coordinate.moments(z[keep], sheet.first, sheet.second)
        z_parts.append(z[keep])
        p_parts.append(p[keep])
        g_parts.append(sheet.value(z[keep]))
        m1_parts.append(m1)
        m2_parts.append(m2)
    return tuple(np.concatenate(part) for part in (g_parts, p_parts, m1_parts, m2_parts))  # type: ignore[return-value]


def _ends(sheet: LabelSheet, piece: NumericPiece, step: float) -> Array:
    """Panels of a piece on which the label moves by at most `step`, shape (n, 2)."""
    cuts = np.linspace(piece.low, piece.high, max(1, math.ceil((piece.high - piece.low) / _WIDEST)) + 1)
    while True:
        moves = np.abs(np.diff(sheet.value(np.clip(cuts, piece.low + 1e-13, piece.high - 1e-13))))
        wide = (moves > step) & (np.abs(cuts[1:] + cuts[:-1]) / 2 < 8.6)
        if not wide.any() or len(cuts) * _NODES > _MOST:
            break
        cuts = np.sort(np.concatenate([cuts, ((cuts[1:] + cuts[:-1]) / 2)[wide]]))
    if len(cuts) * _NODES > _MOST:
        raise UnsupportedExpression("the label is too steep for its noise")
    return np.stack([cuts[:-1], cuts[1:]], 1)


def _panels(g: Array, p: Array, width: float, reach: float) -> list[tuple[float, float]]:
    """Panels that cover the labels and their noise, gaps left out."""
    heavy = g[p > 1e-17]
    result: list[tuple[float, float]] = []
    start = float(heavy[0] - reach)
    gaps = np.flatnonzero(np.diff(heavy) > 2 * reach)
    for end, following in [*((heavy[i], heavy[i + 1]) for i in gaps), (heavy[-1], math.inf)]:
        count = math.ceil((float(end) + reach - start) / width)
        cuts = np.linspace(start, float(end) + reach, count + 1)
        result += [(float(a), float(b)) for a, b in itertools.pairwise(cuts)]
        start = float(following - reach)
    return result
