"""Labels of one coordinate as sources of noise: nodes so dense that the label moves little between them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.label.cases.line.coordinate import Coordinate
from hermite_analytics.label.cases.line.sheet_panels import LabelSheet
from hermite_analytics.label.cases.soft.rules import slopes_of, steep_panels
from hermite_analytics.label.quadrature import LabelQuadrature

__all__ = ["sources_of_noise"]

_WIDEST = (2.25, 1.5)  # panel, by level
_MOST = 400_000  # nodes
_RARE = 1e-21  # probability of a node that is left out


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
    labels, weights, first, second = [], [], [], []
    for sheet in sheets:
        edges = np.unique([end for piece in sheet.pieces for end in (piece.low, piece.high)])
        slopes = slopes_of([partial(_at, sheet)], edges, coordinate.low, coordinate.high)
        z, w = steep_panels(slopes, edges, _WIDEST[level], noise, _MOST)
        p = sheet.probability * w * np.exp(coordinate.log_density(z))
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


def _at(sheet: LabelSheet, points: Array) -> Array:
    return sheet.value(points[..., 0])
