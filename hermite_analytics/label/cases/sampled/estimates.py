"""Estimates of a threshold, and of what a step learns, for any label, by sampling: the last resort.

Independent replicates of M -> E[G M G] give the error. Of noisy symmetric matrices the largest eigenvalue
of the mean is too large in the mean, and the value of one replicate along the leading direction of the others
too small: the truth lies between the two, up to the errors of both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hermite_analytics.errors import InputError
from hermite_analytics.foundation.numpy_arrays import Array, Function
from hermite_analytics.label.cases.sampled.ranked import Ranked, ranked_products
from hermite_analytics.label.operator import matrix_of_products

__all__ = ["SampledThreshold", "sampled_slots", "sampled_threshold"]

_REPLICATES = 8
_LEAST, _MOST = 10, 24  # binary logarithm of the samples
_LEAST_GIVEN = 6  # the same of half of those at a value of what is known that are not more of such values
_MOST_KNOTS = 128
_FIRST_ORDER = 0.7  # ratio of two changes, by chance
_SLOWEST = 0.85  # the same of labels with a pole in their density, which lose little with each halving


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledThreshold:
    """An estimate of 1/alpha_c, never the ground of a discrete claim.

    Parameters
    ----------
    eigenvalue : float
        Between the mean over replicates of <M, E[G M G]>, with the leading eigen-matrix M of the other
        replicates, and the largest eigenvalue of the mean; and half of what knots lose is added.
    standard_error : float
        Over replicates.
    bias : float
        Bound on what the directions of the eigen-matrices and the knots may be off.
    """

    eigenvalue: float
    standard_error: float
    bias: float

    @property
    def alpha_c(self) -> float:
        """1/eigenvalue; inf if the estimate is not positive."""
        return 1 / self.eigenvalue if self.eigenvalue > 0 else math.inf


def sampled_threshold(
    value: Function, dimension: int, *, hidden: int = 0, known: int = 0, samples: int = 16, seed: int = 0
) -> SampledThreshold:
    """Estimate the largest eigenvalue of M -> E[G M G], G = E[w w^T - I | y, x], y = g(w, x).

    Parameters
    ----------
    value : function of an array (n, dimension + hidden + known)
        g.
    dimension : int >= 1
    hidden : int
        How many coordinates, those after w, are noise inside the label.
    known : int
        How many coordinates, the last ones, are x.
    samples : int
        Binary logarithm of the samples of each of eight replicates.
    seed : int

    Returns
    -------
    SampledThreshold

    Raises
    ------
    InputError
        If `samples` is not from 10 to 24.

    Examples
    --------
    >>> found = sampled_threshold(lambda w: w[:, 0] ** 2 + w[:, 1] ** 2, 2, samples=13)  # alpha_c = 1
    >>> abs(found.eigenvalue - 1) < 4 * found.standard_error + found.bias < 0.1
    True
    """
    plan = _plan(value, dimension, hidden=hidden, known=known, samples=samples)

    def features(w: Array) -> Array:
        return (w[:, :, None] * w[:, None, :] - np.eye(dimension)).reshape(len(w), -1)

    products = np.array([ranked_products(plan, features, _REPLICATES * seed + k) for k in range(_REPLICATES)])
    fine, *coarser = (
        np.array([matrix_of_products(p.reshape((dimension,) * 4)) for p in products[:, k]]) for k in range(3)
    )
    values, half, quarter = _values(fine), *(_values(fine, along=m).mean() for m in coarser)
    low, high = float(values.mean()), float(np.linalg.eigvalsh(fine.mean(0))[-1])
    missing = low - float(half)  # of piecewise linear functions, at jumps, as much again
    left = _left_after(abs(missing), abs(float(half - quarter)))
    return SampledThreshold(
        eigenvalue=(low + high) / 2 + max(0.0, missing) / 2,
        standard_error=float(values.std(ddof=1)) / math.sqrt(_REPLICATES),
        bias=(high - low) / 2 + max(abs(missing), left),
    )


def sampled_slots(
    value: Function,
    dimension: int,
    *,
    order: int,
    hidden: int = 0,
    known: int = 0,
    samples: int = 16,
    seed: int = 0,
) -> tuple[Array, Array]:
    """(eigenvalues of E[zeta zeta^T] in increasing order, their standard errors), of shape (dimension,) each.

    zeta = E[w | y, x] for order 1, G = E[w w^T - I | y, x] for order 2; y = g(w, x). Where one of them is 0
    its estimate is a number near 0 of either sign.

    Examples
    --------
    >>> import numpy as np
    >>> values, errors = sampled_slots(lambda w: w[:, 0], 2, order=1, samples=13)  # 0 and 1
    >>> bool(np.all(np.abs(values - [0, 1]) < 6 * errors + 1e-2))
    True
    """
    plan = _plan(value, dimension, hidden=hidden, known=known, samples=samples)
    # E[G G^T] = sum over the second slot: rows of G are apart
    shape = (dimension, dimension ** (order - 1)) * 2

    def features(w: Array) -> Array:
        if order == 1:
            return w
        return (w[:, :, None] * w[:, None, :] - np.eye(dimension)).reshape(len(w), -1)

    found = np.array(
        [
            np.einsum("ikjk->ij", ranked_products(plan, features, _REPLICATES * seed + k)[0].reshape(shape))
            for k in range(_REPLICATES)
        ]
    )
    values = np.array([_values(found, place=place) for place in range(dimension)])
    return values.mean(1), values.std(1, ddof=1) / math.sqrt(_REPLICATES)


def _plan(value: Function, dimension: int, *, hidden: int, known: int, samples: int) -> Ranked:
    if not _LEAST <= samples <= _MOST:
        raise InputError(
            f"the binary logarithm of the samples is {samples}; {_LEAST} to {_MOST} are accepted"
        )
    values = max(2, (samples - _LEAST_GIVEN) // 2) if known else 0
    each = samples - values
    return Ranked(
        value=value,
        dimension=dimension,
        hidden=hidden,
        known=known,
        samples=each,
        values=values,
        knots=min(1 << (each // 2 - 1), _MOST_KNOTS),
    )


def _values(operators: Array, *, along: Array | None = None, place: int = -1) -> Array:
    """The eigenvalue of a place in increasing order from each replicate; of others `along` its direction."""
    # the direction from the other replicates, its value from this one: the largest of noisy numbers is biased
    total = np.sum(operators, axis=0)
    directions = [np.linalg.eigh(total - one)[1][:, place] for one in operators]
    taken = operators if along is None else along
    return np.array([v @ one @ v for v, one in zip(directions, taken, strict=True)])


def _left_after(last: float, before: float) -> float:
    """What all further halvings may change, where the last two changed this much: a geometric sum.

    Rules of a high order are left with a part of their last change, first order with as much again. A label
    that is rare and says much, as beside a pole of its density, is resolved on all scales alike, a decade
    after the other: where the ratio of two changes is close to 1, or above it, that is what is left.

    Examples
    --------
    >>> _left_after(0.25, 1.0), _left_after(0.5, 1.0), round(_left_after(0.8, 1.0), 2)
    (0.08333333333333333, 0.5, 4.53)
    """
    ratio = last / before if last < _FIRST_ORDER * before else _SLOWEST
    return last * ratio / (1 - ratio)
