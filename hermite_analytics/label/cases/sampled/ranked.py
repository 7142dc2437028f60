"""The law of a label of any form from samples: the last resort for several coordinates.

E[A A^T] of A = E[a | y, x], a function of w, is M^T K^-1 M with M = E[psi a^T] and K = E[psi psi^T] of
functions psi of y that span those of y, for each value of x: plain averages over w, for randomised
quasi-Monte Carlo. The functions are continuous and piecewise linear in t = (2 n/pi) arcsin sqrt(s), s the
share of some samples of their own with lower labels, with knots at whole t: they are closer together in both
tails, where the label says most, and no density is estimated. A label of positive probability has an
indicator as its function.

The square of the error of an average does not vanish in the mean. What M^T K^-1 M changes by where one of
several independent sets of samples is left out tells how much it is, to first order in their inverse number
(the jackknife). The same from half and a quarter of the knots tells what is lost between them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.clock import check_time
from hermite_analytics.foundation.numpy_arrays import Array, Function, Integers
from hermite_analytics.label.cases.sampled.points import scrambled_points

__all__ = ["Ranked", "ranked_products"]

_SETS = 4
_MOST_VALUES = 4096  # of what is known
_SAME = 1e-12  # relative distance of labels that may be one
_REPEATED = 0.5  # share of different labels, beside the most frequent one, of what is one but for rounding
_LEAST = 24  # samples of one label that make it an atom
_RIDGE = 1e-13


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """What is sampled.

    Parameters
    ----------
    value : function of points, shape (n, dimension + hidden + known)
    dimension : int
        Coordinates of w.
    hidden : int
        Coordinates after w that are noise inside the label.
    known : int
        Coordinates, the last ones, that are known beside the label.
    samples : int
        Binary logarithm of the samples at one value of the known coordinates, of all sets.
    values : int
        Binary logarithm of the number of values of the known coordinates.
    knots : int
        A multiple of 4.
    """

    value: Function
    dimension: int
    hidden: int = 0
    known: int = 0
    samples: int
    values: int = 0
    knots: int


def ranked_products(sampled: Ranked, features: Callable[[Array], Array], seed: int) -> Array:
    """E[A_i A_j] of A = E[a | y, x], from all knots, half and a quarter of them, shape (3, m, m).

    Parameters
    ----------
    sampled : Ranked
    features : function
        a of points w (n, q): an array (n, m).
    seed : int

    Raises
    ------
    UnsupportedExpression
        If labels are no numbers in floating point, as where they overflow.

    Examples
    --------
    >>> sum_of_two = Ranked(value=lambda w: w.sum(1), dimension=2, samples=12, knots=32)
    >>> np.round(ranked_products(sum_of_two, lambda w: w, 0)[0], 1).tolist()  # E[w | y] = y/2, E[y^2] = 2
    [[0.5, 0.5], [0.5, 0.5]]
    """
    known = _known(sampled, seed)
    width = sampled.dimension + sampled.hidden
    count = 1 << sampled.samples
    a, y, t = [], np.empty((len(known), count)), np.empty((len(known), count))
    for k, x in enumerate(known):
        check_time()
        sets = [scrambled_points(width, sampled.samples - 2, _own(seed, k, j)) for j in range(_SETS)]
        own = scrambled_points(width, sampled.samples - 2, _own(seed, k, _SETS))
        w = np.concatenate([*sets, own])
        found = sampled.value(np.hstack([w, np.broadcast_to(x, (len(w), len(x)))]))
        if np.isnan(found).any():
            raise UnsupportedExpression("labels that are no numbers in floating point are not sampled")
        y[k] = found[:count]
        t[k] = _place(found[:count], np.sort(found[count:]), sampled.knots)
        a.append(features(w[:count, : sampled.dimension]))
    atoms, features_of_all = _atoms(y, sampled.knots), np.concatenate(a)
    return np.array([_products(t / n, atoms, features_of_all, sampled.knots // n) for n in (1, 2, 4)])


def _own(seed: int, k: int, j: int) -> int:
    return (seed * _MOST_VALUES + k) * (_SETS + 1) + j


def _known(sampled: Ranked, seed: int) -> Array:
    """Values of the known coordinates, low discrepancy, a set for each seed, shape (values, known)."""
    if not sampled.known:
        return np.zeros((1, 0))
    return scrambled_points(sampled.known, sampled.values, seed)


def _place(y: Array, ordered: Array, knots: int) -> Array:
    """t of each label."""
    share = (np.arange(len(ordered)) + 0.5) / len(ordered)
    places = knots * 2 / np.pi * np.arcsin(np.sqrt(share))
    t = np.asarray(np.interp(y, ordered, places))
    lost = ~np.isfinite(t)  # between labels whose distance is subnormal, or infinite ones
    t[lost] = places[np.minimum(np.searchsorted(ordered, y[lost]), len(ordered) - 1)]
    return t


def _atoms(y: Array, knots: int) -> Integers:
    """The number of its atom for each label, -1 where it is none; y of shape (values, samples)."""
    count = y.shape[1]
    order = np.argsort(y, axis=1)
    ranked = np.take_along_axis(y, order, axis=1)
    run = _runs(ranked)
    long = np.bincount(run) >= max(_LEAST, count // (4 * knots))
    of_value = np.flatnonzero(np.diff(run, prepend=-1)) // count
    before = np.searchsorted(of_value[long], of_value)  # atoms of the values before
    name = np.where(long, np.cumsum(long) - 1 - before, -1)[run].reshape(y.shape)
    found = np.empty(y.shape, dtype=np.int64)
    np.put_along_axis(found, order, name, axis=1)
    return found


def _runs(ranked: Array) -> Integers:
    """The number of the run of each label, row after row: labels that are one but for rounding.

    Labels within 1e-12 of each other may be one, or all different and small. Rounding leaves few steps: where
    labels beside the most frequent one are seldom repeated, only equal ones are one. What cancels and is then
    multiplied by something continuous is seldom repeated, and counts as different.
    """
    begins = np.ones((len(ranked), 1), dtype=bool)
    differs = ranked[:, 1:] != ranked[:, :-1]
    with np.errstate(invalid="ignore"):
        apart = differs & ~(np.diff(ranked, axis=1) <= _SAME * np.maximum(1.0, np.abs(ranked[:, 1:])))
    near, equal = (np.cumsum(np.hstack([begins, new]).ravel()) - 1 for new in (apart, differs))
    sizes = np.bincount(equal)
    place = near[np.searchsorted(equal, np.arange(len(sizes)))]  # the near run of each run of equal ones
    most = np.zeros(near[-1] + 1, dtype=np.int64)
    np.maximum.at(most, place, sizes)
    is_one = np.bincount(place) - 1 <= _REPEATED * (np.bincount(near) - most)
    new = np.hstack([begins, apart | (differs & ~is_one[near].reshape(ranked.shape)[:, 1:])])
    return np.cumsum(new.ravel()) - 1


def _products(place: Array, atoms: Integers, a: Array, knots: int) -> Array:
    """M^T K^-1 M averaged over the values of what is known."""
    from scipy.sparse import csr_array

    values, count = place.shape
    rows = knots + 1 + int(atoms.max(initial=-1)) + 1
    t, atom = place.ravel(), atoms.ravel()
    low = np.minimum(np.floor(t).astype(np.int64), knots - 1)
    free = atom < 0
    first = np.where(free, low, knots + 1 + atom)
    near, far = np.where(free, 1 - (t - low), 1.0), np.where(free, t - low, 0.0)
    second = np.where(free, low + 1, first)
    start = rows * np.repeat(np.arange(values * _SETS), count // _SETS)
    shape = (values, _SETS, rows)
    size = values * _SETS * rows
    psi = csr_array(
        (
            np.stack([near, far], axis=1).ravel(),
            np.stack([start + first, start + second], axis=1).ravel(),
            2 * np.arange(len(t) + 1),
        ),
        shape=(len(t), size),
    )
    mean = (psi.T @ a).reshape(*shape, -1)
    diagonal = np.bincount(start + first, near**2, size) + np.bincount(start + second, far**2, size)
    beside = np.bincount(start + first, near * far, size)
    tridiagonal = (np.asarray(part, dtype=np.float64).reshape(shape) for part in (diagonal, beside))
    return _unbiased(mean, next(tridiagonal), next(tridiagonal), count // _SETS)


def _unbiased(mean: Array, diagonal: Array, beside: Array, count: int) -> Array:
    """The mean over values of M^T K^-1 M, by the jackknife over sets of `count` samples."""
    sums = [part.sum(1) for part in (mean, diagonal, beside)]
    whole = _of_sums(*sums) / (_SETS * count)
    rests = np.zeros_like(whole)
    for k in range(_SETS):
        left = (total - part[:, k] for total, part in zip(sums, (mean, diagonal, beside), strict=True))
        rests += _of_sums(*left) / ((_SETS - 1) * count)
    return np.asarray(_SETS * whole - (_SETS - 1) / _SETS * rests) / len(mean)


def _of_sums(mean: Array, diagonal: Array, beside: Array) -> Array:
    """The sum over values of M^T K^-1 M: K is tridiagonal, `beside` from each row to the next."""
    d = diagonal + _RIDGE * diagonal.sum(1, keepdims=True)
    white = mean.copy()
    for row in range(1, mean.shape[1]):  # K = L D L^T
        factor = beside[:, row - 1] / d[:, row - 1]
        d[:, row] -= factor * beside[:, row - 1]
        white[:, row] -= factor[:, None] * white[:, row - 1]
    flat = (white / np.sqrt(d)[..., None]).reshape(-1, mean.shape[2])
    return np.asarray(flat.T @ flat)
