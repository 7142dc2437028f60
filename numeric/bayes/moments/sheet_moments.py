"""Labels without noise along one coordinate: preimages found once, weighed anew at each omega and V."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import InputError
from hermite_analytics.label.cases.line.sheets import Atom, SheetChannel, moments_of_points
from hermite_analytics.numeric.bayes.moments.protocol import Moments

__all__ = ["Preimages", "SheetMoments", "found_preimages"]

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

_SAME = 1e-11  # relative distance of a label to an atom
_NUDGES = (1e-14, 1e-12, 1e-10)  # relative, for labels rounded across a critical value
_NEVER = -1e299  # logarithms of weights below are those of no preimage


class Preimages(NamedTuple):
    """Preimages of the labels that are no atoms; rows of atoms are not used.

    Attributes
    ----------
    points, log_weights : ndarray, shape (n, k)
        Preimages w_i and log(P(s_i)/|g'(w_i)|).
    sheet : ndarray of int, shape (n, k)
    atoms : tuple of (label, rows)
    """

    points: Array
    log_weights: Array
    sheet: Integers
    atoms: tuple[tuple[float, Integers], ...]


def found_preimages(channel: SheetChannel, labels: Array) -> Preimages:
    """Find the preimages of the labels of a data set.

    Raises
    ------
    InputError
        Naming the first label that the target does not take.

    Examples
    --------
    >>> from hermite_analytics.label.channel import channel_of
    >>> found_preimages(channel_of("z1**2").kind, np.array([4.0])).points.tolist()
    [[2.0, -2.0]]
    """
    atoms = tuple(
        (a.label, rows) for a in channel.atoms() if len(rows := np.flatnonzero(_is_atom(a, labels)))
    )
    at_atom = np.zeros(len(labels), dtype=bool)
    for _, rows in atoms:
        at_atom[rows] = True
    points, log_weights, sheet = channel.preimages(labels)
    missing = np.flatnonzero(~at_atom & (log_weights.max(axis=1, initial=-np.inf) <= _NEVER))
    for nudge in [s * x for x in _NUDGES for s in (1, -1)]:
        if not len(missing):
            break
        moved = labels[missing] + nudge * np.maximum(1.0, np.abs(labels[missing]))
        p, w, _ = channel.preimages(moved)
        points[missing], log_weights[missing] = p, w
        missing = missing[w.max(axis=1) <= _NEVER]
    if len(missing):
        first = missing[0]
        raise InputError(f"y[{first}] is {labels[first]:g}, a value that the target does not take")
    return Preimages(points=points, log_weights=log_weights, sheet=sheet, atoms=atoms)


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetMoments:
    """Moments of one coordinate whose label is a function of it (and of hidden discrete variables).

    Source: E[h(w) | y] = sum_i p_i h(w_i)/sum_i p_i, p_i = P(s_i) N(w_i; omega, V)/|g'(w_i)| over the
    preimages w_i of y (coarea formula); at an atom, a truncated Gaussian.

    Attributes
    ----------
    channel : SheetChannel
    points, log_weights : ndarray, shape (n, k)
        Preimages and log(P(s_i)/|g'(w_i)|) of the labels that are no atoms; rows of atoms are not used.
    atoms : tuple of (label, rows)
    """

    channel: SheetChannel
    points: Array
    log_weights: Array
    atoms: tuple[tuple[float, Integers], ...]

    @classmethod
    def of(cls, channel: SheetChannel, labels: Array) -> SheetMoments:
        """Find the preimages of the labels.

        Raises
        ------
        InputError
            Naming the first label that the target does not take.
        """
        found = found_preimages(channel, labels)
        return cls(channel=channel, points=found.points, log_weights=found.log_weights, atoms=found.atoms)

    @property
    def smallest_variance(self) -> float:
        """Differences of preimages and omega are then still resolved."""
        return 1e-8

    def __call__(self, omega: Array, variance: Array) -> Moments:
        v = float(variance[0, 0])
        log_z, g, minus_dg = moments_of_points(self.points, self.log_weights, omega[:, 0], v)
        for label, rows in self.atoms:
            log_z[rows], g[rows], minus_dg[rows] = self.channel.moments(label, omega[rows, 0], v)
        return Moments(log_z=log_z, g=g[:, None], minus_dg=minus_dg[:, None, None])


def _is_atom(atom: Atom, labels: Array) -> NDArray[np.bool_]:
    return np.abs(labels - atom.label) <= _SAME * np.maximum(1.0, np.abs(labels))
