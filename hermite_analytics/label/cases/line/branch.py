"""A monotone piece of a label with the places where it is slow: its nodes, and its points of given labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Bools, Function
from hermite_analytics.label.cases.line.numeric_pieces import SAME, NumericPiece, on_piece, point_of
from hermite_analytics.label.cases.line.slow_places import SlowPlace, end_places, slow_places

__all__ = ["Branch", "is_same_label"]

_STEEPEST = 1e290


def is_same_label(label: float, other: float) -> bool:
    """Whether two labels are one, to rounding.

    Examples
    --------
    >>> is_same_label(1.0, 1.0 + 1e-14), is_same_label(1.0, 1.0 + 1e-9)
    (True, False)
    """
    return abs(label - other) <= SAME * max(1.0, abs(other))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Branch:
    """A monotone piece, which is not constant.

    Attributes
    ----------
    value, derivative : functions of an array
    piece : NumericPiece
    slow, ends : tuple of SlowPlace
        Inside the piece, and at its ends.
    """

    value: Function
    derivative: Function
    piece: NumericPiece
    slow: tuple[SlowPlace, ...]
    ends: tuple[SlowPlace, ...]

    @classmethod
    def of(cls, value: Function, derivative: Function, piece: NumericPiece) -> Branch:
        """With its places found.

        Examples
        --------
        >>> piece = NumericPiece(low=0.0, high=9.0, at_low=1.0, at_high=82.0, slope=1)
        >>> right = Branch.of(lambda z: 1 + z * z, lambda z: 2 * z, piece)
        >>> piece = NumericPiece(low=-9.0, high=0.0, at_low=82.0, at_high=1.0, slope=-1)
        >>> left = Branch.of(lambda z: 1 + z * z, lambda z: 2 * z, piece)
        >>> z = np.array([1e-12])
        >>> taken, points, slope = left.roots(right.value(z), right, z)  # the label is 1 to rounding
        >>> taken.tolist(), round(points[0] * 1e12, 6), round(slope[0] * 1e12, 6)
        ([True], np.float64(-1.0), np.float64(2.0))
        """
        return cls(
            value=value,
            derivative=derivative,
            piece=piece,
            slow=slow_places(value, derivative, piece),
            ends=end_places(derivative, piece),
        )

    def panels(self, critical: Sequence[float], *, widest: float, cuts: Sequence[float] = ()) -> Array:
        """Their ends, shape (p, 2): at slow places, at cuts, and where the label is a critical one."""
        inside = (c for c in cuts if self.piece.low < c < self.piece.high)
        return on_piece(
            self.value,
            self.derivative,
            self.piece,
            critical,
            widest=widest,
            slow=[*(place.place for place in self.slow), *inside],
        )

    def takes(self, labels: Array) -> Bools:
        """Which labels lie between those of the ends."""
        low, high = sorted((self.piece.at_low, self.piece.at_high))
        return (labels > low) & (labels < high)

    def roots(self, labels: Array, own: Branch, z: Array) -> tuple[Bools, Array, Array]:
        """(which labels this piece takes, their points, the sizes of the slopes there).

        Of labels of points z of another piece: beside its places they are told apart by their distances.
        """
        if self is own:
            return np.ones(len(z), dtype=bool), z, self._own_slopes(z)
        taken = self.takes(labels)
        points, slope = np.zeros(len(z)), np.zeros(len(z))
        if taken.any():
            points[taken] = point_of(self.value, self.derivative, self.piece, labels[taken])
            slope[taken] = self._steepness(points[taken])
        for place in (*own.slow, *own.ends):
            twins = [t for t in (*self.slow, *self.ends) if is_same_label(t.label, place.label)]
            gap = place.gaps(z)[1] if twins else z
            for twin in twins:
                both, roots, steep = twin.roots(gap)
                points[both], slope[both] = roots[both], steep[both]
                taken |= both
        return taken, points[taken], slope[taken]

    def _steepness(self, z: Array) -> Array:
        """|derivative|; of a place that rounding puts onto a kink or a pole the largest number."""
        return np.nan_to_num(np.abs(self.derivative(z)), nan=_STEEPEST, posinf=_STEEPEST)

    def _own_slopes(self, z: Array) -> Array:
        slope = self._steepness(z)
        for place in (*self.slow, *self.ends):
            close, _, steep = place.gaps(z)
            slope[close] = steep[close]
        return np.asarray(slope)
