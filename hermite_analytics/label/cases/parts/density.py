"""Densities of a label, with moments, tabulated on panels between singular values.

On a panel (a, b) the tables stand at y = (a + b e^s)/(1 + e^s) with s on a uniform grid, so that
s = log((y - a)/(b - y)). Powers and logarithms of the distance from either end, and singularities that
are close to an end on any scale, are analytic in the strip |Im s| < pi: the trapezoid rule converges
geometrically, and values between nodes come from a polynomial through neighbours. Distances from both ends
are carried along, never formed by subtraction.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Integers
from hermite_analytics.label.cases.parts.interpolation import Table
from hermite_analytics.label.quadrature import LabelQuadrature

__all__ = ["LabelDensity", "atoms_of", "channel_count", "distinct", "grid", "second_channels", "spacing"]

SAME = 1e-11  # relative distance of singular values that count as one
_REACH = 132.0  # |s| of the outermost nodes: powers down to (y - a)^(-3/4) are integrated to 1e-14
_SPACING = 0.095  # of the tables at level 1
_NEGLIGIBLE = 1e-21  # probability of a node that is left out: E[G^2 | y] there is in the thousands
_TRIM = 1e-20  # probability of an outermost node that is still kept


def spacing(level: float) -> float:
    """The distance of nodes in s, of tables at a level of refinement."""
    return _SPACING / level


@functools.cache
def grid(step: float) -> Array:
    """The nodes s of all panels, symmetric about 0."""
    half = int(_REACH / step)
    nodes = step * np.arange(-half, half + 1)
    nodes.flags.writeable = False
    return np.asarray(nodes)


def channel_count(dimension: int) -> int:
    """Channels of a density: 1, w_i, w_i w_j - delta_ij (i <= j)."""
    return 1 + dimension + dimension * (dimension + 1) // 2


@functools.cache
def second_channels(dimension: int) -> Integers:
    """The channel of w_i w_j - delta_ij, as a symmetric matrix of indices."""
    found = np.zeros((dimension, dimension), dtype=np.int64)
    upper = np.triu_indices(dimension)
    found[upper] = 1 + dimension + np.arange(len(upper[0]))
    return np.maximum(found, found.T)


def distinct(values: Sequence[float] | Array) -> Array:
    """Sorted values, those that agree to rounding merged; what rounding made of 0 is 0."""
    rounding = 1e-14 * min(1.0, max((abs(float(v)) for v in values), default=1.0))
    result: list[float] = []
    for v in sorted(0.0 if abs(v) <= rounding else float(v) for v in values):
        if not result or v - result[-1] > max(SAME * max(abs(v), abs(result[-1])), rounding):
            result.append(v)
    return np.array(result)


def atoms_of(found: Sequence[tuple[float, Array]], channels: int) -> tuple[Array, Array]:
    """Labels of positive probability and their moments: those of `distinct` labels that are one add up."""
    labels = distinct([v for v, _ in found])
    values = np.zeros((len(labels), channels))
    for v, moments in found:
        values[int(np.argmin(np.abs(labels - v)))] += moments
    return labels, values


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelDensity:
    """The law of a label y = g(w) and of w given y.

    Parameters
    ----------
    points : ndarray, shape (m + 1,)
        Sorted values between which all densities are smooth; m panels. The density vanishes outside.
    values : ndarray, shape (m, n, channels)
        Density of the label times (1, E[w_i | y], E[w_i w_j - delta_ij | y] for i <= j), at `grid(step)`.
    atoms : ndarray, shape (k,)
        Labels of positive probability.
    atom_values : ndarray, shape (k, channels)
        Their probability and moments, not normalised.
    step : float
        The distance of nodes in s.

    Attributes
    ----------
    first_node, last_node : ndarray of int, shape (m,)
        The outermost nodes of a panel whose probability is not negligible; first > last: it is empty.
    """

    points: Array
    values: Array
    atoms: Array
    atom_values: Array
    step: float
    first_node: Integers = field(init=False)
    last_node: Integers = field(init=False)

    def __post_init__(self) -> None:
        s = grid(self.step)
        weights = np.diff(self.points)[:, None] * self.step / (2 + np.exp(s) + np.exp(-s))
        kept = self.values[:, :, 0] * weights > _TRIM
        some = kept.any(1)
        object.__setattr__(self, "first_node", np.where(some, kept.argmax(1), 0))
        object.__setattr__(self, "last_node", np.where(some, len(s) - 1 - kept[:, ::-1].argmax(1), -1))
        for array in (
            self.points,
            self.values,
            self.first_node,
            self.last_node,
            self.atoms,
            self.atom_values,
        ):
            array.flags.writeable = False

    @property
    def dimension(self) -> int:
        """Number q of tracked coordinates w; 0 for independent noise."""
        return (math.isqrt(8 * self.values.shape[2] + 1) - 3) // 2

    @property
    def mass(self) -> float:
        """Total probability; 1 up to the error of the rules."""
        continuous = sum(float(w @ v[:, 0]) for _, w, v in self._panels())
        return continuous + float(self.atom_values[:, 0].sum())

    def table(self, panel: int) -> Table:
        """One panel, for compiled loops."""
        return Table(
            values=self.values[panel],
            first=int(self.first_node[panel]),
            last=int(self.last_node[panel]),
            half=len(grid(self.step)) // 2,
            step=float(self.step),
        )

    def _panels(self) -> list[tuple[Array, Array, Array]]:
        """(labels, quadrature weights dy, values) of each panel that is not empty."""
        result = []
        s = grid(self.step)
        for i in range(len(self.points) - 1):
            k = slice(int(self.first_node[i]), int(self.last_node[i]) + 1)
            if k.start >= k.stop:
                continue
            length = self.points[i + 1] - self.points[i]
            left, right = length / (1 + np.exp(-s[k])), length / (1 + np.exp(s[k]))
            y = np.where(s[k] < 0, self.points[i] + left, self.points[i + 1] - right)
            result.append((y, self.step * left * right / length, self.values[i, k]))
        return result

    def labels(self) -> tuple[Array, Array]:
        """(y, values times the weight of the node): the law as a finite sum, atoms last."""
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused later
            parts = self._panels()
            y = np.concatenate([*(p[0] for p in parts), self.atoms])
            values = np.concatenate([*(p[1][:, None] * p[2] for p in parts), self.atom_values])
        keep = values[:, 0] > _NEGLIGIBLE
        return y[keep], values[keep]

    def quadrature(self) -> LabelQuadrature:
        """The law as a finite sum, with E[w | y] and E[w w^T - I | y]."""
        _, values = self.labels()
        with np.errstate(invalid="ignore"):
            moments = values / values[:, :1]
        q = self.dimension
        return LabelQuadrature(
            weights=values[:, 0],
            first=np.ascontiguousarray(moments[:, 1 : 1 + q]),
            second=np.ascontiguousarray(moments[:, second_channels(q)]),
        )
