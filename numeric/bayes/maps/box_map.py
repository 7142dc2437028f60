"""F of finitely many labels that are constant on boxes, for a diagonal M."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.label.cases.values.boxes import BoxChannel, interval_probabilities
from hermite_analytics.numeric.bayes.maps.gaussian_nodes import LABEL_STEP, TINY, omega_nodes

__all__ = ["BoxMap"]

Array = NDArray[np.float64]

_CHUNK = 2_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxMap:
    """Of finitely many labels on boxes; coordinates that symmetries exchange have the same overlap."""

    channel: BoxChannel

    @property
    def exact_share(self) -> float:
        """0: finitely many values never determine a coordinate."""
        return 0.0

    @property
    def resolution(self) -> float:
        """Only what is near the edges costs."""
        return 1e-6 if self.channel.dimension < 3 else 3e-3

    @property
    def mass_defect(self) -> float:
        """Of noisy labels; none where they are values."""
        return self.channel.mass_defect(LABEL_STEP[1])

    def __call__(self, matrix: Array, *, level: int = 1) -> Array:
        m, orbits = np.diag(matrix), self.channel.orbits()
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
