"""Quadrature over the labels of two coordinates: panels between singular labels, dense at their ends."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.label.plane.level_curves import LevelCurves, stacked

__all__ = ["PlaneNodes", "label_nodes"]

Array = NDArray[np.float64]

_SPACING = (0.5, 0.3, 0.2)  # of labels, in the logarithm of the ratio of the distances from a panel's ends
_WAVE = 0.45  # periods a node
_UNEVEN = (1e-3, 1e-4, 1e-5)  # size of the wave in the probabilities of the nodes of a panel, by level
_FINER = 1.5  # then
_OFFSET = 0.3719
_FARTHEST = 34.0
_TAIL = 1e-13  # probability of an outermost node that has a tail
_SLOWEST = 0.99  # ratio of the probabilities of the two outermost nodes
_NEGLIGIBLE = (1e-10, 1e-13, 1e-16)  # probability of a label node, by level
_RARE_ARC = (1e-15, 1e-17, 1e-20)  # probability of an arc that is left out, by level


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaneNodes:
    """A quadrature over labels that are no atoms.

    Attributes
    ----------
    labels, weights : ndarray, shape (n,)
        The law of y is sum weights p(labels).
    curves : LevelCurves
        Of these labels.
    """

    labels: Array
    weights: Array
    curves: LevelCurves


def label_nodes(
    curves_of: Callable[[Array], LevelCurves], group: Sequence[Array], singular: Array, level: int
) -> PlaneNodes:
    """The nodes that carry probability; panels whose probabilities are not smooth get more of them.

    Parameters
    ----------
    curves_of : function of labels
        Their level curves in a sector.
    group : sequence of ndarray, shape (2, 2)
        What takes the sector to all of the plane.
    singular : ndarray
        Labels between which the law of y is smooth.
    level : int
        0, 1 or 2.
    """
    step = _SPACING[level]
    low, high = singular[:-1], singular[1:]
    parts: list[PlaneNodes] = []
    for last in (False, False, False, True):
        y, w = _panels(low, high, step)
        curves = curves_of(y.ravel())
        density = len(group) * curves.densities().reshape(w.shape)
        w = _with_tails(w, w * density)
        p = w * density
        # the error is the spectrum at one period a node: here its size at almost half of that
        wave = np.exp(2j * math.pi * _WAVE * np.arange(p.shape[1]))
        rough = np.abs(p @ wave) > (math.inf if last else _UNEVEN[level])
        keep = (p > _NEGLIGIBLE[level]) & ~rough[:, None]
        found = curves.chosen(np.flatnonzero(keep)).without_rare(w[keep], _RARE_ARC[level])
        parts.append(PlaneNodes(labels=y[keep], weights=w[keep], curves=found))
        if not rough.any():
            break
        low, high, step = low[rough], high[rough], step / _FINER
    return PlaneNodes(
        labels=np.concatenate([n.labels for n in parts]),
        weights=np.concatenate([n.weights for n in parts]),
        curves=stacked([n.curves for n in parts]).unfolded(group),
    )


def _panels(low: Array, high: Array, step: float) -> tuple[Array, Array]:
    """(labels, weights) of each panel, dense on all scales at its ends."""
    # off the middle of panels, where a curve may run along the sides of patches
    s = step * (np.arange(-int(_FARTHEST / step), int(_FARTHEST / step) + 1) + _OFFSET)
    low, high = low[:, None], high[:, None]
    near, far = (high - low) / (1 + np.exp(-s)), (high - low) / (1 + np.exp(s))
    return np.where(s < 0, low + near, high - far), step * near * far / (high - low)


def _with_tails(weights: Array, p: Array) -> Array:
    """The weights of the outermost nodes of each panel, with those of the power law beyond them."""
    weights = weights.copy()
    for last, before in ((0, 1), (-1, -2)):
        with np.errstate(all="ignore"):
            ratio = p[:, last] / p[:, before]
        falls = (p[:, last] > _TAIL) & (ratio < _SLOWEST)
        weights[falls, last] /= 1 - ratio[falls]
    return weights
