"""Finitely many values under additive noise: y = v + a*xi, a mixture of normal laws.

p(y) = sum_v p_v phi((y - v)/a)/a,    G(y) = sum_v E[(w w^T - I) 1{v}] phi((y - v)/a)/(a p(y)).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.label.quadrature import LabelQuadrature

__all__ = ["noisy_values"]

Array = NDArray[np.float64]

_PANELS = (2.0, 1.2)  # width in standard deviations, by level
_NODES = 16
_TAIL = 9.0


def noisy_values(
    values: Sequence[float], probabilities: Sequence[float], second: Array, noise: float, *, level: int = 1
) -> LabelQuadrature:
    """The law of the noisy label.

    Parameters
    ----------
    values, probabilities : sequences of k numbers
    second : ndarray, shape (k, q, q)
        E[(w w^T - I) 1{v}].
    noise : float > 0
        Standard deviation.

    Examples
    --------
    >>> from hermite_analytics.label.operator import top_eigenvalue
    >>> g = np.array([[[0, -1], [-1, 0]], [[0, 1], [1, 0]]]) / np.pi
    >>> round(1 / top_eigenvalue(noisy_values([-1, 1], [0.5, 0.5], g, 1.0)), 7)  # sign(z1*z2) + xi
    4.4829195
    """
    y, steps = _label_nodes(np.array(values, dtype=float), noise, _PANELS[level] * noise)
    density = np.exp(-0.5 * ((y[:, None] - np.array(values)) / noise) ** 2) / (noise * math.sqrt(2 * math.pi))
    p = density @ np.array(probabilities, dtype=float)
    keep = p > 0
    g = np.tensordot(density[keep], second, 1) / p[keep][:, None, None]
    q = second.shape[1]
    return LabelQuadrature(weights=(steps * p)[keep], first=np.zeros((int(keep.sum()), q)), second=g)


def _label_nodes(values: Array, noise: float, width: float) -> tuple[Array, Array]:
    """Panels of Gauss and Legendre that cover all values and the noise around them, gaps left out."""
    x, w = np.polynomial.legendre.leggauss(_NODES)
    nodes, weights = [], []
    for low, high in _intervals(values, _TAIL * noise):
        ends = np.linspace(low, high, math.ceil((high - low) / width) + 1)
        for a, b in itertools.pairwise(ends):
            nodes.append((a + b) / 2 + (b - a) / 2 * x)
            weights.append((b - a) / 2 * w)
    return np.concatenate(nodes), np.concatenate(weights)


def _intervals(values: Array, reach: float) -> list[tuple[float, float]]:
    result: list[tuple[float, float]] = []
    for v in np.sort(values):
        low, high = float(v - reach), float(v + reach)
        if result and low <= result[-1][1]:
            low = result.pop()[0]
        result.append((low, high))
    return result
