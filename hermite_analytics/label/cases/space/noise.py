"""Noise that is added to a value of the coordinates: what a label says through it of the value's surfaces.

Given the value v = g(w) the label does not depend on w. The law of w and y is therefore that of w and v, of
which `SpaceChannel` has nodes, times P(y | v), a matrix between the nodes of v and those of y.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import sympy
from numpy.typing import NDArray
from scipy.special import ndtr
from sympy import Dummy, Expr, Symbol

from hermite_analytics.label.cases.line.functions import along, pieces_between
from hermite_analytics.language.affine import linear_part
from hermite_analytics.language.kinks import opened
from hermite_analytics.symbols import xi

__all__ = ["AddedNoise", "added_noise"]

Array = NDArray[np.float64]

_STEP = (1.0, 0.7)  # of y in standard deviations of the noise, by level: the trapezoid rule
_SPACING = (1.5, 1.1)  # of v, at most
_REACH = 7.0  # standard deviations
_FAR = 1e3  # the largest edge


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedNoise:
    """y = v + deviation xi, or a function of it that is constant between edges.

    Attributes
    ----------
    deviation : float
        Standard deviation of the noise.
    edges : ndarray, shape (k,)
        Increasing.
    groups : ndarray of int, shape (k + 1,)
        The number of the label below, between and above the edges; empty where y is the sum itself.
    """

    deviation: float
    edges: Array
    groups: NDArray[np.int64]

    def spacing(self, level: int) -> float:
        """The largest distance of two nodes of v at which sums over them see no step."""
        return _SPACING[level] * self.deviation

    def law(self, values: Array, level: int) -> Array:
        """P(y | v) with the weight of each node of y, shape (values, nodes of y).

        Examples
        --------
        >>> sign = AddedNoise(deviation=0.5, edges=np.zeros(1), groups=np.array([0, 1]))
        >>> sign.law(np.zeros(1), 1).tolist()
        [[0.5, 0.5]]
        >>> whole = AddedNoise(deviation=0.5, edges=np.zeros(0), groups=np.zeros(0, dtype=np.int64))
        >>> whole.law(np.array([0.0, 3.0]), 1).sum(axis=1).round(9).tolist()
        [1.0, 1.0]
        """
        s = self.deviation
        if len(self.groups):
            below = ndtr((np.array([-np.inf, *self.edges, np.inf]) - values[:, None]) / s)
            return np.diff(below, axis=1) @ np.eye(int(self.groups.max()) + 1)[self.groups]
        step = _STEP[level] * s
        first, last = float(values.min()) - _REACH * s, float(values.max()) + _REACH * s
        y = first + step * np.arange(math.ceil((last - first) / step) + 1)
        x = (y - values[:, None]) / s
        return np.asarray(step / (s * math.sqrt(2 * math.pi)) * np.exp(-0.5 * x * x))


def added_noise(signal: Expr, coordinates: Sequence[Symbol]) -> tuple[Expr, AddedNoise] | None:
    """(g, the noise that is added to it) of a label in which g and xi enter by their sum; else None.

    Examples
    --------
    >>> from sympy import sign, symbols
    >>> w = symbols("w1 w2", real=True)
    >>> value, noise = added_noise(sign(2 * w[0] * w[1] + xi - 1), w)
    >>> value, noise.deviation, noise.edges.tolist(), noise.groups.tolist()
    (2*w1*w2, 1.0, [1.0], [0, 1])
    """
    additive = linear_part(signal, xi)
    none = np.zeros(0)
    if additive is not None:
        value, slope = additive
        if not (slope.is_number and slope != 0):
            return None
        whole = AddedNoise(deviation=abs(float(slope)), edges=none, groups=none.astype(np.int64))
        return value, whole
    arguments = [linear_part(a, xi) for a in opened(signal)[1].values()]
    found = next((a for a in arguments if a is not None and a[1].is_number and a[1] != 0), None)
    if found is None:
        return None
    value = found[0] - found[0].as_independent(*coordinates, as_Add=True)[0]
    total = Dummy("total", real=True)
    function = signal.xreplace({xi: (total - value) / found[1]}).replace(_is_sum, sympy.expand)
    if function.free_symbols != {total}:
        return None
    pieces = pieces_between(along(function, total), -_FAR, _FAR)
    if any(p.slope for p in pieces):
        return None
    groups = np.unique([p.at_low for p in pieces], return_inverse=True)[1]
    edges = np.array([p.low for p in pieces[1:]])
    return value, AddedNoise(deviation=abs(float(found[1])), edges=edges, groups=groups.astype(np.int64))


def _is_sum(expression: Expr) -> bool:
    return bool(expression.is_Add)
