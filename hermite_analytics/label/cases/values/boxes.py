"""Labels of finitely many values whose cells are boxes: each kink stands in one coordinate."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.numpy_arrays import Array, Integers
from hermite_analytics.label.cases.committee.parts import SeparateParts
from hermite_analytics.label.cases.values.box_integrals import box_moments
from hermite_analytics.label.cases.values.box_moments import BoxMoments, indices_of_values
from hermite_analytics.label.cases.values.noisy import labels_near
from hermite_analytics.label.quadrature import LabelQuadrature

__all__ = ["MOST_INTEGRATED", "BoxChannel"]

MOST_INTEGRATED = 3  # coordinates
_SAME = 1e-11
_REACH = 8.6  # standard deviations of the noise
_STEP = (0.25, 0.15)  # of labels, by level


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxChannel:
    """y is constant on each box of a grid; w ~ N(omega, V).

    Attributes
    ----------
    edges : tuple of ndarray
        For each coordinate the ends of its intervals, from -inf to inf.
    label : ndarray of int, one axis a coordinate
        The index of the label on each box.
    values : ndarray, shape (number of labels,)
    noise : float
        Standard deviation of Gaussian noise added to the values.
    separate : SeparateParts or None
        The same by numbers of coordinates in cells: state evolution takes these where M is not diagonal.
    """

    edges: tuple[Array, ...]
    label: Integers
    values: Array
    noise: float = 0.0
    separate: SeparateParts | None = None

    @property
    def count(self) -> int:
        """Number of values."""
        return len(self.values)

    @property
    def dimension(self) -> int:
        """Number of coordinates."""
        return len(self.edges)

    def tables(self, level: int = 1) -> list[Array]:
        """P(y | box) for each label y; with noise times dy, for labels as dense as it is smooth."""
        if not self.noise:
            return [(self.label == k).astype(np.float64) for k in range(self.count)]
        step = _STEP[level] * self.noise
        return list(step * self._densities(labels_near(self.values, step, _REACH * self.noise)))

    @property
    def mass_defect(self) -> float:
        """What the tables lose of the total probability of a box."""
        return float(np.abs(np.sum(self.tables(), axis=0) - 1).max())

    def _densities(self, y: Array) -> Array:
        """Of noisy labels, shape (n,), on each box."""
        x = (y.reshape(-1, *(1,) * self.dimension) - self.values[self.label]) / self.noise
        return np.asarray(np.exp(-0.5 * x * x) / (self.noise * math.sqrt(2 * math.pi)))

    def at(self, labels: Array) -> BoxMoments:
        """The labels of a data set, shape (n,), each with its table.

        Raises
        ------
        InputError
            Naming the first label that is none of the values.
        UnsupportedExpression
            If there are more than three coordinates.
        """
        q = self.dimension
        if q > MOST_INTEGRATED:
            raise UnsupportedExpression(f"the label has {q} coordinates; AMP takes boxes of up to three")
        if self.noise:
            tables, code = self._densities(labels), np.arange(len(labels))
        else:
            tables = np.stack([(self.label == k).astype(np.float64) for k in range(self.count)])
            code = indices_of_values(self.values, labels)
        return BoxMoments.of_tables(self.edges, tables, code)

    def probabilities(self, omega: Array, variance: Array, level: int = 1) -> tuple[Array, Array]:
        """Z of every label, shape (n, k), and its derivative in omega, shape (n, k, q); see `tables`."""
        z, first, _ = zip(*self._integrals(omega, variance, level), strict=True)
        return np.stack(z, axis=1), np.stack(first, axis=1)

    def quadrature(self) -> LabelQuadrature:
        """The law of the label where nothing is known."""
        rows = self._integrals(np.zeros((1, self.dimension)), np.eye(self.dimension), 1)
        z, first, second = (np.concatenate(column) for column in zip(*rows, strict=True))
        z, first, second = z[z > 0], first[z > 0], second[z > 0]
        return LabelQuadrature(weights=z, first=first / z[:, None], second=second / z[:, None, None])

    def _integrals(self, omega: Array, variance: Array, level: int) -> Iterator[tuple[Array, Array, Array]]:
        """Z with its derivatives, label after label."""
        if self.dimension > MOST_INTEGRATED:
            raise UnsupportedExpression(
                f"F of a label of {self.dimension} coordinates is found at matrices M that are diagonal in "
                "them; simulate other ones by AMP"
            )
        tables, inner = np.stack(self.tables(level)), [e[1:-1] for e in self.edges]
        code = np.zeros(len(omega), dtype=np.int64)
        for label in range(len(tables)):
            yield box_moments(tables[label : label + 1], code, inner, omega, variance)

    def mirrors(self) -> list[Array]:
        """Mirrors of coordinates, shape (q, q), that take every label to itself."""
        signs = itertools.product((1, -1), repeat=self.dimension)
        return [np.diag(s).astype(np.float64) for s in signs if self._is_reflection(s, renamed=False)]

    def orbits(self) -> list[list[int]]:
        """The coordinates that exchanges of two of them, with a renaming of labels, take to each other."""
        group: list[list[int]] = []
        for k in range(self.dimension):
            home = next((g for g in group if self._is_exchange(g[0], k)), None)
            if home is None:
                group.append([k])
            else:
                home.append(k)
        return group

    def keeps_axes(self) -> bool:
        """Whether a diagonal V stays diagonal: any two coordinates are told apart by a symmetry of signs."""
        signs = [s for s in itertools.product((1, -1), repeat=self.dimension) if self._is_reflection(s)]
        pairs = itertools.combinations(range(self.dimension), 2)
        return all(any(s[i] != s[j] for s in signs) for i, j in pairs)

    def _is_exchange(self, i: int, j: int) -> bool:
        if len(self.edges[i]) != len(self.edges[j]):
            return False
        same = bool(np.allclose(self.edges[i], self.edges[j], rtol=0, atol=_SAME))
        return same and self._is_renamed(np.swapaxes(self.label, i, j))

    def _is_reflection(self, signs: tuple[int, ...], *, renamed: bool = True) -> bool:
        axes = tuple(k for k, s in enumerate(signs) if s < 0)
        if not all(np.allclose(self.edges[k], -self.edges[k][::-1], rtol=0, atol=_SAME) for k in axes):
            return False
        other = np.flip(self.label, axes)
        return self._is_renamed(other) if renamed else np.array_equal(other, self.label)

    def _is_renamed(self, other: Integers) -> bool:
        """Whether the labels of another table are in bijection, with noise by a shift or a reflection."""
        pairs = set(zip(self.label.ravel().tolist(), other.ravel().tolist(), strict=True))
        if self.noise:
            a, b = self.values[np.array(sorted(pairs)).T]
            return any(np.allclose(c, c[0], rtol=0, atol=_SAME) for c in (b - a, b + a))
        return len(pairs) == len({x for x, _ in pairs}) == len({y for _, y in pairs})
