"""Labels of two coordinates, with a law given them that is smooth off lines and curves: noise in them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.threads import in_threads
from hermite_analytics.label.cases.plane.breaks import Breaks, divided
from hermite_analytics.label.cases.values.box_moments import indices_of_values
from hermite_analytics.label.moments import Moments, from_whitened
from hermite_analytics.label.nodes import LabelNodes
from hermite_analytics.label.quadrature import LabelQuadrature

__all__ = ["SoftPlaneChannel", "SoftPlaneLabels", "points_between"]

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Function = Callable[[Array], Array]

_ROWS = 250  # samples at a time
_REACH = 8.0  # standard deviations
_PANELS = 4
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(10)
_SAME = 1e-9
_STEEP = 1.5  # slope of the label in a panel, in standard deviations of the noise
_MOST_REFINED = 6
_LABEL_STEP = (0.6, 0.4)  # of noisy labels, in standard deviations of the noise
_LABEL_REACH = (6.5, 8.0)
_MOST_POINTS = 40_000_000
_DENSE = (2.2, 1.6)  # of a cell in standard deviations, for 6 nodes
_SIDE = 0.95  # of a cell
_LEAST_NODES = (8, 12)  # of a cell beside a curve
_LOOKED_AT = 65  # places of a line between which it meets curves


def points_between(breaks: Breaks, size: float, level: int, *, steepest: float = 0.0) -> tuple[Array, Array]:
    """Points (n, 2) and probabilities of N(0, I) off breaks, close enough for a width `size`."""
    wide = max(_SIDE / (_DENSE[level] * size), steepest)
    least = _LEAST_NODES[level] if breaks.curves else 6
    return breaks.rule(max(least, math.ceil(6 * wide)))


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftPlaneLabels:
    """Labels of a data set: P(label | w) of each sample, for moments at any omega and V."""

    channel: SoftPlaneChannel
    labels: Array

    @property
    def smallest_variance(self) -> float:
        """Such labels never determine a coordinate."""
        return 1e-8

    def __call__(self, omega: Array, variance: Array) -> Moments:
        """Moments at omega, shape (n, 2)."""
        factor = np.asarray(np.linalg.cholesky(variance), dtype=np.float64)
        breaks = self.channel.breaks
        refine = self.channel.refinement(math.sqrt(float(np.linalg.eigvalsh(variance)[-1])))
        ticks = np.linspace(-_REACH, _REACH, _PANELS * refine + 1)
        turn = np.stack(breaks.axes(breaks.lines[:, :2] @ factor), 1)
        frame = factor @ turn
        centres, changes = self._columns(frame, omega)
        log_z, sums = np.empty(len(omega)), np.empty((len(omega), 5))

        def evaluate(start: int) -> None:
            part = slice(start, start + _ROWS)
            x, across = divided(ticks, changes - centres[part, None], _NODES, _WEIGHTS, turned=breaks.turned)
            row, column = np.nonzero(across)
            x, across = x[row, column], across[row, column]
            origins = omega[part][row] + x[:, None] * frame[:, 0]
            walls, _ = breaks.meetings(origins, frame[:, 1], _REACH, _LOOKED_AT)
            t, along = divided(ticks, walls, _NODES, _WEIGHTS)
            k, place = np.nonzero(along)
            t, x, row = t[k, place], x[k], row[k]
            weights = across[k] * along[k, place] * np.exp(-0.5 * (x * x + t * t)) / (2 * math.pi)
            log_p = self.channel.log_likelihood(self.labels[part][row], origins[k] + t[:, None] * frame[:, 1])
            first = np.flatnonzero(np.diff(row, prepend=-1))  # every sample has points
            top = np.maximum.reduceat(log_p, first)
            top = np.where(np.isfinite(top), top, 0.0)
            p = weights * np.exp(log_p - top[row])
            z = np.add.reduceat(p, first)
            with np.errstate(divide="ignore"):
                log_z[part] = np.log(z) + top
            moments = [np.add.reduceat(p * f, first) for f in (x, t, x * x, x * t, t * t)]
            sums[part] = np.stack(moments, 1) / np.where(z > 0, z, 1.0)[:, None]

        in_threads(evaluate, range(0, len(omega), _ROWS))
        first, second = sums[:, :2] @ turn.T, turn @ sums[:, [[2, 3], [3, 4]]] @ turn.T
        return from_whitened(log_z, first, second, factor)

    def _columns(self, frame: Array, omega: Array) -> tuple[Array, Array]:
        """(x of omega, x at which the columns x frame_0 + t frame_1 meet the breaks in another order)."""
        along = frame[:, 1] / np.linalg.norm(frame[:, 1])
        across = np.array([along[1], -along[0]])
        stretch = float(across @ frame[:, 0])
        return omega @ across / stretch, self.channel.breaks.changes(across, along, _REACH) / stretch


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftPlaneChannel:
    """P(y | w1, w2) smooth off lines and curves, with w ~ N(omega, V) and any V.

    Attributes
    ----------
    breaks : Breaks
        The lines and curves where the law of the label has kinks or jumps.
    values : ndarray, shape (k,)
        The labels, if they are finitely many; else empty.
    likelihoods : tuple of functions of points (..., 2)
        P(values[k] | w), or, of a noisy label y = h(w) + noise xi, the one function h.
    noise : float
        Standard deviation of added noise; 0 for finitely many labels.
    """

    breaks: Breaks
    values: Array
    likelihoods: tuple[Function, ...]
    noise: float = 0.0

    @property
    def dimension(self) -> int:
        """Two coordinates."""
        return 2

    def at(self, labels: Array) -> SoftPlaneLabels:
        """The labels of a data set.

        Raises
        ------
        InputError
            Naming the first label that is none of the values.
        """
        labels = np.asarray(labels, dtype=np.float64)
        if self.noise == 0.0:
            labels = indices_of_values(self.values, labels).astype(np.float64)
        return SoftPlaneLabels(channel=self, labels=labels)

    def log_likelihood(self, labels: Array, w: Array) -> Array:
        """log P(label | w), for labels (n,), as indices where they are finitely many, and w (n, 2)."""
        if self.noise > 0:
            x = (labels - self.likelihoods[0](w)) / self.noise
            return np.asarray(-0.5 * x * x - math.log(self.noise * math.sqrt(2 * math.pi)))
        found = np.empty(len(w))
        for k, likelihood in enumerate(self.likelihoods):
            rows = labels == k
            if rows.any():
                found[rows] = likelihood(w[rows])
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(np.maximum(found, 0.0)))

    @property
    def exact_share(self) -> float:
        """0: one label never determines a direction."""
        return 0.0

    @property
    def mass_defect(self) -> float:
        """0: panels cover the plane."""
        return 0.0

    def label_nodes(self, level: int = 1, size: float = 1.0) -> LabelNodes:
        """Labels with the points of all cells, close enough for N(omega, V) of a width `size`."""
        labels, points, masses = zip(*self.areas(size, level), strict=True)
        return LabelNodes(
            labels=np.array(labels),
            starts=np.cumsum([0, *map(len, points)]),
            points=np.concatenate(points),
            masses=np.concatenate(masses),
            defect=self.mass_defect,
        )

    def quadrature(self, level: int = 1) -> LabelQuadrature:
        """The law of the label as a finite sum; levels 0 and 1."""
        parts = []
        for _, w, p in self.areas(1.0, level):
            total = p.sum()
            if total > 0:
                parts.append((total, p @ w / total, (p[:, None] * w).T @ w / total - np.eye(2)))
        weights, means, second = zip(*parts, strict=True)
        return LabelQuadrature(weights=np.array(weights), first=np.array(means), second=np.array(second))

    def refinement(self, size: float) -> int:
        """Divisions of a panel for a standard deviation of w.

        Raises
        ------
        UnsupportedExpression
            If the noise is too small.
        """
        panel = 2 * _REACH / _PANELS
        found = max(1, math.ceil(self._slope() * size * panel / (3 * _STEEP * 2)))
        if found > _MOST_REFINED:
            raise UnsupportedExpression(
                f"the noise in the label is too small for quadrature ({found} divisions of a panel)"
            )
        return found

    def _slope(self) -> float:
        """The steepest change of the law of the label, typically, per unit of w; in units of the noise."""
        rng = np.random.default_rng(0)
        w, step = rng.standard_normal((512, 2)), 1e-3
        directions = rng.standard_normal((512, 2))
        directions *= step / np.linalg.norm(directions, axis=1, keepdims=True)
        changes = [np.abs(f(w + directions) - f(w - directions)) for f in self.likelihoods]
        slope = float(np.quantile(np.max(changes, axis=0), 0.95)) / (2 * step)
        return slope / self.noise if self.noise > 0 else 2 * slope

    def areas(self, size: float, level: int) -> Iterator[tuple[float, Array, Array]]:
        """(label, points, probabilities of label and point) for a width `size` of N(omega, V)."""
        steepest = self._slope() * _SIDE / (_DENSE[level] * 1.5)
        points, p = points_between(self.breaks, size, level, steepest=steepest)
        keep = p > 1e-17
        points, p = points[keep], p[keep]
        if self.noise == 0.0:
            for value, likelihood in zip(self.values, self.likelihoods, strict=True):
                yield float(value), points, p * likelihood(points)
            return
        h = self.likelihoods[0](points)
        step, reach = _LABEL_STEP[level] * self.noise, _LABEL_REACH[level] * self.noise
        if len(h) * 2 * reach / step > _MOST_POINTS:
            raise UnsupportedExpression("the noise in the label is too small for quadrature; simulate AMP")
        order = np.argsort(h)
        points, p, h = points[order], p[order], h[order]
        likely = p > 1e-13
        low, high = float(h[likely].min()), float(h[likely].max())
        # multiples of the step: symmetric about 0
        for y in step * np.arange(math.floor((low - reach) / step), math.ceil((high + reach) / step) + 1):
            near = slice(*np.searchsorted(h, [y - reach, y + reach]))
            x = (y - h[near]) / self.noise
            density = np.exp(-0.5 * x * x) * step / (self.noise * math.sqrt(2 * math.pi))
            yield float(y), points[near], p[near] * density
