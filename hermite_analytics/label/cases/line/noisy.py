"""Labels of one coordinate as sources of noise: nodes so dense that the label moves little between them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.label.cases.line.coordinate import Coordinate
from hermite_analytics.label.cases.line.numeric_pieces import NumericPiece
from hermite_analytics.label.cases.line.preimages import LabelSheet
from hermite_analytics.label.quadrature import LabelQuadrature

__all__ = ["sources_of_noise"]

Array = NDArray[np.float64]

_STEP = (1.6, 1.1)  # the most that the label moves on a panel, in standard deviations, by level
_WIDEST = 0.8  # panel
_NODES = 14
_MOST = 400_000  # nodes
_RARE = 1e-18  # probability of a node that is left out


def sources_of_noise(
    sheets: Sequence[LabelSheet], coordinate: Coordinate, noise: float, *, level: int = 1
) -> tuple[Array, LabelQuadrature]:
    """(labels without noise, their probabilities and moments at nodes of the coordinate).

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
    x, w = np.polynomial.legendre.leggauss(_NODES)
    labels, weights, first, second = [], [], [], []
    for sheet in sheets:
        ends = np.concatenate([_ends(sheet, piece, _STEP[level] * noise) for piece in sheet.pieces])
        middle, half = ends.mean(1)[:, None], np.diff(ends, axis=1) / 2
        z = (middle + half * x).ravel()
        p = sheet.probability * (half * w).ravel() * np.exp(coordinate.log_density(z))
        z, p = z[p > _RARE], p[p > _RARE]
        m1, m2 = coordinate.moments(z, sheet.first, sheet.second)
        labels.append(sheet.value(z))
        weights.append(p)
        first.append(m1)
        second.append(m2)
    law = LabelQuadrature(
        weights=np.concatenate(weights), first=np.concatenate(first), second=np.concatenate(second)
    )
    return np.concatenate(labels), law


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
