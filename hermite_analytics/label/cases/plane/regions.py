"""Parts of the plane on which a label is constant: Gaussian moments at any omega and V."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Bools, Function, Integers
from hermite_analytics.foundation.threads import halves, in_threads
from hermite_analytics.label.cases.plane.boundaries import Boundaries
from hermite_analytics.label.cases.plane.boundary_distance import Arcs
from hermite_analytics.label.cases.plane.boundary_sums import all_sums, arcs_of, gaussian, region_sums
from hermite_analytics.label.moments import Moments, from_whitened

__all__ = ["Regions"]

_SHIFT = 1e-6  # off a boundary, in standard deviations
_SLANT = np.array([math.cos(0.7123), math.sin(0.7123)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Regions:
    """Labels that are taken on whole regions.

    Attributes
    ----------
    constant : function of points, shape (n, 2)
        The label where it is constant, nan where it varies.
    boundaries : Boundaries
        Of the regions.

    Examples
    --------
    >>> from hermite_analytics.label.cases.plane.boundaries import boundaries_of
    >>> def disc(w):
    ...     return np.sign((w**2).sum(1) - 2)
    >>> regions = Regions(constant=disc, boundaries=boundaries_of(disc, [lambda w: (w**2).sum(1) - 2]))
    >>> log_z, _, _ = regions.moments(np.array([0]), np.zeros((1, 2)), np.eye(2))
    >>> bool(abs(np.exp(log_z[0]) - (1 - np.exp(-1))) < 1e-12)
    True
    """

    constant: Function
    boundaries: Boundaries
    _known: list[Arcs] = field(default_factory=list, init=False, repr=False, compare=False)

    @property
    def values(self) -> Array:
        """The labels, in increasing order."""
        return self.boundaries.values

    def moments(self, codes: Integers, omega: Array, variance: Array) -> Moments:
        """Moments at omega, Z the probability of the label of each sample.

        Parameters
        ----------
        codes : ndarray of int, shape (n,)
            Indices of labels.
        omega : ndarray, shape (n, 2)
        variance : ndarray, shape (2, 2)
        """
        factor = np.asarray(np.linalg.cholesky(variance), dtype=np.float64)
        sums, logs = self._one(codes, omega, factor)
        taken = sums[:, 0] > 0
        z = np.where(taken, sums[:, 0], 1.0)
        log_z = np.where(taken, np.log(z) + logs, -np.inf)
        second = (sums[:, 3:] / z[:, None])[:, [[0, 1], [1, 2]]]
        return from_whitened(log_z, sums[:, 1:3] / z[:, None], second, factor)

    def probabilities(self, omega: Array, variance: Array) -> tuple[Array, Array]:
        """Z of every label, shape (n, k), and its derivative with respect to omega, shape (n, k, 2)."""
        factor = np.asarray(np.linalg.cholesky(variance), dtype=np.float64)
        sums, unclear = self._all(omega, factor)
        rows = np.flatnonzero(unclear)
        if len(rows):
            sums[rows] = np.mean([self._all(w, factor)[0] for w in _beside(omega[rows], factor)], axis=0)
        return sums[..., 0], sums[..., 1:3] @ np.linalg.inv(factor)

    def codes_at(self, points: Array) -> Integers:
        """The index of the label at points, -1 where it varies."""
        known = self.constant(points)
        nearest = np.abs(np.nan_to_num(known)[:, None] - self.values).argmin(1)
        return np.where(np.isnan(known), -1, nearest)

    def _one(self, codes: Integers, omega: Array, factor: Array) -> tuple[Array, Array]:
        """Sums over the region of one label a sample, and the logarithm of their unit."""
        inside, law = self.codes_at(omega) == codes, gaussian(factor)
        sums, logs, unclear = np.empty((len(omega), 6)), np.empty(len(omega)), np.empty(len(omega), bool)

        def evaluate(part: slice) -> None:
            out = sums[part], logs[part], unclear[part]
            region_sums(self._arcs(), codes[part], inside[part], omega[part], law, *out)

        in_threads(evaluate, halves(len(omega)))
        rows = np.flatnonzero(unclear)
        if len(rows):
            sides = [self._one(codes[rows], w, factor)[0] for w in _beside(omega[rows], factor)]
            sums[rows], logs[rows] = np.mean(sides, axis=0), 0.0
        return sums, logs

    def _all(self, omega: Array, factor: Array) -> tuple[Array, Bools]:
        """Sums over the regions of all labels; wrong where omega lies on a boundary, which is said."""
        home, law = self.codes_at(omega), gaussian(factor)
        sums, unclear = np.empty((len(omega), len(self.values), 6)), np.empty(len(omega), bool)

        def evaluate(part: slice) -> None:
            all_sums(self._arcs(), home[part], omega[part], law, sums[part], unclear[part])

        in_threads(evaluate, halves(len(omega)))
        return sums, unclear

    def _arcs(self) -> Arcs:
        if not self._known:
            self._known.append(arcs_of(self.boundaries))
        return self._known[0]


def _beside(omega: Array, factor: Array) -> list[Array]:
    """Points on both sides of a boundary through omega: what is smooth in omega is the mean of the two."""
    shift = _SHIFT * factor @ _SLANT
    return [omega + shift, omega - shift]
