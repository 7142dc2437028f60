"""Moments of labels that are constant on boxes, or such values with noise added."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hermite_analytics.errors import InputError
from hermite_analytics.foundation.numpy_arrays import Array, Integers
from hermite_analytics.label.cases.values.box_integrals import box_moments
from hermite_analytics.label.intervals import distances, far_from, tail_moments
from hermite_analytics.label.moments import Moments

__all__ = ["BoxMoments", "indices_of_values"]

_SAME = 1e-9  # relative distance of a label to its value


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxMoments:
    """Moments of up to three coordinates, each label a table of P(y | box).

    Attributes
    ----------
    edges : tuple of ndarray
        Inner edges of each coordinate.
    tables : ndarray, shape (k, m1 + 1, ..., mq + 1)
        One for each distinct label, or one for each sample where the labels are noisy.
    code : ndarray of int, shape (n,)
        The table of each sample.
    """

    edges: tuple[Array, ...]
    tables: Array
    code: Integers

    @classmethod
    def of_tables(cls, edges: Sequence[Array], tables: Array, code: Integers) -> BoxMoments:
        """From the ends of the intervals of each coordinate, -inf and inf included."""
        return cls(
            edges=tuple(e[1:-1] for e in edges),
            tables=np.ascontiguousarray(tables),
            code=np.asarray(code, dtype=np.int64),
        )

    def with_code(self, code: Integers) -> BoxMoments:
        """The same tables for other samples."""
        return dataclasses.replace(self, code=code)

    def __call__(self, omega: Array, variance: Array) -> Moments:
        z, first, second = box_moments(self.tables, self.code, self.edges, omega, variance)
        possible = z > 0
        size = np.where(possible, z, 1.0)
        g = np.where(possible[:, None], first / size[:, None], 0.0)
        curvature = np.where(possible[:, None, None], second / size[:, None, None], 0.0)
        with np.errstate(divide="ignore"):
            log_z = np.where(possible, np.log(size), -np.inf)
        found = Moments(log_z=log_z, g=g, minus_dg=g[:, :, None] * g[:, None, :] - curvature)
        if len(self.edges) == 1:
            self._fill_tails(found, omega[:, 0], float(variance[0, 0]))
        return found

    def _fill_tails(self, found: Moments, omega: Array, variance: float) -> None:
        """Of one coordinate, the labels that are improbable: their Z may underflow, their moments do not."""
        size, end = math.sqrt(variance), np.full((len(omega), 1), np.inf)
        edges = np.hstack([-end, distances(self.edges[0], omega, size), end])
        low, high, p = edges[:, :-1], edges[:, 1:], self.tables[self.code]
        far = far_from(low, high, p)
        if far.any():
            found.log_z[far], mean, lost = tail_moments(low[far], high[far], p[far])
            found.g[far, 0], found.minus_dg[far, 0, 0] = mean / size, lost / variance


def indices_of_values(values: Array, labels: Array) -> Integers:
    """The index of each label among the values.

    Raises
    ------
    InputError
        Naming the first label that is none of them.

    Examples
    --------
    >>> indices_of_values(np.array([-1.0, 1.0]), np.array([1.0, 1.0, -1.0])).tolist()
    [1, 1, 0]
    """
    found = np.argmin(np.abs(labels[:, None] - values), axis=1)
    far = np.abs(labels - values[found]) > _SAME * np.maximum(1.0, np.abs(labels))
    if far.any():
        first = int(np.argmax(far))
        accepted = ", ".join(f"{v:g}" for v in values[:8]) + (", ..." if len(values) > 8 else "")
        raise InputError(f"y[{first}] is {labels[first]:g}; the target takes the values {accepted}")
    return np.asarray(found, dtype=np.int64)
