"""Labels under additive noise, y = v + a*xi: a mixture of normal laws.

p(y) = sum_v p_v phi((y - v)/a)/a,    E[h | y] = sum_v p_v E[h | v] phi((y - v)/a)/(a p(y)),

over finitely many values v, or over the nodes of a label, where they are close together against the noise.
Labels y are multiples of a step near the values: the trapezoid rule, as the noise is smooth.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.clock import check_time
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.label.cases.parts.density import LabelDensity
from hermite_analytics.label.quadrature import LabelQuadrature

__all__ = ["labels_near", "noisy_density", "under_noise"]

_STEP = (0.15, 0.1)  # of labels in standard deviations, by level
_TOGETHER = 16  # labels
_REACH = 8.6
_HEAVY = 1e-20  # probability of a value with labels of its own
_APART = (1.2, 0.8)  # the most that nodes of a density are apart, in standard deviations, by level
_FINEST = 30.0  # times its spacing
_MOST = 300_000_000  # pairs of values and nodes of the noisy label


def labels_near(values: Array, step: float, reach: float) -> Array:
    """The multiples of a step, in their order, that are within `reach` of some values, about.

    Examples
    --------
    >>> labels_near(np.array([0.2, 8.0]), 1.0, 1.0).tolist()
    [-1.0, 0.0, 1.0, 2.0, 7.0, 8.0, 9.0, 10.0]
    """
    below, count = np.unique(np.floor(values / step)), math.ceil(reach / step)
    return np.asarray(step * np.unique(below[:, None] + np.arange(-count, count + 2)))


def under_noise(values: Array, law: LabelQuadrature, noise: float, *, level: int = 1) -> LabelQuadrature:
    """The law of the noisy label.

    Parameters
    ----------
    values : ndarray, shape (k,)
    law : LabelQuadrature
        The probabilities of the values, and the moments given each.
    noise : float > 0
        Standard deviation.

    Raises
    ------
    UnsupportedExpression
        If the label is spread out too far for its noise.

    Examples
    --------
    >>> from hermite_analytics.label.operator import top_eigenvalue
    >>> g = np.array([[[0, -2], [-2, 0]], [[0, 2], [2, 0]]]) / np.pi
    >>> signs = LabelQuadrature(weights=np.array([0.5, 0.5]), first=np.zeros((2, 2)), second=g)
    >>> round(1 / top_eigenvalue(under_noise(np.array([-1.0, 1.0]), signs, 1.0)), 7)  # sign(z1*z2) + xi
    4.4829195
    """
    order = np.argsort(values)
    v, p = values[order], law.weights[order]
    moments = np.concatenate([law.first, law.second.reshape(len(v), -1)], axis=1)[order]
    step, reach = _STEP[level] * noise, _REACH * noise
    labels = labels_near(v[p > _HEAVY], step, reach)
    weights, found, pairs = [], [], 0
    for start in range(0, len(labels), _TOGETHER):
        y = labels[start : start + _TOGETHER]
        near = slice(*np.searchsorted(v, [y[0] - reach, y[-1] + reach]))
        check_time()
        pairs += len(y) * (near.stop - near.start)
        if pairs > _MOST:
            raise UnsupportedExpression("the label is spread out too far for its noise")
        kernel = np.exp(-0.5 * ((y[:, None] - v[near]) / noise) ** 2) * p[near]
        mass = kernel.sum(1)
        keep = mass > 0
        weights.append(_STEP[level] / math.sqrt(2 * math.pi) * mass[keep])
        found.append(kernel[keep] @ moments[near] / mass[keep][:, None])
    q, joined = law.dimension, np.concatenate(found)
    return LabelQuadrature(
        weights=np.concatenate(weights), first=joined[:, :q], second=joined[:, q:].reshape(-1, q, q)
    )


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
    found = under_noise(own.labels()[0], own.quadrature(), noise, level=level)
    return found, max(found.mass_defect, abs(own.mass - 1))
