"""Level curves of a label of two coordinates as arcs, each with Gauss's nodes and the weights of the coarea.

Neither curves nor weights depend on omega and V: they are found once for a set of labels. An arc is smooth,
so that points between its nodes come from the polynomial through them.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Function, Integers
from hermite_analytics.foundation.panels import lagrange, unit_rule
from hermite_analytics.label.cases.plane.arcs import followed
from hermite_analytics.label.cases.plane.clipping import ARC_NODES, arc_nodes, clipped, touching
from hermite_analytics.label.cases.plane.patches import Patches
from hermite_analytics.label.nodes import LabelNodes

__all__ = ["ARC_NODES", "HALVINGS", "LevelCurves", "arc_rule", "joined", "level_curves", "stacked"]

HALVINGS = 40  # of an arc


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelCurves:
    """The level curves of n labels.

    Attributes
    ----------
    starts : ndarray of int, shape (n + 1,)
        Arcs starts[i] to starts[i + 1] belong to label i.
    points : ndarray, shape (arcs, 10, 2)
        At Gauss's nodes of each arc.
    log_density : ndarray, shape (arcs, 10)
        Logarithm of the weight of the coarea formula, per unit of the arc's parameter in (0, 1).
    """

    starts: Integers
    points: Array
    log_density: Array

    @property
    def owners(self) -> Integers:
        """The label of each arc."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def label_nodes(self, labels: Array, weights: Array, defect: float) -> LabelNodes:
        """The law of (y, w) as sum weights p(labels), by the nodes of all arcs."""
        return LabelNodes(
            labels=labels,
            starts=self.starts * ARC_NODES,
            points=self.points.reshape(-1, 2),
            masses=(self.masses() * weights[self.owners, None]).ravel(),
            defect=defect,
        )

    def masses(self) -> Array:
        """Density of y at each node, of w ~ N(0, I); shape (arcs, 10)."""
        log_weights, _ = arc_rule()
        exponent = np.square(self.points[..., 0])
        exponent += np.square(self.points[..., 1])
        exponent *= -0.5
        exponent += self.log_density
        exponent += log_weights - math.log(2 * math.pi)
        return np.exp(exponent, out=exponent)

    def densities(self) -> Array:
        """The density of y at each label, of w ~ N(0, I)."""
        return self.moments()[:, 0]

    def moments(self) -> Array:
        """Density of y at each label times (1, E[w1 | y], E[w2 | y], E[w w^T - I | y]), shape (n, 6)."""
        p, u, v = self.masses(), self.points[..., 0], self.points[..., 1]
        pu, pv = p * u, p * v
        whole, *squares = (p.sum(1), *(np.einsum("ak,ak->a", a, b) for a, b in ((pu, u), (pu, v), (pv, v))))
        squares[0] -= whole
        squares[2] -= whole
        return self._sums(whole, pu.sum(1), pv.sum(1), *squares)

    def fourth_moments(self) -> Array:
        """Density of y at each label times E[|w|^4 | y]."""
        fourth = (self.points**2).sum(-1) ** 2
        return self._sums(np.einsum("ak,ak->a", self.masses(), fourth))[:, 0]

    def _sums(self, *of_arcs: Array) -> Array:
        """Over the arcs of each label, shape (n, numbers), of numbers of each arc."""
        found = np.zeros((len(self.starts) - 1, len(of_arcs)))
        some = np.diff(self.starts) > 0
        found[some] = np.add.reduceat(np.array(of_arcs), self.starts[:-1][some], axis=1).T
        return found

    def chosen(self, labels: Integers) -> LevelCurves:
        """Those of some labels."""
        if len(labels) == len(self.starts) - 1 and np.array_equal(labels, np.arange(len(labels))):
            return self
        counts = np.diff(self.starts)[labels]
        arcs = np.concatenate(
            [np.arange(self.starts[i], self.starts[i + 1]) for i in labels] or [np.zeros(0, dtype=np.int64)]
        )
        return LevelCurves(
            starts=np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts)]),
            points=self.points[arcs],
            log_density=self.log_density[arcs],
        )

    def regrouped(self, owner: Integers, log_slopes: Array, labels: int) -> LevelCurves:
        """Curves of y = F(h) from those of h: curve i belongs to the label `owner[i]`, at this log |F'|."""
        log_density = self.log_density - log_slopes[self.owners, None]
        return _sorted(owner[self.owners], self.points, log_density, labels)

    def unfolded(self, group: Sequence[Array]) -> LevelCurves:
        """Their images under orthogonal maps, shape (2, 2), all as curves of the same labels."""
        if len(group) == 1:
            return self
        return _sorted(
            np.tile(self.owners, len(group)),
            np.concatenate([self.points @ turn.T for turn in group]),
            np.tile(self.log_density, (len(group), 1)),
            len(self.starts) - 1,
        )

    def image(self, turn: Array) -> LevelCurves:
        """Their images under an orthogonal map, shape (2, 2), as curves of other labels."""
        return LevelCurves(starts=self.starts, points=self.points @ turn.T, log_density=self.log_density)

    def halved(self, longest: float, least: Array) -> LevelCurves:
        """Every arc cut in halves until none is longer.

        Parameters
        ----------
        longest : float
        least : ndarray, shape (n,)
            Arcs are left out, before they are cut, of which no node has more density of y.
        """
        log_weights, halves = arc_rule()
        both = np.concatenate(list(halves)).T
        owner = self.owners
        arcs = np.concatenate([np.moveaxis(self.points, 2, 1), self.log_density[:, None]], axis=1)
        with np.errstate(divide="ignore"):
            rare = np.log(2 * math.pi * least)[owner]
        finished, owners = [], []
        for _ in range(HALVINGS):
            length = np.hypot(np.diff(arcs[:, 0]), np.diff(arcs[:, 1])).sum(1)
            exponent = arcs[:, 2] + log_weights - 0.5 * (arcs[:, 0] ** 2 + arcs[:, 1] ** 2)
            kept, long = exponent.max(1, initial=-math.inf) > rare, length > longest
            finished.append(arcs[kept & ~long])
            owners.append(owner[kept & ~long])
            arcs, owner, rare = (np.repeat(x[kept & long], 2, axis=0) for x in (arcs, owner, rare))
            if not len(arcs):
                break
            cut = arcs[::2].reshape(-1, ARC_NODES) @ both
            arcs = np.moveaxis(cut.reshape(-1, 3, 2, ARC_NODES), 2, 1).reshape(-1, 3, ARC_NODES)
            arcs[:, 2] -= math.log(2)
        arcs = np.concatenate([*finished, arcs])
        owner = np.concatenate([*owners, owner])
        return _sorted(owner, np.moveaxis(arcs[:, :2], 1, 2), arcs[:, 2], len(self.starts) - 1)


def joined(parts: Sequence[LevelCurves]) -> LevelCurves:
    """The arcs of several sets of curves of the same labels."""
    if len(parts) == 1:
        return parts[0]
    return _sorted(
        np.concatenate([c.owners for c in parts]),
        np.concatenate([c.points for c in parts]),
        np.concatenate([c.log_density for c in parts]),
        len(parts[0].starts) - 1,
    )


def stacked(parts: Sequence[LevelCurves]) -> LevelCurves:
    """The curves of several sets of labels, one set after the other."""
    if len(parts) == 1:
        return parts[0]
    counts = np.concatenate([np.diff(c.starts) for c in parts])
    return LevelCurves(
        starts=np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts)]),
        points=np.concatenate([c.points for c in parts]),
        log_density=np.concatenate([c.log_density for c in parts]),
    )


def _sorted(owner: Integers, points: Array, log_density: Array, labels: int) -> LevelCurves:
    counts = np.bincount(owner, minlength=labels)
    if (owner[1:] < owner[:-1]).any():
        order = np.argsort(owner, kind="stable")
        points, log_density = points[order], log_density[order]
    return LevelCurves(
        starts=np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts)]),
        points=np.ascontiguousarray(points),
        log_density=np.ascontiguousarray(log_density),
    )


def level_curves(
    patches: Patches,
    labels: Array,
    conditions: Sequence[Function] = (),
    *,
    least: Array | None = None,
    share: float = 0.0,
) -> LevelCurves:
    """The curves g = y of a function given on patches, within the disc that they cover.

    Labels so close to the value on a curve of critical points that they take too many boxes get no curve.

    Parameters
    ----------
    patches : Patches
    labels : ndarray, shape (n,)
        No curve passes through nan.
    conditions : sequence of functions of points, shape (m, 2)
        The parts of the curves are left on which all of these are positive.
    least : ndarray, shape (n,), or None
        Arcs of smaller density of y, of w ~ N(0, I), are left out.
    share : float
        And, without conditions, those with a smaller share of the density of their label.

    Examples
    --------
    >>> from hermite_analytics.label.cases.plane.patches import patches_of
    >>> plane = patches_of(lambda w: w[:, 0] * w[:, 1], [])
    >>> curves = level_curves(plane, np.array([0.5]))
    >>> float(np.abs(curves.points.prod(-1) - 0.5).max()) < 1e-12
    True
    """
    nodes = arc_nodes()
    if not conditions:
        owner, points, log_density = followed(patches, labels, nodes, least=least, share=share)
        return _sorted(owner, points, log_density, len(labels))
    # arcs that are cut are interpolated between the nodes of their halves
    nodes = np.concatenate([nodes, 0.5 * nodes, 0.5 + 0.5 * nodes])
    owner, points, log_density = followed(patches, labels, nodes, least=least)
    arcs = np.concatenate([points, log_density[..., None]], axis=2)
    some, whole = touching(arcs[:, :ARC_NODES], conditions)
    cut = some & ~whole
    halves = arcs[cut, ARC_NODES:].reshape(-1, ARC_NODES, 3)
    halves[..., 2] -= math.log(2)
    parts, owners = clipped(halves, np.repeat(owner[cut], 2), conditions)
    arcs = np.concatenate([arcs[whole, :ARC_NODES], parts])
    return _sorted(np.concatenate([owner[whole], owners]), arcs[..., :2], arcs[..., 2], len(labels))


@functools.cache
def arc_rule() -> tuple[Array, Array]:
    """(logarithms of Gauss's weights on (0, 1), values at the nodes -> at those of both halves)."""
    x, w = unit_rule(ARC_NODES)
    halves = [lagrange(ARC_NODES, x - 1 + shift) for shift in (0.0, 1.0)]
    return np.log(w), np.array(halves)
