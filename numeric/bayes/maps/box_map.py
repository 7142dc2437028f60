"""F of finitely many labels that are constant on boxes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.threads import in_threads
from hermite_analytics.label.cases.line.smooth import LABEL_STEP
from hermite_analytics.label.cases.values.box_integrals import line_moments, plane_moments, space_moments
from hermite_analytics.label.cases.values.boxes import BoxChannel, interval_probabilities
from hermite_analytics.numeric.bayes.maps.gaussian_nodes import TINY, omega_nodes

__all__ = ["BoxMap"]

Array = NDArray[np.float64]

_CHUNK = 2_000_000
_STEP = (0.5, 0.35)  # of omega, in units of min(1, sqrt(V/m)) of its standard deviation, by level
_FARTHEST = (5.6, 6.6)
_ROWS = 4000
_MOST_INTEGRATED = 3  # coordinates
_SAME = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxMap:
    """Of finitely many labels on boxes.

    It is no `LabelMap`, since boxes are products of intervals: their sums over omega are contractions of one
    axis after the other, for any number of coordinates, where nodes would fill the space.

    Where the label keeps the axes and M is diagonal, with equal entries for coordinates that it exchanges,
    probabilities of boxes are products: any number of coordinates. At any other M those of up to three are
    integrated.
    """

    channel: BoxChannel
    on_axes: bool = field(init=False)  # F of a diagonal M is diagonal

    def __post_init__(self) -> None:
        object.__setattr__(self, "on_axes", self.channel.keeps_axes())

    @property
    def exact_share(self) -> float:
        """0: finitely many values never determine a coordinate."""
        return 0.0

    @property
    def resolution(self) -> float:
        """On the axes only what is near the edges costs; elsewhere all of omega is resolved."""
        if not self.on_axes:
            return 1e-2
        return 1e-6 if self.channel.dimension < 3 else 3e-3

    @property
    def mass_defect(self) -> float:
        """Of noisy labels; none where they are values."""
        return self.channel.mass_defect(LABEL_STEP[1])

    def __call__(self, matrix: Array, *, level: int = 1) -> Array:
        """F(M), shape (q, q).

        Raises
        ------
        UnsupportedExpression
            If M is neither on the axes nor that of three coordinates or fewer.
        """
        m = np.diag(matrix)
        if self.on_axes and np.abs(matrix - np.diag(m)).max() < _SAME:
            orbits = self.channel.orbits()
            if all(np.ptp(m[orbit]) < _SAME for orbit in orbits):
                return self._of_products(m, orbits, level)
        if self.channel.dimension > _MOST_INTEGRATED:
            raise UnsupportedExpression(
                f"F of a label of {self.channel.dimension} coordinates is found at matrices M that are "
                "diagonal in its coordinates, with equal entries where it exchanges them; "
                "simulate other ones by AMP"
            )
        return self._integrated(matrix, level)

    def _of_products(self, m: Array, orbits: Sequence[list[int]], level: int) -> Array:
        tables = [_table(e, float(x), level) for e, x in zip(self.channel.edges, m, strict=True)]
        wanted = [g[0] for g in orbits]
        total = np.zeros(len(wanted))
        step = max(1, _CHUNK // int(np.prod([len(t[2]) for t in tables[1:]])))
        for start in range(0, len(tables[0][2]), step):
            p = [tuple(t[start : start + step] for t in tables[0]), *tables[1:]]
            w = [t[2] for t in p]
            for inside in self.channel.tables(LABEL_STEP[level]):
                z = np.maximum(_contracted(inside, [t[0] for t in p]), TINY)
                for i, k in enumerate(wanted):
                    slope = _contracted(inside, [t[int(j == k)] for j, t in enumerate(p)])
                    total[i] += float(_contracted(slope * slope / z, [x[None] for x in w]).item())
        found = np.zeros(len(m))
        for value, orbit in zip(total, orbits, strict=True):
            found[orbit] = value
        return np.diag(found)

    def _integrated(self, matrix: Array, level: int) -> Array:
        """Over omega by the trapezoid rule in the axes of M."""
        q = self.channel.dimension
        values, axes = np.linalg.eigh(matrix)
        omega, weights = _grid(np.clip(values, 0.0, None), level)
        omega = omega @ axes.T
        variance = np.eye(q) - matrix
        tables = np.array(self.channel.tables(LABEL_STEP[level]))
        inner = [e[1:-1] for e in self.channel.edges]
        counts = np.array([len(e) for e in inner], dtype=np.int64)
        edges = np.zeros((q, max(1, int(counts.max()))))
        for k, e in enumerate(inner):
            edges[k, : len(e)] = e
        kernel = (line_moments, plane_moments, space_moments)[q - 1]

        def part(start: int) -> Array:
            rows, p = omega[start : start + _ROWS], weights[start : start + _ROWS]
            total = np.zeros((q, q))
            for label in range(len(tables)):
                code = np.full(len(rows), label, dtype=np.int64)
                z, first, _ = kernel(tables, code, edges, counts, rows, variance)
                total += (first * (p / np.maximum(z, TINY))[:, None]).T @ first
            return total

        return np.asarray(sum(in_threads(part, range(0, len(omega), _ROWS))))


def _table(edges: Array, m: float, level: int) -> tuple[Array, Array, Array]:
    """P(interval), its slope and the weight at nodes omega; nodes far from all edges are one an interval."""
    omega, weights = omega_nodes(m, level)
    p, slope, _ = interval_probabilities(edges, omega, 1 - m)
    near = p.max(1) < 1.0
    home = np.argmax(p, axis=1)
    masses = np.bincount(home[~near], weights=weights[~near], minlength=p.shape[1])
    return (
        np.concatenate([p[near], np.eye(p.shape[1])]),
        np.concatenate([slope[near], np.zeros((p.shape[1],) * 2)]),
        np.concatenate([weights[near], masses]),
    )


def _contracted(table: Array, matrices: Sequence[Array]) -> Array:
    """Each axis of the table against the rows of its matrix."""
    for matrix in matrices:
        table = np.tensordot(table, matrix, axes=(0, 1))
    return table


def _grid(values: Array, level: int) -> tuple[Array, Array]:
    """Nodes and weights for omega ~ N(0, diag(values))."""
    axes: list[Array] = []
    weights: list[Array] = []
    for m in values:
        if m <= 1e-14:
            axes.append(np.zeros(1))
            weights.append(np.ones(1))
            continue
        step = _STEP[level] * min(1.0, math.sqrt((1 - m) / m))
        half = math.ceil(_FARTHEST[level] / step)
        t = np.asarray(step * np.arange(-half, half + 1), dtype=np.float64)
        axes.append(math.sqrt(m) * t)
        weights.append(step * np.exp(-0.5 * t * t) / math.sqrt(2 * math.pi))
    omega = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, len(values))
    product = np.stack(np.meshgrid(*weights, indexing="ij"), -1).prod(-1).ravel()
    keep = product > 1e-16 * product.max()
    return omega[keep], product[keep]
