"""F of finitely many labels that are constant on boxes, for any M."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.foundation.threads import in_threads
from hermite_analytics.label.cases.values.box_integrals import line_moments, plane_moments, space_moments
from hermite_analytics.label.cases.values.boxes import BoxChannel
from hermite_analytics.numeric.bayes.maps.gaussian_nodes import LABEL_STEP, TINY

__all__ = ["BoxMatrixMap"]

Array = NDArray[np.float64]

_STEP = (0.5, 0.35)  # of omega, in units of min(1, sqrt(V/m)) of its standard deviation, by level
_FARTHEST = (5.6, 6.6)
_ROWS = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxMatrixMap:
    """Of up to three coordinates: the integral over omega by the trapezoid rule in the axes of M."""

    channel: BoxChannel

    @property
    def exact_share(self) -> float:
        """0: finitely many values never determine a coordinate."""
        return 0.0

    @property
    def resolution(self) -> float:
        """All of omega is resolved."""
        return 1e-2

    @property
    def mass_defect(self) -> float:
        """Of noisy labels; none where they are values."""
        return self.channel.mass_defect(LABEL_STEP[1])

    def __call__(self, matrix: Array, *, level: int = 1) -> Array:
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
