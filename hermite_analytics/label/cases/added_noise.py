"""Noise that is added to a value of the coordinates: what a label says through it of the value's surfaces.

Given the value v = g(w) the label does not depend on w. The law of w and y is therefore that of w and v, of
which `SpaceChannel` has nodes, times P(y | v), a matrix between the nodes of v and those of y.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import sympy
from sympy import Dummy, Expr, Symbol

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.label.cases.values.noisy import labels_near
from hermite_analytics.label.exact.cells import laws_of_values
from hermite_analytics.label.function_of_points import function_of_points
from hermite_analytics.language.affine import linear_part
from hermite_analytics.language.kinks import opened
from hermite_analytics.symbols import xi

__all__ = ["AddedNoise", "added_noise"]

_SPACING = (1.5, 1.1)  # of v, at most
_REACH = 7.0  # standard deviations
_LEAST = 0.036  # standard deviation, in the interquartile range of v
_LOST = 1e-6  # probability of the labels that is lost at a value


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedNoise:
    """y = v + deviation xi, or one of finitely many values that this sum decides on.

    Attributes
    ----------
    deviation : float
        Standard deviation of the noise.
    likelihoods : tuple of functions of v, shape (n, 1)
        P(value | v) of each value; empty where y is the sum itself.
    steps : tuple of float
        Of y in standard deviations of the noise, by level: the trapezoid rule.
    """

    deviation: float
    likelihoods: tuple[Callable[[Array], Array], ...] = ()
    steps: tuple[float, float] = (1.0, 0.7)

    def spacing(self, spread: float, level: int, *, least: float = _LEAST) -> float:
        """The largest distance of two nodes of v at which sums over them see no step.

        Parameters
        ----------
        spread : float
            The interquartile range of v.
        least : float
            The smallest standard deviation of the noise in it.

        Raises
        ------
        UnsupportedExpression
            If the noise is so small against it that nodes would be too many.
        """
        if self.deviation < least * spread:
            raise UnsupportedExpression(
                f"the noise is {self.deviation / spread:.2g} interquartile ranges of the label without it; "
                f"surfaces are seen through {least:.2g} of them and more"
            )
        return _SPACING[level] * self.deviation

    def law(self, values: Array, level: int) -> Array:
        """P(y | v) with the weight of each node of y, shape (values, nodes of y).

        Of y that is no value of finitely many there are nodes about each v alone.

        Raises
        ------
        UnsupportedExpression
            If a row does not sum to 1, as where doubles do not tell v and v + xi apart.

        Examples
        --------
        >>> AddedNoise(deviation=0.5).law(np.array([0.0, 3.0]), 1).sum(axis=1).round(9).tolist()
        [1.0, 1.0]
        """
        if self.likelihoods:
            found = np.stack([law(values[:, None]) for law in self.likelihoods], axis=1)
        else:
            step = self.steps[level] * self.deviation
            y = labels_near(values, step, _REACH * self.deviation)
            x = (y - values[:, None]) / self.deviation
            found = self.steps[level] / math.sqrt(2 * math.pi) * np.exp(-0.5 * x * x)
        if not np.abs(found.sum(axis=1) - 1).max(initial=0.0) < _LOST:
            raise UnsupportedExpression("what is seen of the label through noise does not have probability 1")
        return np.asarray(found)


def added_noise(signal: Expr, coordinates: Sequence[Symbol]) -> tuple[Expr, AddedNoise] | None:
    """(g, the noise that is added to it) of a label in which g and xi enter by their sum; else None.

    Examples
    --------
    >>> from sympy import sign, symbols
    >>> w = symbols("w1 w2", real=True)
    >>> value, noise = added_noise(sign(2 * w[0] * w[1] + xi - 1), w)
    >>> value, noise.deviation, noise.law(np.ones(1), 0).tolist()
    (2*w1*w2, 1.0, [[0.5, 0.5]])
    """
    additive = linear_part(signal, xi)
    if additive is not None:
        value, slope = additive
        if not (slope.is_number and slope != 0):
            return None
        return value, AddedNoise(deviation=abs(float(slope)))
    arguments = [linear_part(a, xi) for a in opened(signal)[1].values()]
    found = next((a for a in arguments if a is not None and a[1].is_number and a[1] != 0), None)
    if found is None:
        return None
    value, slope = found[0] - found[0].as_independent(*coordinates, as_Add=True)[0], found[1]
    v = Dummy("v", real=True)
    seen = signal.xreplace({xi: xi + (v - value) / slope}).replace(_is_sum, sympy.expand)
    if seen.free_symbols - {v, xi}:
        return None
    laws = laws_of_values(seen, (v,))
    if laws is None:
        return None
    likelihoods = tuple(function_of_points(law, (v,)) for _, law in laws)
    return value, AddedNoise(deviation=abs(float(slope)), likelihoods=likelihoods)


def _is_sum(expression: Expr) -> bool:
    return bool(expression.is_Add)
