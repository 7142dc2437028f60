"""Finitely many values, or nodes of a label, under additive noise: y = v + a*xi, a mixture of normal laws.

p(y) = sum_v p_v phi((y - v)/a)/a,    G(y) = sum_v E[(w w^T - I) 1{v}] phi((y - v)/a)/(a p(y)).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.label.cases.parts.density import LabelDensity, second_channels
from hermite_analytics.label.quadrature import LabelQuadrature

__all__ = ["noisy_density", "noisy_values"]

Array = NDArray[np.float64]

_PANELS = (2.0, 1.2)  # width in standard deviations, by level
_NODES = 16
_TAIL = 9.0
_APART = (1.2, 0.8)  # the most that nodes of a density are apart, in standard deviations, by level
_FINEST = 30.0  # times its spacing
_MOST = 30_000_000  # pairs of values and nodes of the noisy label


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
    if len(y) * len(values) > _MOST:
        raise UnsupportedExpression("the label is spread out too far for its noise")
    density = np.exp(-0.5 * ((y[:, None] - np.array(values)) / noise) ** 2) / (noise * math.sqrt(2 * math.pi))
    p = density @ np.array(probabilities, dtype=float)
    keep = p > 0
    g = np.tensordot(density[keep], second, 1) / p[keep][:, None, None]
    q = second.shape[1]
    return LabelQuadrature(weights=(steps * p)[keep], first=np.zeros((int(keep.sum()), q)), second=g)


def noisy_density(
    density: Callable[[float], LabelDensity], noise: float, *, level: int = 1
) -> tuple[LabelQuadrature, float]:
    """(the law of the noisy label, its mass defect), by the nodes of the label without noise as values.

    They are a rule for the smooth density of the noise too, where they are close together against it.

    Parameters
    ----------
    density : function of a level of refinement
        The tables of the label without noise.
    noise : float > 0
        Standard deviation.

    Raises
    ------
    UnsupportedExpression
        If the nodes would be too many.

    Examples
    --------
    >>> from hermite_analytics.label.cases.parts.branches import Term, term_density
    >>> identity = Term(value=lambda w: 1.0 * w, derivative=np.ones_like)
    >>> law, _ = noisy_density(lambda level: term_density(identity, level=level), 1.0)
    >>> round(float(law.weights @ law.second[:, 0, 0] ** 2), 9)  # E[(w^2 - 1 | y)^2] = (1/2)^2 2
    0.5
    """
    own = density(level + 1.0)
    widest = float(np.diff(own.points).max(initial=0.0)) * own.step / 4  # distance of nodes in a panel
    finer = widest / (_APART[level] * noise)
    if finer > _FINEST:
        raise UnsupportedExpression("the label is spread out too far for its noise")
    if finer > 1:
        own = density((level + 1.0) * finer)
    y, values = own.labels()
    second = values[:, second_channels(own.dimension)]
    found = noisy_values(y.tolist(), values[:, 0].tolist(), second, noise, level=level)
    return found, max(found.mass_defect, abs(own.mass - 1))


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
