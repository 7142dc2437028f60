"""F of noiseless labels along one coordinate: preimages, and z = m w + sqrt(m (1 - m)) xi around them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.label.cases.line.sheets import PreimageNodes, SheetChannel
from hermite_analytics.label.cases.values.boxes import interval_probabilities
from hermite_analytics.numeric.bayes.maps.gaussian_nodes import (
    TINY,
    XI_STEP,
    normal_nodes,
    omega_nodes,
)
from hermite_analytics.numeric.compiled import compiled

__all__ = ["SheetMap", "sheet_average"]

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetMap:
    """Of noiseless labels along one coordinate."""

    channel: SheetChannel
    _nodes: dict[int, PreimageNodes] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def exact_share(self) -> float:
        """The probability that the label is no atom."""
        return self.channel.continuous_probability

    @property
    def resolution(self) -> float:
        """Preimages cluster where they matter."""
        return 1e-6

    @property
    def mass_defect(self) -> float:
        """Of the labels that are no atoms."""
        return abs(float(self.nodes(1).weights.sum()) - self.exact_share)

    def nodes(self, level: int) -> PreimageNodes:
        """The label nodes, found once."""
        if level not in self._nodes:
            self._nodes[level] = self.channel.nodes(level)
        return self._nodes[level]

    def __call__(self, matrix: Array, *, level: int = 1) -> Array:
        m = float(matrix[0, 0])
        nodes = self.nodes(level)
        xi, weights = normal_nodes(XI_STEP[level]) if m > 0 else (np.zeros(1), np.ones(1))
        found = sheet_average(nodes.place, nodes.weights, nodes.points, nodes.log_weights, m, xi, weights)
        return np.array([[found + self._of_atoms(m, level)]])

    def _of_atoms(self, m: float, level: int) -> float:
        omega, weights = omega_nodes(m, level)
        probabilities = np.array([s.probability for s in self.channel.sheets])
        total = 0.0
        for atom in self.channel.atoms():
            z, slope = np.zeros(len(omega)), np.zeros(len(omega))
            for low, high, k in zip(atom.low, atom.high, atom.sheet, strict=True):
                edges = np.array([low, high])
                p, dp, _ = interval_probabilities(edges, omega, 1 - m)
                z, slope = z + probabilities[k] * p[:, 0], slope + probabilities[k] * dp[:, 0]
            total += float(weights @ (slope**2 / np.maximum(z, TINY)))
        return total

    def hidden(self, m: float, *, level: int = 1) -> tuple[Array, Array]:
        """What the label says of the discrete coordinates v while nothing is known of them.

        Returns E[E[v|.] E[v|.]^T], shape (p, p), and E[G_ab G_cd], shape (p, p, p, p), G = E[v v^T - I | .].
        """
        nodes = self.nodes(level)
        first = np.stack([s.first for s in self.channel.sheets])
        second = np.stack([s.second.ravel() for s in self.channel.sheets])
        xi, weights = normal_nodes(XI_STEP[level]) if m > 0 else (np.zeros(1), np.ones(1))
        table = np.concatenate([first, second], axis=1)
        found = _hidden_average(
            nodes.place, nodes.weights, nodes.points, nodes.log_weights, nodes.sheet, table, m, xi, weights
        )
        p = first.shape[1]
        return found[:p, :p], found[p:, p:].reshape(p, p, p, p)


@compiled
def sheet_average(
    place: Array, weights: Array, points: Array, log_weights: Array, m: float, xi: Array, xi_weights: Array
) -> float:
    """E[g^2] over nodes and xi."""
    v = 1.0 - m
    spread = math.sqrt(m * v)
    total = 0.0
    for n in range(len(place)):
        for t in range(len(xi)):
            omega = m * place[n] + spread * xi[t]
            top, s0, s1 = -np.inf, 0.0, 0.0
            for i in range(points.shape[1]):
                if log_weights[n, i] <= -1e299:
                    continue
                d = points[n, i] - omega
                log_term = log_weights[n, i] - 0.5 * d * d / v
                if log_term > top:
                    scale = math.exp(top - log_term)
                    s0, s1, top = s0 * scale, s1 * scale, log_term
                term = math.exp(log_term - top)
                s0, s1 = s0 + term, s1 + term * d
            g = s1 / (s0 * v)
            total += weights[n] * xi_weights[t] * g * g
    return total


@compiled
def _hidden_average(
    place: Array,
    weights: Array,
    points: Array,
    log_weights: Array,
    sheet: NDArray[np.int64],
    table: Array,
    m: float,
    xi: Array,
    xi_weights: Array,
) -> Array:
    """E[a a^T] for the average a of the table's rows over the preimages."""
    v = 1.0 - m
    spread = math.sqrt(m * v)
    size = table.shape[1]
    result = np.zeros((size, size))
    mean = np.zeros(size)
    for n in range(len(place)):
        for t in range(len(xi)):
            omega = m * place[n] + spread * xi[t]
            top = -np.inf
            for i in range(points.shape[1]):
                d = points[n, i] - omega
                top = max(top, log_weights[n, i] - 0.5 * d * d / v)
            mean[:] = 0.0
            total = 0.0
            for i in range(points.shape[1]):
                d = points[n, i] - omega
                term = math.exp(log_weights[n, i] - 0.5 * d * d / v - top)
                total += term
                mean += term * table[sheet[n, i]]
            factor = weights[n] * xi_weights[t] / (total * total)
            for a in range(size):
                for b in range(size):
                    result[a, b] += factor * mean[a] * mean[b]
    return result
