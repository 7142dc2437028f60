"""Sums over z of f(t a(z)) by the values of f at nodes, the same for all t and z.

f is a polynomial on panels of s = t a(z). What a node counts does not depend on f, so that sums of many f are
one product of matrices.
"""

from __future__ import annotations

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Complex
from hermite_analytics.foundation.panels import gauss_legendre
from hermite_analytics.label.cases.committee.graded_rule import NODES
from hermite_analytics.label.compiled import compiled

__all__ = ["panels_of", "weights_of_nodes"]


_CLOSE = 0.05  # s up to which transforms are polynomials
_SETTLED = 10.0
_FLAT = 1e-12


def panels_of(top: float, eigenvalues: Array, ratio: float) -> Array:
    """Edges of panels of s on which transforms given z_c are polynomials, on both sides of 0.

    They turn up to s about 10/l, and are then smooth functions of log s.
    """
    curved = np.abs(eigenvalues[np.abs(eigenvalues) > _FLAT])
    slow = _SETTLED / min(float(curved.min(initial=1.0)), 1.0)
    edges = [0.0, _CLOSE]
    while edges[-1] < top:
        edges.append(edges[-1] * (1 + (ratio if edges[-1] < slow else 1.0)))
    return np.array([*(-e for e in reversed(edges)), *edges[1:]])


def weights_of_nodes(t: Array, scale: Array, waves: Complex, edges: Array) -> Complex:
    """What each node of s counts for sums over z of functions of s = t a(z): shape (nodes, k, c)."""
    x, w = gauss_legendre(NODES)
    barycentric = np.asarray((-1.0) ** np.arange(NODES) * np.sqrt((1 - x * x) * w), dtype=np.float64)
    found = np.zeros(((len(edges) - 1) * NODES, len(t), waves.shape[2]), dtype=np.complex128)
    _add_weights(t, scale, np.ascontiguousarray(waves), edges, x, barycentric, found)
    return found


@compiled
def _add_weights(
    t: Array, scale: Array, waves: Complex, edges: Array, x: Array, barycentric: Array, out: Complex
) -> None:
    """Lagrange's polynomials on the panel of each s."""
    values = np.empty(x.size)
    for k in range(t.size):
        row = min(k, waves.shape[0] - 1)
        for z in range(scale.size):
            s = t[k] * scale[z]
            panel = min(max(np.searchsorted(edges, s, side="right") - 1, 0), edges.size - 2)
            u = 2.0 * (s - edges[panel]) / (edges[panel + 1] - edges[panel]) - 1.0
            total = 0.0
            for i in range(x.size):
                gap = u - x[i]
                values[i] = barycentric[i] / (gap if abs(gap) > 1e-14 else 1e-14)
                total += values[i]
            for c in range(waves.shape[2]):
                wave = waves[row, z, c]
                if abs(wave.real) + abs(wave.imag) > 1e-18:
                    for i in range(x.size):
                        out[panel * x.size + i, k, c] += wave * (values[i] / total)
