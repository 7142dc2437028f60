"""The error of the posterior mean: E (E[y|z] - E[E[y|z] | omega])^2, with z given omega N(omega, I - M).

For f = E[y | z] it is E f(z)^2 - E f(z) f(z') with Cov(z, z') = M: for sums of products of functions of one
coordinate and a diagonal M, products of E a(z_k) b(z'_k) = E_omega[E a(omega + .) E b(omega + .)].
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.channel.separable import Factor, Term
from hermite_analytics.channel.smooth import windows

__all__ = ["posterior_mean_error"]

Array = NDArray[np.float64]

_REACH = 8.6
_STEP = 0.3


def posterior_mean_error(terms: Sequence[Term], overlaps: Array) -> float:
    """The error at a diagonal M.

    Parameters
    ----------
    terms : sequence of Term
        Of E[y | z], in orthonormal coordinates.
    overlaps : ndarray, shape (q,)
        The diagonal of M, each in [0, 1].

    Examples
    --------
    >>> from hermite_analytics.channel import channel_of
    >>> terms = channel_of("z1 + He2(z2)").regression  # E f^2 = 3, E f f' = m_1 + 2 m_2^2
    >>> round(posterior_mean_error(terms, np.array([0.5, 0.5])), 12)
    2.0
    """
    total = 0.0
    for s, t in itertools.combinations_with_replacement(range(len(terms)), 2):
        scale = terms[s].coefficient * terms[t].coefficient * (1 if s == t else 2)
        total += scale * (
            _product(terms[s], terms[t], np.ones(len(overlaps))) - _product(terms[s], terms[t], overlaps)
        )
    return max(total, 0.0)


def _product(a: Term, b: Term, overlaps: Array) -> float:
    found = 1.0
    for k in sorted({*a.factors, *b.factors}):
        found *= _correlation(a.factors.get(k), b.factors.get(k), float(overlaps[k]))
    return found


def _correlation(a: Factor | None, b: Factor | None, m: float) -> float:
    """E a(z) b(z') of N(0, 1) variables with correlation m; None stands for 1."""
    if a is None or b is None or m <= 0:
        at_zero = np.zeros(1)
        means = [1.0 if f is None else float(_smoothed(f, at_zero, 1.0)[0]) for f in (a, b)]
        return means[0] * means[1]
    if m >= 1:
        w, p = windows(np.union1d(a.edges, b.edges), np.zeros(1), 1.0)
        return float((p * _full(a, w) * _full(b, w)).sum())
    step = _STEP * min(1.0, math.sqrt((1 - m) / m))
    half = math.ceil(_REACH / step)
    t = np.asarray(np.arange(-half, half + 1) * step, dtype=np.float64)
    weights = step * np.exp(-0.5 * t * t) / math.sqrt(2 * math.pi)
    first = _smoothed(a, math.sqrt(m) * t, 1 - m)
    second = first if b is a else _smoothed(b, math.sqrt(m) * t, 1 - m)
    return float(weights @ (first * second))


def _smoothed(factor: Factor, omega: Array, variance: float) -> Array:
    """E a(omega + N(0, V))."""
    w, p = windows(factor.edges, omega, variance)
    return np.asarray((p * _full(factor, w)).sum(1))


def _full(factor: Factor, w: Array) -> Array:
    with np.errstate(all="ignore"):
        return np.broadcast_to(np.asarray(factor.value(w), dtype=np.float64), w.shape)
