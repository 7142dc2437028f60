"""Quadrature over the labels of two coordinates: panels between singular labels, dense at their ends."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Bools
from hermite_analytics.label.cases.plane.level_curves import LevelCurves, stacked
from hermite_analytics.label.cases.plane.places import LabelPlaces, panel_places

__all__ = ["PlaneNodes", "label_nodes", "with_tails"]

_SPACING = (0.5, 0.3, 0.2)  # of labels, in the logarithm of the ratio of the distances from a panel's ends
_WAVE = 0.45  # periods a node
_UNEVEN = (1e-3, 1e-4, 1e-5)  # size of the wave in the probabilities of the nodes of a panel, by level
_FINER = 1.5  # then
_OFFSET = 0.3719
_OFFSET_ODD = 0.5  # that of both signs: errors that are odd in s vanish
_FARTHEST = 34.0  # |s|: labels are then all but equal to the end of their panel
_RESOLVED = 90.0  # where curves are found by the distance from it
_TAIL = 1e-13  # probability of an outermost node that has a tail
_SLOWEST = 0.99  # ratio of the probabilities of the two outermost nodes
_NEGLIGIBLE = (1e-10, 1e-13, 1e-16)  # of what is no atom: probability of a label node, by level
_RARE_ARC = (1e-15, 1e-16, 1e-18)  # the same of an arc that is left out, by level
_SHARE = (1e-14, 1e-14, 1e-16)  # of a label's density, of an arc that is left out, by level
_CORE, _SHELL = 12.0, 4.0  # |s| of the nodes of a panel that are always found; more, step by step


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

    def unfolded(self, group: Sequence[Array], odd: Array | None) -> PlaneNodes:
        """With the images of curves in the group of a sector, and nodes of the other sign."""
        curves = self.curves.unfolded(group)
        if odd is None:
            return PlaneNodes(labels=self.labels, weights=self.weights, curves=curves)
        return PlaneNodes(
            labels=np.concatenate([self.labels, -self.labels]),
            weights=np.concatenate([self.weights, self.weights]),
            curves=stacked([curves, curves.image(odd)]),
        )

    def moments(self, group: Sequence[Array], odd: Array | None) -> Array:
        """Probability of each node of `unfolded`, times E[w | y] and E[w w^T - I | y]; shape (n, 6)."""
        found = self.weights[:, None] * self.curves.moments()
        total = np.sum([_turned(found, turn) for turn in group], axis=0)
        return np.concatenate([total, _turned(total, odd)]) if odd is not None else np.asarray(total)


class Curves(Protocol):
    """Level curves of labels in a sector, without arcs of density below `least`, shape (n,)."""

    def __call__(self, places: LabelPlaces, least: Array | None = None, share: float = 0.0) -> LevelCurves:
        """Or with a smaller share of the density of their label."""


def label_nodes(
    curves_of: Curves,
    copies: int,
    singular: Array,
    level: int,
    *,
    odd: bool = False,
    resolved: bool = False,
    probability: float = 1.0,
) -> PlaneNodes:
    """The nodes that carry probability, with their curves in a sector.

    Panels whose probabilities are not smooth get more of them.

    Parameters
    ----------
    curves_of : Curves
        In a sector.
    copies : int
        Of the sector in all of the plane.
    singular : ndarray
        Labels between which the law of y is smooth.
    level : int
        0, 1 or 2.
    odd : bool
        Each node stands for one of the other sign too.
    resolved : bool
        Curves are found by the distance of labels from the ends of panels, however small it is.
    probability : float
        Of all labels that are no atoms.
    """
    farthest = _RESOLVED if resolved else _FARTHEST
    offset = _OFFSET_ODD if odd else _OFFSET
    step = _SPACING[level]
    low, high = singular[:-1], singular[1:]
    parts: list[PlaneNodes] = []
    for last in (False, False, False, True):
        panels = _panels(low, high, step, offset, farthest)
        found, rough = _nodes_between(curves_of, copies, panels, level, probability, last=last)
        parts += found
        if not rough.any():
            break
        low, high, step = low[rough], high[rough], step / _FINER
    return PlaneNodes(
        labels=np.concatenate([n.labels for n in parts]),
        weights=np.concatenate([n.weights for n in parts]),
        curves=stacked([n.curves for n in parts]),
    )


def _nodes_between(
    curves_of: Curves,
    copies: int,
    panels: tuple[Array, LabelPlaces, Array],
    level: int,
    probability: float,
    *,
    last: bool,
) -> tuple[list[PlaneNodes], Bools]:
    """(nodes of the panels whose probabilities are smooth, which panels are not); all of them at last.

    From the middle of panels outwards, to where the nodes of an end carry nothing any more.
    """
    s, places, w = panels
    negligible, rare = probability * _NEGLIGIBLE[level], probability * _RARE_ARC[level]
    shell = np.ceil(np.maximum(np.abs(s) - _CORE, 0) / _SHELL)
    density, told = np.zeros(w.shape), np.zeros(w.shape)
    ends = np.ones((len(w), 2), dtype=bool)  # those at which there is more
    parts: list[tuple[Bools, LevelCurves]] = []
    for k in range(int(shell.max()) + 1):
        wanted = (shell == k) & ends[:, (s > 0).astype(np.int64)]
        if not wanted.any():
            break
        found = curves_of(places.chosen(wanted), rare / w[wanted], _SHARE[level])
        moments = copies * found.moments()
        density[wanted] = moments[:, 0]
        told[wanted] = (moments[:, 3:] ** 2).sum(1) / np.where(moments[:, 0] > 0, moments[:, 0], np.inf)
        parts.append((wanted, found))
        most = [(w * density)[:, (shell == k) & side].max(1, initial=0.0) for side in (s < 0, s > 0)]
        ends &= np.stack(most, 1) > negligible
    w = with_tails(w, w * density)
    p = w * density
    # the error is the spectrum at one period a node: here its size at almost half of that; what labels tell,
    # E[G^2] without the images in other sectors, has poles where the density is 0
    wave = np.exp(2j * math.pi * _WAVE * np.arange(p.shape[1]))
    largest = np.maximum(np.abs(p @ wave), np.abs((w * told) @ wave))
    rough = largest > (math.inf if last else _UNEVEN[level])
    keep = (p > negligible) & ~rough[:, None]
    nodes = [
        PlaneNodes(
            labels=places.labels[wanted & keep],
            weights=w[wanted & keep],
            curves=found.chosen(np.flatnonzero(keep[wanted])),
        )
        for wanted, found in parts
    ]
    return nodes, rough


def _turned(moments: Array, turn: Array) -> Array:
    """Those of w turned by an orthogonal map."""
    second = turn @ moments[:, [3, 4, 4, 5]].reshape(-1, 2, 2) @ turn.T
    return np.column_stack([moments[:, :1], moments[:, 1:3] @ turn.T, second.reshape(-1, 4)[:, [0, 1, 3]]])


def _panels(
    low: Array, high: Array, step: float, offset: float, farthest: float
) -> tuple[Array, LabelPlaces, Array]:
    """(places s, labels, weights) of each panel, dense on all scales at its ends."""
    # off the middle of panels, where a curve may run along the sides of patches
    count = int(farthest / step)
    s = np.asarray(step * (np.arange(-count, count + 1) + offset), dtype=np.float64)
    places, slopes = panel_places(low[:, None], high[:, None], s)
    return s, places, step * slopes


def with_tails(weights: Array, p: Array) -> Array:
    """The weights of the outermost nodes of each panel, with those of the power law beyond them."""
    weights = weights.copy()
    for last, before in ((0, 1), (-1, -2)):
        with np.errstate(all="ignore"):
            ratio = p[:, last] / p[:, before]
        falls = (p[:, last] > _TAIL) & (ratio < _SLOWEST)
        weights[falls, last] /= 1 - ratio[falls]
    return weights
