"""Moments of one coordinate from the preimages of labels, and from the intervals on which one is taken."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Bools, Integers
from hermite_analytics.label.compiled import compiled
from hermite_analytics.label.intervals import far_from, interval_moments, tail_moments
from hermite_analytics.label.moments import Moments

__all__ = ["NEVER", "Atom", "Preimages", "SheetMoments", "moments_of_points"]

NEVER = -1e299  # logarithms of weights below are those of no preimage
_SAME = 1e-11  # relative distance of a label to an atom


@dataclass(frozen=True, slots=True, kw_only=True)
class Atom:
    """A label of positive probability: the intervals of the coordinate, by sheet, on which it is taken."""

    label: float
    low: Array
    high: Array
    sheet: Integers

    def is_label(self, labels: Array) -> Bools:
        """Which labels are it."""
        return np.abs(labels - self.label) <= _SAME * np.maximum(1.0, np.abs(labels))

    def moments(self, probabilities: Array, omega: Array, variance: float) -> tuple[Array, Array, Array]:
        """(log Z, g_out, -d g_out/d omega): a Gaussian on intervals, with a probability for each sheet."""
        low, high = self._distances(omega, variance)
        p = np.broadcast_to(probabilities[self.sheet], low.shape)
        far = far_from(low, high, p)
        log_z, g, minus_dg = np.empty(len(omega)), np.empty(len(omega)), np.empty(len(omega))
        z, z1, z2 = self.derivatives(probabilities, omega[~far], variance)
        log_z[~far], g[~far], minus_dg[~far] = np.log(z), z1 / z, (z1 / z) ** 2 - z2 / z
        if far.any():
            log_z[far], mean, lost = tail_moments(low[far], high[far], p[far])
            g[far], minus_dg[far] = mean / math.sqrt(variance), lost / variance
        return log_z, g, minus_dg

    def derivatives(self, probabilities: Array, omega: Array, variance: float) -> tuple[Array, Array, Array]:
        """Z and its first two derivatives in omega."""
        p = probabilities[self.sheet]
        mass, first, second = interval_moments(*self._distances(omega, variance))
        return mass @ p, first @ p / math.sqrt(variance), second @ p / variance

    def _distances(self, omega: Array, variance: float) -> tuple[Array, Array]:
        """Of both ends from omega, in standard deviations, shapes (n, k)."""
        size = math.sqrt(variance)
        return (self.low - omega[:, None]) / size, (self.high - omega[:, None]) / size


@dataclass(frozen=True, slots=True, kw_only=True)
class Atoms:
    """All labels of positive probability, with the probabilities of the sheets."""

    atoms: tuple[Atom, ...]
    of_sheets: Array

    def probabilities(self, omega: Array, variance: Array) -> tuple[Array, Array]:
        """Z of every label, shape (n, k), and its derivative in omega, shape (n, k, 1)."""
        v = float(variance[0, 0])
        rows = [a.derivatives(self.of_sheets, omega[:, 0], v)[:2] for a in self.atoms]
        z, slope = (np.stack(column, axis=1) for column in zip(*rows, strict=True))
        return z, slope[..., None]


class Preimages(NamedTuple):
    """Preimages of the labels that are no atoms; rows of atoms are not used.

    Attributes
    ----------
    points, log_weights : ndarray, shape (n, k)
        Preimages w_i and log(P(s_i)/|g'(w_i)|).
    sheet : ndarray of int, shape (k,)
    atoms : tuple of (Atom, rows)
    """

    points: Array
    log_weights: Array
    sheet: Integers
    atoms: tuple[tuple[Atom, Integers], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetMoments:
    """Moments of one coordinate whose label is a function of it (and of hidden discrete variables).

    Source: E[h(w) | y] = sum_i p_i h(w_i)/sum_i p_i, p_i = P(s_i) N(w_i; omega, V)/|g'(w_i)| over the
    preimages w_i of y (coarea formula); at an atom, a truncated Gaussian.

    Attributes
    ----------
    probabilities : ndarray, shape (s,)
        Of the sheets.
    preimages : Preimages
    """

    probabilities: Array
    preimages: Preimages

    def __call__(self, omega: Array, variance: Array) -> Moments:
        v, own = float(variance[0, 0]), self.preimages
        log_z, g, minus_dg = moments_of_points(own.points, own.log_weights, omega[:, 0], v)
        for atom, rows in own.atoms:
            log_z[rows], g[rows], minus_dg[rows] = atom.moments(self.probabilities, omega[rows, 0], v)
        return Moments(log_z=log_z, g=g[:, None], minus_dg=minus_dg[:, None, None])


@compiled
def _moments_at(
    points: Array, log_weights: Array, omega: float, variance: float
) -> tuple[float, float, float]:
    """(log Z, g_out, -d g_out/d omega); one pass, relative to the largest term so far."""
    top, s0, s1, s2 = -np.inf, 0.0, 0.0, 0.0
    for i in range(len(points)):
        if log_weights[i] <= NEVER:
            continue
        d = points[i] - omega
        log_term = log_weights[i] - 0.5 * d * d / variance
        if log_term > top:
            scale = math.exp(top - log_term)
            s0, s1, s2, top = s0 * scale, s1 * scale, s2 * scale, log_term
        term = math.exp(log_term - top)
        s0, s1, s2 = s0 + term, s1 + term * d, s2 + term * d * d
    if s0 == 0.0:
        return -np.inf, 0.0, 0.0
    mean = s1 / s0
    log_z = top + math.log(s0) - 0.5 * math.log(2.0 * math.pi * variance)
    return log_z, mean / variance, 1.0 / variance - (s2 / s0 - mean * mean) / (variance * variance)


@compiled
def moments_of_points(
    points: Array, log_weights: Array, omega: Array, variance: float
) -> tuple[Array, Array, Array]:
    """(log Z, g_out, -d g_out/d omega) of weighted points: a row for each omega, or one row for all.

    Z = sum_i exp(log_weights_i) N(w_i; omega, V).
    """
    log_z, g, minus_dg = np.empty(len(omega)), np.empty(len(omega)), np.empty(len(omega))
    for t in range(len(omega)):
        row = t if len(points) > 1 else 0
        log_z[t], g[t], minus_dg[t] = _moments_at(points[row], log_weights[row], omega[t], variance)
    return log_z, g, minus_dg
