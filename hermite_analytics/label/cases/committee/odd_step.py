"""A part that is odd about its value at 0 and steepest there, and pairs of coordinates with such parts.

With g the part less g(0) and a multiple of z, of which the sum of all coordinates determines the sum, g' is
even, and decreases in |z| to 0: erf, tanh, atan, z + erf(z) and their like. A pair of coordinates
z = t/2 + d, t/2 - d has the label h(d; t) = g(t/2 + d) + g(t/2 - d), which for t > 0 decreases in d >= 0 from
H(t) = 2 g(t/2) to 0: t and the label determine the pair up to an exchange.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.numpy_arrays import Array

__all__ = ["OddStep", "increasing_root"]

Function = Callable[[Array], Array]

_END = 16.0  # of the table
_DENSITY = 512  # of its points
_REACH = 9.0  # |z| on which the form of g is looked at
_POINTS = 4001
_SAME = 1e-12
_TOTALS, _RATIOS = 320, 480  # entries of the table of starts
_DIFFERENCES = 1801
_HALVINGS = 56
_STEPS = 60
_CLOSE = 1e-4  # relative change of d^2 at the last step: the next would be of its square's size
_ROUNDING = 2e-15  # of h
_LEAST = 1e-7  # d
_LOWEST = 1e-300


class OddStep:
    """Values and slopes of g by cubic interpolation, to about 1e-12 for parts with slopes of order one.

    Parameters
    ----------
    value, slope : functions
        Of a part without kinks.

    Raises
    ------
    UnsupportedExpression
        If g is not odd about its value at 0, or g' is not largest there and decreasing.

    Examples
    --------
    >>> from scipy.special import erf
    >>> step = OddStep(erf, lambda z: 2 / np.sqrt(np.pi) * np.exp(-z * z))
    >>> z = np.array([1.3, 0.1])
    >>> spread = step.spread(np.array([erf(1.3) + erf(0.1)]), np.array([1.4]))
    >>> float(np.round(spread[0], 10))
    0.6
    """

    def __init__(self, value: Function, slope: Function) -> None:
        z = np.linspace(-_END, _END, int(2 * _END * _DENSITY) + 1)
        least = float(slope(z[-1:])[0])
        _check_form(lambda z: value(z) - least * z, lambda z: slope(z) - least)
        g, d = value(z) - value(np.zeros(1)) - least * z, (slope(z) - least) / _DENSITY
        if g[-1] < 0:
            g, d = -g, -d
        rise = np.diff(g)
        self._pieces = [g[:-1], d[:-1], 3 * rise - 2 * d[:-1] - d[1:], d[:-1] + d[1:] - 2 * rise]
        self._starts = self._table_of_starts()

    def value(self, z: Array) -> Array:
        """Of g."""
        place, x = self._piece(z)
        a, b, c, d = (p.take(place) for p in self._pieces)
        return np.asarray(a + x * (b + x * (c + x * d)))

    def both(self, z: Array) -> tuple[Array, Array]:
        """Of g and its slope."""
        place, x = self._piece(z)
        a, b, c, d = (p.take(place) for p in self._pieces)
        return a + x * (b + x * (c + x * d)), _DENSITY * (b + x * (2 * c + 3 * x * d))

    def slope(self, z: Array) -> Array:
        """The slope of g."""
        place, x = self._piece(z)
        b, c, d = (p.take(place) for p in self._pieces[1:])
        return np.asarray(_DENSITY * (b + x * (2 * c + 3 * x * d)))

    def half(self, total: Array) -> Array:
        """H(t) = 2 g(t/2)."""
        return 2 * self.value(0.5 * total)

    @property
    def height(self) -> float:
        """The largest value."""
        return float(self.value(np.array([_END]))[0])

    def inverse_half(self, label: Array) -> Array:
        """The t with H(t) equal to a label; the ends of the table for labels beyond."""
        return increasing_root(lambda t: self.half(t) - label, np.full_like(label, -_END), _END + 0 * label)

    def spread(self, label: Array, total: Array) -> Array:
        """The d >= 0 with h(d; t) equal to a label between 0 and H(t), of the sign of t; arrays of one axis.

        By Newton's method for log h as a function of d^2, nearly a line for many g.
        """
        half, label = 0.5 * np.abs(total), np.abs(label)
        q = self._start(label, half)
        logs = np.log(label)
        found, left = q.copy(), np.arange(len(q))
        for _ in range(_STEPS):
            d = np.sqrt(q)
            high, low = self.both(half + d), self.both(half - d)
            h = high[0] + low[0]
            with np.errstate(all="ignore"):
                change = (np.log(h) - logs) * h * 2 * d / (high[1] - low[1])
            new = np.clip(np.where(np.isfinite(change), q - change, 1.5 * q), 0.25 * q, 4 * q + 1)
            found[left] = new
            off = (np.abs(new - q) > _CLOSE * new + _SAME**2) & (np.abs(h - label) > _ROUNDING * label)
            far = np.flatnonzero(off)
            if not len(far):
                break
            q, half, label, logs, left = new[far], half[far], label[far], logs[far], left[far]
        return np.sqrt(found)

    def _piece(self, z: Array) -> tuple[NDArray[np.intp], Array]:
        scaled = np.clip((z + _END) * _DENSITY, 0.0, 2 * _END * _DENSITY - 1e-9)
        place = scaled.astype(np.intp)
        return place, scaled - place

    def _start(self, label: Array, half: Array) -> Array:
        """d^2 by two linear interpolations of d, in t/2 and the root of log(H/h)."""
        with np.errstate(divide="ignore", invalid="ignore"):  # of a pair that has no label but 0
            deep = np.sqrt(np.maximum(np.log(2 * self.value(half) / label), 0.0))
        deep *= _RATIOS / self._deepest
        x, y = np.minimum(half * (_TOTALS / _END), _TOTALS - 1e-9), np.minimum(deep, _RATIOS - 1e-9)
        i, j = x.astype(np.intp), y.astype(np.intp)
        x, y = x - i, y - j
        place = i * (_RATIOS + 1) + j
        near = self._starts.take(place) * (1 - y) + self._starts.take(place + 1) * y
        place += _RATIOS + 1
        next_ = self._starts.take(place) * (1 - y) + self._starts.take(place + 1) * y
        return np.asarray(np.maximum(near * (1 - x) + next_ * x, _LEAST) ** 2)

    def _table_of_starts(self) -> Array:
        d = np.linspace(0.0, _REACH, _DIFFERENCES)
        halves = np.linspace(0.0, _END, _TOTALS + 1)
        halves[0] = 0.2 * halves[1]
        self._deepest = 6.0
        wanted = np.linspace(0.0, self._deepest, _RATIOS + 1)
        rows = []
        for half in halves:
            h = self.value(half + d) + self.value(half - d)
            deep = np.sqrt(np.maximum(np.log(h[0] / np.maximum(h, _LOWEST)), 0.0))
            rows.append(np.interp(wanted, np.maximum.accumulate(deep), d))
        return np.concatenate(rows)


def _check_form(value: Function, slope: Function) -> None:
    z = np.linspace(0.0, _REACH, _POINTS)
    at_0 = value(np.zeros(1))
    above, below, slopes = value(z) - at_0, value(-z) - at_0, slope(z)
    small = _SAME * float(np.abs(above).max())
    if not np.abs(above + below).max() <= small:
        raise UnsupportedExpression("the part is not odd")
    slopes = slopes * np.sign(slopes[0])
    if not (slopes[0] > 0 and np.all(np.diff(slopes) <= _SAME * slopes[0]) and slopes[-1] < slopes[0] / 2):
        raise UnsupportedExpression("the slope of the part does not decrease from 0 on")


def increasing_root(function: Function, low: Array, high: Array, *, halvings: int = _HALVINGS) -> Array:
    """Between bounds, by halving: where functions of one variable each change their sign from below 0."""
    for _ in range(halvings):
        middle = 0.5 * (low + high)
        above = function(middle) > 0
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return 0.5 * (low + high)
