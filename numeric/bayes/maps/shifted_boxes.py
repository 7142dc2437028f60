"""Probabilities of boxes on a grid of means and on shifted copies of it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Integers
from hermite_analytics.label.cases.line.preimages import PreimageNodes
from hermite_analytics.label.cases.values.box_moments import BoxMoments
from hermite_analytics.numeric.compiled import compiled

__all__ = ["ShiftedBoxes"]

_SAME = 1e-12
_DIRECT = 60_000  # integrals beside which a table for interpolation does not pay
_SPACING = 0.2  # of that table, in the least standard deviation
_MARGIN = 8.5  # standard deviations beyond the outermost edges: there nothing changes


@dataclass(frozen=True, slots=True, kw_only=True)
class ShiftedBoxes:
    """P(v in the boxes of each sheet), v ~ N(mu, S), with its gradient in mu.

    Attributes
    ----------
    boxes : BoxMoments
    variance : ndarray, shape (p, p)
        S.
    mu : ndarray, shape (n, p)
    """

    boxes: BoxMoments
    variance: Array
    mu: Array

    def tables(self, nodes: PreimageNodes, log_ratios: Array, along: Array) -> tuple[Integers, Array, Array]:
        """At mu + along (point - place) for each preimage of each place.

        Parameters
        ----------
        nodes : PreimageNodes
        log_ratios : ndarray, shape (places, k)
            -inf where there is no preimage but the place itself.
        along : ndarray, shape (p,)

        Returns
        -------
        rows : ndarray of int, shape (places, 1 + k)
            The table of the place itself, then those of its other preimages; -1 where there is none that
            counts.
        tables : ndarray, shape (m, n)
        slopes : ndarray, shape (m, n, p)
        """
        count = len(self.boxes.tables)
        shift = nodes.points - nodes.place[:, None]
        present = np.isfinite(log_ratios)
        sheets = np.broadcast_to(nodes.sheet, present.shape)
        rows = np.column_stack([nodes.sheet[nodes.own], np.where(present, sheets, -1)])
        here, slopes = self._direct(np.arange(count), np.zeros((count, len(along))))
        if not present.any() or np.abs(along).max() * np.abs(shift[present]).max() < _SAME:
            return rows, here, slopes
        keys = np.stack([sheets[present], np.round(shift[present] / _SAME)], axis=1)
        unique, index = np.unique(keys, axis=0, return_inverse=True)
        rows[:, 1:][present] = count + index.ravel()
        sheet, moved = unique[:, 0].astype(np.int64), unique[:, 1:] * _SAME * along
        other, others = self.moved(sheet, moved)
        return rows, np.concatenate([here, other]), np.concatenate([slopes, others])

    def moved(self, sheet: Integers, moved: Array) -> tuple[Array, Array]:
        """(tables, slopes) at mu + moved, for pairs of a sheet and a shift, shape (m, p)."""
        direct = len(sheet) * len(self.mu) <= _DIRECT or self.mu.shape[1] != 2
        return (self._direct if direct else self._interpolated)(sheet, moved)

    def _direct(self, sheet: Integers, moved: Array) -> tuple[Array, Array]:
        n, p = self.mu.shape
        means = (moved[:, None, :] + self.mu).reshape(-1, p)
        value, slope = self._at(np.repeat(sheet, n), means)
        return value.reshape(-1, n), slope.reshape(-1, n, p)

    def _at(self, sheet: Integers, means: Array) -> tuple[Array, Array]:
        found = self.boxes.with_code(sheet)(np.ascontiguousarray(means), self.variance)
        value = np.exp(found.log_z)
        return value, value[:, None] * found.g

    def _interpolated(self, sheet: Integers, moved: Array) -> tuple[Array, Array]:
        """By polynomials of degree 5 in each of two coordinates; relative to 1 the error is below 1e-5."""
        size = np.sqrt(np.diag(self.variance))
        step = _SPACING * math.sqrt(float(np.linalg.eigvalsh(self.variance)[0]))
        axes = []
        for k in range(2):
            edges = self.boxes.edges[k]
            low, high = float(edges.min()) - _MARGIN * size[k], float(edges.max()) + _MARGIN * size[k]
            axes.append(low + step * np.arange(math.ceil((high - low) / step) + 1))
        means = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 2)
        count = len(self.boxes.tables)
        value, slope = self._at(np.repeat(np.arange(count), len(means)), np.tile(means, (count, 1)))
        table = np.concatenate([value[:, None], slope], axis=1)
        table = np.ascontiguousarray(table.reshape(count, len(axes[0]), len(axes[1]), 3))
        first = np.array([a[0] for a in axes])
        return _on_table(table, first, step, sheet, np.ascontiguousarray(moved), self.mu)


@compiled
def _on_table(
    table: Array, first: Array, step: float, sheet: Integers, moved: Array, mu: Array
) -> tuple[Array, Array]:
    """Lagrange's polynomial through the six nearest nodes of each coordinate."""
    values, slopes = np.empty((len(sheet), len(mu))), np.empty((len(sheet), len(mu), 2))
    start = np.empty(2, dtype=np.int64)
    weights = np.empty((2, 6))
    s = np.empty(3)
    for u in range(len(sheet)):
        for t in range(len(mu)):
            for k in range(2):
                last = table.shape[1 + k] - 1.0
                x = min(max((mu[t, k] + moved[u, k] - first[k]) / step, 0.0), last)
                start[k] = min(max(math.floor(x) - 2, 0), table.shape[1 + k] - 6)
                x -= start[k]
                for a in range(6):
                    w = 1.0
                    for b in range(6):
                        if b != a:
                            w *= (x - b) / (a - b)
                    weights[k, a] = w
            s[:] = 0.0
            for a in range(6):
                for b in range(6):
                    w = weights[0, a] * weights[1, b]
                    for c in range(3):
                        s[c] += w * table[sheet[u], start[0] + a, start[1] + b, c]
            values[u, t] = max(s[0], 0.0)
            slopes[u, t, 0], slopes[u, t, 1] = s[1], s[2]
    return values, slopes
