"""Labels of two coordinates with a smooth law given them: noise inside kinks, or added."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.threads import in_threads
from hermite_analytics.label.cases.plane.patches import quadrature
from hermite_analytics.label.cases.values.box_moments import indices_of_values
from hermite_analytics.label.compiled import compiled
from hermite_analytics.label.moments import Moments, from_whitened
from hermite_analytics.label.nodes import LabelNodes
from hermite_analytics.label.quadrature import LabelQuadrature

__all__ = ["SoftPlaneChannel", "SoftPlaneLabels", "gauss_cells"]

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


def gauss_cells(corners: Array, size: float, level: int, *, steepest: float = 0.0) -> tuple[Array, Array]:
    """Points (n, 2) and probabilities of N(0, I) on cells, close enough for a width `size`."""
    wide = max(_SIDE / (_DENSE[level] * size), steepest)
    return tuple(x.reshape(-1, *x.shape[2:]) for x in quadrature(corners, max(6, math.ceil(6 * wide))))  # type: ignore[return-value]


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
        refine = self.channel.refinement(math.sqrt(float(np.linalg.eigvalsh(variance)[-1])))
        forms = self.channel.lines[:, :2] @ factor
        turn = _away_from_lines(forms)
        log_z, sums = np.empty(len(omega)), np.empty((len(omega), 5))

        def evaluate(start: int) -> None:
            part = slice(start, start + _ROWS)
            offsets = self.channel.lines[:, 2] - omega[part] @ self.channel.lines[:, :2].T
            u, weights = _rows(forms @ turn, offsets, refine, _NODES, _WEIGHTS)
            u = u @ turn.T
            w = omega[part, None, :] + u @ factor.T
            log_p = self.channel.log_likelihood(self.labels[part], w)
            top = np.max(np.where(weights > 0, log_p, -np.inf), axis=1)
            top = np.where(np.isfinite(top), top, 0.0)
            p = weights * np.exp(log_p - top[:, None])
            z = p.sum(1)
            with np.errstate(divide="ignore", invalid="ignore"):
                log_z[part] = np.log(z) + top
                p = np.where(z[:, None] > 0, p / z[:, None], 0.0)
            products = [u[..., 0], u[..., 1], u[..., 0] ** 2, u[..., 0] * u[..., 1], u[..., 1] ** 2]
            sums[part] = np.stack([(p * x).sum(1) for x in products], 1)

        in_threads(evaluate, range(0, len(omega), _ROWS))
        return from_whitened(log_z, sums[:, :2], sums[:, [[2, 3], [3, 4]]], factor)


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftPlaneChannel:
    """P(y | w1, w2) smooth off straight lines, with w ~ N(omega, V) and any V.

    Attributes
    ----------
    lines : ndarray, shape (m, 3)
        a w1 + b w2 = c, where the law of the label has kinks or jumps.
    corners : ndarray, shape (p, 4, 2)
        Quadrilaterals between the lines that cover the plane.
    values : ndarray, shape (k,)
        The labels, if they are finitely many; else empty.
    likelihoods : tuple of functions of points (..., 2)
        P(values[k] | w), or, of a noisy label y = h(w) + noise xi, the one function h.
    noise : float
        Standard deviation of added noise; 0 for finitely many labels.
    """

    lines: Array
    corners: Array
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
        """log P(label | w), for labels (n,), as indices where they are finitely many, and w (n, k, 2)."""
        if self.noise > 0:
            x = (labels[:, None] - self.likelihoods[0](w)) / self.noise
            return np.asarray(-0.5 * x * x - math.log(self.noise * math.sqrt(2 * math.pi)))
        found = np.empty(w.shape[:2])
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
        """0: cells cover the plane."""
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
        points, p = gauss_cells(self.corners, size, level, steepest=steepest)
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


@compiled
def _rows(forms: Array, offsets: Array, refine: int, nodes: Array, weights: Array) -> tuple[Array, Array]:
    """Nodes u (n, k, 2) and weights for N(0, I), split along the second axis at lines forms . u = offset.

    Along the first axis the splits are where two lines cross.
    """
    n, m = offsets.shape
    panels, pairs = _PANELS * refine, m * (m - 1) // 2
    count = (panels + pairs) * nodes.size * (panels + m) * nodes.size
    u, w = np.zeros((n, count, 2)), np.zeros((n, count))
    across, along = np.empty(panels + 1 + pairs), np.empty(panels + 1 + m)
    for t in range(n):
        for c in range(panels + 1):
            across[c] = along[c] = _REACH * (2.0 * c / panels - 1.0)
        c = panels + 1
        for i in range(m):
            for j in range(i):
                size = forms[i, 0] * forms[j, 1] - forms[j, 0] * forms[i, 1]
                x = offsets[t, i] * forms[j, 1] - offsets[t, j] * forms[i, 1]
                across[c] = min(max(x / size, -_REACH), _REACH) if size != 0.0 else _REACH
                c += 1
        columns = np.sort(across)
        k = 0
        for a in range(panels + pairs):
            half = 0.5 * (columns[a + 1] - columns[a])
            for b in range(nodes.size):
                x = columns[a] + (1.0 + nodes[b]) * half
                here = half * weights[b] * math.exp(-0.5 * x * x) / (2.0 * math.pi)
                for c in range(panels + 1):
                    along[c] = _REACH * (2.0 * c / panels - 1.0)
                for i in range(m):
                    wall = (offsets[t, i] - forms[i, 0] * x) / forms[i, 1]
                    along[panels + 1 + i] = min(max(wall, -_REACH), _REACH)
                places = np.sort(along)
                for c in range(panels + m):
                    size = 0.5 * (places[c + 1] - places[c])
                    for d in range(nodes.size):
                        y = places[c] + (1.0 + nodes[d]) * size
                        u[t, k, 0], u[t, k, 1] = x, y
                        w[t, k] = here * size * weights[d] * math.exp(-0.5 * y * y)
                        k += 1
    return u, w


def _away_from_lines(forms: Array) -> Array:
    """A rotation Q that keeps all lines forms . u = c away from the second axis, u = Q u'."""
    angles = np.sort(np.arctan2(forms[:, 1], forms[:, 0]) % math.pi) if len(forms) else np.zeros(1)
    gaps = np.diff(angles, append=angles[0] + math.pi)
    k = int(np.argmax(gaps))
    # normals at the middle of the widest gap would be those of lines along the second axis
    middle = angles[k] + gaps[k] / 2
    c, s = math.cos(middle), math.sin(middle)
    return np.array([[c, -s], [s, c]])
