"""A quadrature over the labels of a target: dense on all scales beside singular labels."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.foundation.panels import unit_rule
from hermite_analytics.foundation.roots import roots_between

__all__ = ["LabelRange", "label_range"]

_OFFSET = 0.5  # of the nodes: those of a symmetric law are symmetric
_CLOSEST = 1e-10  # distance from a singular label, in the interquartile range
_SAME = 1e-7  # distance of singular labels that count as one, in the same unit
_BULK = 0.5  # of the interquartile range, at a spacing of 1
_TAIL = 2.0  # interquartile ranges from the middle, from which a largest spacing grows
_LONGEST, _DENSER = 4.0, 1.3  # of s between places: length of a rule, its nodes a unit
_NOWHERE = np.zeros(0)
_BOUNDED = (
    0.1  # change of the extreme label, in interquartile ranges, with the radius where it counts as an end
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelRange:
    """Where the labels are.

    Attributes
    ----------
    singular : ndarray
        Increasing labels at which their law may not be smooth, ends of a bounded range included.
    least, largest : float
        Labels beyond have no probability that counts.
    middle, spread : float
        Median and interquartile range.
    """

    singular: Array
    least: float
    largest: float
    middle: float
    spread: float

    def nodes(self, step: float, spacing: float = math.inf, places: Array = _NOWHERE) -> tuple[Array, Array]:
        """(labels, weights): the law of y is sum weights p(labels).

        Equal steps, between singular labels, of s(y) = +-log of the distances from both ends + asinh((y -
        middle)/spread)/0.5: the trapezoid rule converges exponentially. With a largest spacing of the labels,
        which grows in the tails as their distance from the middle, one more asinh is added. What is averaged
        may jump at further `places`, increasing: Gauss's rule in s between two of them.

        Examples
        --------
        >>> square = LabelRange(singular=np.zeros(1), least=0.0, largest=40.0, middle=0.45, spread=1.2)
        >>> y, w = square.nodes(0.5)
        >>> round(float(w @ (np.exp(-y / 2) / np.sqrt(2 * np.pi * y))), 4)
        1.0
        """
        parts = [self._panel(a, b, step, 1 / spacing, places) for a, b in self._panels()]
        if not parts:
            return np.zeros(0), np.zeros(0)
        labels, weights = (np.concatenate(x) for x in zip(*parts, strict=True))
        order = np.argsort(labels, kind="stable")
        return labels[order], weights[order]

    def _panels(self) -> list[tuple[float, float]]:
        places = [-math.inf, *map(float, self.singular), math.inf]
        return [(a, b) for a, b in itertools.pairwise(places) if self._is_taken(a, b)]

    def _is_taken(self, a: float, b: float) -> bool:
        slack = _SAME * self.spread
        return min(b, self.largest) - max(a, self.least) > slack

    def _panel(self, a: float, b: float, step: float, least: float, places: Array) -> tuple[Array, Array]:
        place, low, high = self._coordinate(a, b)

        def density(y: Array) -> Array:
            bulk = _BULK * np.hypot(self.spread, y - self.middle)
            added = least / np.hypot(1.0, (y - self.middle) / (_TAIL * self.spread))
            return np.asarray((1 / (y - a) + 1 / (b - y) + 1 / bulk) / step + added)

        def count(y: Array) -> Array:
            """Nodes below y, up to a constant."""
            left = np.log(y - a) if math.isfinite(a) else 0.0
            right = np.log(b - y) if math.isfinite(b) else 0.0
            bulk = np.arcsinh((y - self.middle) / self.spread) / _BULK
            added = np.arcsinh((y - self.middle) / (_TAIL * self.spread)) * _TAIL * self.spread * least
            return np.asarray((left - right + bulk) / step + added)

        first, last = (float(count(place(np.array([x])))[0]) for x in (low, high))
        wanted = np.arange(math.ceil(first - _OFFSET), math.floor(last - _OFFSET) + 1) + _OFFSET
        weights = np.ones(len(wanted))
        slack = _SAME * self.spread
        inner = count(places[(places > a + slack) & (places < b - slack)])
        if len(inner):
            wanted, weights = _between(inner[(inner > first) & (inner < last)], first, last)
        ends = np.full(len(wanted), low), np.full(len(wanted), high)
        y = place(roots_between(lambda x: count(place(x)) - wanted, *ends))
        return y, weights / density(y)

    def _coordinate(self, a: float, b: float) -> tuple[Callable[[Array], Array], float, float]:
        """A coordinate x of the labels between a and b, and the range of it that counts."""
        close = math.log(_CLOSEST * self.spread)
        if math.isfinite(a) and math.isfinite(b):
            far = max(math.log(b - a) - close, 1.0)

            def inside(x: Array) -> Array:
                near = (b - a) / (1 + np.exp(np.abs(x)))
                return np.where(x < 0, a + near, b - near)

            return inside, -far, far
        if math.isfinite(a):
            return lambda x: a + np.exp(x), close, math.log(max(self.largest - a, self.spread))
        if math.isfinite(b):
            return lambda x: b - np.exp(-x), -math.log(max(b - self.least, self.spread)), -close
        far = math.asinh(max(self.middle - self.least, self.largest - self.middle) / self.spread)
        return lambda x: self.middle + self.spread * np.sinh(x), -far, far


def _between(places: Array, first: float, last: float) -> tuple[Array, Array]:
    """Gauss's rule between neighbours of first, places, last, divided: a little more than one node a unit.

    Examples
    --------
    >>> s, w = _between(np.array([0.3]), -2.0, 9.0)
    >>> round(float(w @ np.where(s > 0.3, np.cos(s), 0.0)), 6), round(float(np.sin(9) - np.sin(0.3)), 6)
    (0.116598, 0.116598)
    """
    nodes, weights = [], []
    for a, b in itertools.pairwise([first, *map(float, places), last]):
        parts = math.ceil((b - a) / _LONGEST)
        x, w = unit_rule(math.ceil(_DENSER * (b - a) / parts) + 1)
        length = (b - a) / parts
        for k in range(parts):
            nodes.append(a + length * (k + x))
            weights.append(length * w)
    return np.concatenate(nodes), np.concatenate(weights)


def label_range(
    labels: Array, near: Array, typical: Array, singular: Array, shift: float | None
) -> LabelRange:
    """From labels at nodes that reach far, those of them near 0, a sample, and critical values.

    Parameters
    ----------
    shift : float or None
        Where the law of y is that of shift - y.
    """
    if shift is not None:
        typical, singular = (np.concatenate([x, shift - x]) for x in (typical, singular))
        labels, near = (np.concatenate([x, shift - x]) for x in (labels, near))
    low, middle, high = (float(x) for x in np.quantile(typical, [0.25, 0.5, 0.75]))
    spread = high - low if high > low else max(1.0, abs(middle))
    least, largest = float(labels.min()), float(labels.max())
    ends = []
    if float(near.min()) - least < _BOUNDED * spread:
        ends.append(least)
    if largest - float(near.max()) < _BOUNDED * spread:
        ends.append(largest)
    inner = singular[(singular > least) & (singular < largest)]
    ordered = np.sort(np.concatenate([inner, ends]))
    apart = np.diff(ordered, prepend=-np.inf) > _SAME * spread
    return LabelRange(singular=ordered[apart], least=least, largest=largest, middle=middle, spread=spread)
