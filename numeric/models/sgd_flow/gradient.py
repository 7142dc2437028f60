"""The gradient of one sample in the field of each neuron: plain, at a look-ahead, or of two passes.

The residual is r = y (correlation loss) or y - f (square loss), f = (1/p) sum_j a_j sigma(h_j), and
F_j = a_j r sigma'(h_j). After a step of size kappa/d the field of the same sample is h_j + kappa F_j.

Source: arXiv 2405.15459; docs/flows.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.models.sgd_flow.problem import FlowProblem

__all__ = ["LOSSES", "METHODS", "Gradient", "sign_changes"]

# Parts into which an interval is cut at once: a call on few points costs the same for more of them.
_PARTS = 16
_FEW = 200
LOSSES = ("correlation", "square")
METHODS = ("sgd", "extra-gradient", "batch-reuse")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Gradient:
    """F as a function of label and fields.

    Attributes
    ----------
    readout : ndarray, shape (p,)
        a_j.
    shift : float
        kappa; of "batch-reuse" rate/p.
    """

    problem: FlowProblem
    loss: str
    method: str
    shift: float
    readout: Array

    @property
    def looks_ahead(self) -> bool:
        return self.method != "sgd" and self.shift != 0.0

    @property
    def degree(self) -> int | None:
        """Of F in z, h and the label noise, where sigma and g are polynomials; None where they are not."""
        if self.problem.degrees is None:
            return None
        field, label = self.problem.degrees

        def plain(at: int) -> int:
            residual = label if self.loss == "correlation" else max(label, at * field)
            return residual + at * max(field - 1, 0)

        return plain(max(1, plain(1))) if self.looks_ahead else plain(1)

    def __call__(self, label: Array, fields: Array) -> Array:
        """F_j, shape (p, n), of labels (n,) and fields (p, n)."""
        first = self.plain(label, fields)
        if self.method == "sgd":
            return first
        second = self.plain(label, fields + self.shift * first)
        return second if self.method == "extra-gradient" else first + second

    def plain(self, label: Array, fields: Array) -> Array:
        """a_j r sigma'(h_j)."""
        residual = label
        if self.loss == "square":
            residual = label - self.readout @ self.problem.activation(fields) / self.readout.size
        return np.asarray(self.readout[:, None] * residual * self.problem.slope(fields))

    def ahead(self, label: Array, field: Array) -> Array:
        """h + kappa F(h) of one neuron, elementwise."""
        shape = np.broadcast_shapes(label.shape, field.shape)
        y = np.broadcast_to(label, shape).ravel()
        h = np.broadcast_to(field, shape).ravel()
        ahead: Array = h + self.shift * self.plain(y, h[None])[0]
        return ahead.reshape(shape)

    def critical_labels(self) -> list[float]:
        """Labels at which a look-ahead from a bend ends at a bend: the set of kinks changes there."""
        found: list[float] = []
        a = float(self.readout[0])
        for start in self.problem.bends:
            offset = (
                a * float(self.problem.activation(np.array([start]))[0]) if self.loss == "square" else 0.0
            )
            for side in (-1e-12, 1e-12):
                point = np.array([start + side * max(1.0, abs(start))])
                slope = float(self.problem.slope(point)[0])
                if slope != 0.0:
                    found += [offset + (b - start) / (self.shift * a * slope) for b in self.problem.bends]
        return sorted(set(found))


def sign_changes(function: Callable[[Array], Array], edges: Array) -> Array:
    """Points where a function of an array changes sign, one search for all; jumps count.

    Intervals are halved, those of few points cut into more parts.

    Parameters
    ----------
    function : callable
        Of shape (n, k) to (n, k), row by row.
    edges : ndarray, shape (n, k)
        Sorted along the last axis; changes between neighbours are looked for.

    Returns
    -------
    ndarray, shape (n, most)
        As many columns as a row has changes at most; NaN where it has fewer.
    """
    values = function(edges)
    changed = np.signbit(values[:, 1:]) != np.signbit(values[:, :-1])
    most = int(changed.sum(axis=1).max(initial=0))
    order = np.argsort(~changed, axis=1, kind="stable")[:, :most]
    there = np.take_along_axis(changed, order, axis=1)
    low = np.take_along_axis(edges[:, :-1], order, axis=1)
    high = np.take_along_axis(edges[:, 1:], order, axis=1)
    below = np.signbit(np.take_along_axis(values[:, :-1], order, axis=1))
    parts = _PARTS if low.size <= _FEW else 2
    inside = np.arange(1, parts) / parts
    for _ in range(math.ceil(52 / math.log2(parts))):
        points = low[..., None] + (high - low)[..., None] * inside
        rows = points.reshape(low.shape[0], low.shape[1] * inside.size)
        negative = np.signbit(function(rows)).reshape(points.shape)
        same = np.logical_and.accumulate(negative == below[..., None], axis=-1)
        part = same.sum(axis=-1, keepdims=True)
        grid = np.concatenate([low[..., None], points, high[..., None]], axis=-1)
        low = np.take_along_axis(grid, part, axis=-1)[..., 0]
        high = np.take_along_axis(grid, part + 1, axis=-1)[..., 0]
    return np.where(there, 0.5 * (low + high), np.nan)
