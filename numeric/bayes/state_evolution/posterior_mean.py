"""The error of the posterior mean: E (E[y|z] - E[E[y|z] | omega])^2, with z given omega N(omega, I - M).

For f = E[y | z] it is E f(z)^2 - E f(z) f(z') with Cov(z, z') = M: for sums of products of functions of one
coordinate and a diagonal M, products of E a(z_k) b(z'_k) = E_omega[E a(omega + .) E b(omega + .)]; for others
of two coordinates the average over omega of (E[f | omega])^2; for more, E (f(z) - f(z'))^2/2 over a sequence.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from hermite_analytics.foundation.clock import check_time
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.label.cases.plane.breaks import divided
from hermite_analytics.label.cases.sampled.points import gaussian_points
from hermite_analytics.label.cases.soft.rules import points_between, windows
from hermite_analytics.label.channel.regression import Regression
from hermite_analytics.label.channel.separable import Factor, Term
from hermite_analytics.numeric.bayes.maps.gaussian_grid import graded_nodes, omega_nodes
from hermite_analytics.numeric.bayes.maps.plane_sums import smoothed_square

__all__ = ["posterior_mean_error", "regression_error", "regression_error_within"]

_REACH = 8.6
_STEP = (0.45, 0.3)  # of omega, by level
_GRADED = (0.2, 0.15)  # the same, close to edges, beside complete overlap
_DIAGONAL = 1e-12
_SLIGHT = (
    1e-3  # of the distance from complete overlap: what is off the diagonal is left out, and in the error
)
_EXACT = 1e-7  # distance from complete overlap that counts as none
_ROUNDING = 1e-13
_CLOSEST = 1e-4  # distance from complete overlap below which the error is not resolved
_NODES = (11, 16)  # on a panel of a known coordinate, by level
_PANEL = 1.5
_POINTS = (15, 17)  # binary logarithm of the points of a sequence, by level


def regression_error(regression: Regression, matrix: Array, *, level: int = 1) -> float:
    """The error of the posterior mean at any M, shape (q, q), in its coordinates; levels 0 and 1.

    In the square of the unit of y. Deterministic where the regression is a sum of functions of one coordinate
    each, or of products and M diagonal, and for two coordinates, unless they have more than 24 lines and
    curves or an overlap within 1e-4 of 1 that is not 1 to 1e-7; else from 2**17 points of a scrambled Sobol
    sequence (relative error about 1e-3).
    """
    return regression.unit * (regression.unit * _error_in_units(regression, matrix, level))


def regression_error_within(regression: Regression, matrix: Array, error: float) -> tuple[float, float]:
    """(the error of the posterior mean, how far off it may be) where overlaps may be off by `error`.

    Twice the change with the level, and what overlaps that are so much smaller or larger change; the error
    falls from one to the other. Overlaps so close to 1 that it is not resolved may make it 0; where they
    count as 1 without being it, it may be what it is a little farther off.
    """
    fine = regression_error(regression, matrix)
    if not error >= 0:  # unknown
        return fine, math.nan
    values, axes = np.linalg.eigh(matrix)
    taken_for_one = (values >= 1 - _EXACT) & (values < 1 - _ROUNDING)
    if not _is_separable(regression, matrix):
        unresolved = (values > 1 - _CLOSEST) & (values < 1 - _EXACT)
        if unresolved[-1] or (len(values) == 2 and unresolved.any()):
            return fine, fine
        if taken_for_one.any():
            away = np.where(taken_for_one, 1 - 0.5 * _CLOSEST, values)
            return fine, max(0.0, regression_error(regression, (axes * away) @ axes.T, level=0) - fine)
    ends = [values, *(np.clip(values + e, 0.0, 1.0) for e in (-error, error) if error > 0)]
    coarse = [regression_error(regression, (axes * x) @ axes.T, level=0) for x in ends]
    off = 2 * abs(fine - coarse[0]) + max(abs(x - coarse[0]) for x in coarse)
    across, gap = _off_diagonal(matrix)
    left_out = 2 * across / gap * fine if across >= _DIAGONAL and _is_separable(regression, matrix) else 0.0
    return fine, off + left_out


def _error_in_units(regression: Regression, matrix: Array, level: int) -> float:
    q = len(matrix)
    if regression.terms is not None and _is_separable(regression, matrix):
        return posterior_mean_error(regression.terms, np.diag(matrix), level=level)
    values, axes = np.linalg.eigh(matrix)
    values = np.clip(values, 0.0, 1.0)
    if values[0] > 1 - _EXACT:
        return 0.0
    if regression.terms is not None and all(len(t.factors) <= 1 for t in regression.terms):
        return _additive_error(regression.terms, matrix, level)
    beside = 1 - _CLOSEST < values[-1] < 1 - _EXACT  # a rule would need a million points to tell them apart
    if q == 2 and regression.breaks is not None and not beside:
        return _plane_error(regression, values, axes, level)
    x = gaussian_points(2 * q, _POINTS[level], level)
    z = x[:, :q]
    other = z @ matrix + (x[:, q:] * np.sqrt(1 - values**2)) @ axes.T
    return 0.5 * float(np.mean((regression.value(z) - regression.value(other)) ** 2))


def _is_separable(regression: Regression, matrix: Array) -> bool:
    """Whether it is a sum of products of functions of one coordinate each, at a diagonal M.

    Beside complete overlap M may be diagonal but for a thousandth of its distance, which other rules do not
    resolve: for smooth functions the error is of the order of the distance, for others of that of its root.
    """
    across, gap = _off_diagonal(matrix)
    slight = _SLIGHT * gap if gap < _CLOSEST else 0.0
    return regression.terms is not None and across < max(_DIAGONAL, slight)


def _off_diagonal(matrix: Array) -> tuple[float, float]:
    """(the largest entry off the diagonal, the least distance of a diagonal entry from 1)."""
    diagonal = np.diag(matrix)
    return float(np.abs(matrix - np.diag(diagonal)).max(initial=0.0)), 1 - float(diagonal.max())


def _additive_error(terms: Sequence[Term], matrix: Array, level: int) -> float:
    """Of a sum of functions of one coordinate each, at any M."""
    parts = [(t.coefficient, k, f) for t in terms for k, f in t.factors.items()]
    total = 0.0
    for (a, i, f), (b, j, g) in itertools.product(parts, parts):
        m = float(matrix[i, j])
        other = g if m >= 0 else g.mirrored
        total += a * b * (_correlation(f, g, float(i == j), level) - _correlation(f, other, abs(m), level))
    return max(total, 0.0)


def _plane_error(regression: Regression, values: Array, axes: Array, level: int) -> float:
    assert regression.breaks is not None
    if values[1] >= 1 - _EXACT:
        least = float(np.clip(values[0], 0.0, 1 - _CLOSEST))
        return _error_beside(regression, least, axes[:, 0], axes[:, 1], level)
    size = math.sqrt(1 - float(values.max()))
    points, p = points_between(regression.breaks, min(size, 0.5), level)
    f = regression.value(points)
    mean = float(p @ f)
    f = f - mean
    square = float(p @ f**2)
    return max(square - smoothed_square(points @ axes, p * f, values, level=level), 0.0)


def _error_beside(regression: Regression, m: float, other: Array, known: Array, level: int) -> float:
    """The error where the coordinate along `known` is 1: E over it of the variance along `other`.

    It is smooth in the known coordinate off the places where the breaks along the other one change.
    """
    breaks = regression.breaks
    assert breaks is not None
    t, p = omega_nodes(m, _STEP[level])
    ticks = np.linspace(-_REACH, _REACH, math.ceil(2 * _REACH / _PANEL) + 1)
    changes, turned = breaks.changes(known, other, _REACH), breaks.turned
    places, weights = divided(ticks, changes, _NODES[level], turned=turned)
    total = 0.0
    for x, weight in zip(places, weights, strict=True):
        if weight == 0:
            continue
        check_time()
        walls, _ = breaks.meetings((x * known)[None], other, _REACH)
        w, q = windows(walls[0], math.sqrt(m) * t, 1 - m, level=0, graded=True)
        f = regression.value(x * known + w[..., None] * other)
        mean = (q * f).sum(1)
        variance = (q * (f - mean[:, None]) ** 2).sum(1)
        total += float(weight * math.exp(-0.5 * x * x) / math.sqrt(2 * math.pi) * (p @ variance))
    return total


def posterior_mean_error(terms: Sequence[Term], overlaps: Array, *, level: int = 1) -> float:
    """The error at a diagonal M.

    Parameters
    ----------
    terms : sequence of Term
        Of E[y | z], in orthonormal coordinates.
    overlaps : ndarray, shape (q,)
        The diagonal of M, each in [0, 1].

    Examples
    --------
    >>> from hermite_analytics.label.channel import channel_of
    >>> terms = channel_of("z1 + He2(z2)").regression.terms  # E f^2 = 3, E f f' = m_1 + 2 m_2^2
    >>> round(posterior_mean_error(terms, np.array([0.5, 0.5])), 12)
    2.0
    """
    total = 0.0
    for s, t in itertools.combinations_with_replacement(range(len(terms)), 2):
        scale = terms[s].coefficient * terms[t].coefficient * (1 if s == t else 2)
        total += scale * (
            _product(terms[s], terms[t], np.ones(len(overlaps)), level)
            - _product(terms[s], terms[t], overlaps, level)
        )
    return max(total, 0.0)


def _product(a: Term, b: Term, overlaps: Array, level: int) -> float:
    found = 1.0
    for k in sorted({*a.factors, *b.factors}):
        found *= _correlation(a.factors.get(k), b.factors.get(k), float(overlaps[k]), level)
    return found


def _correlation(a: Factor | None, b: Factor | None, m: float, level: int) -> float:
    """E a(z) b(z') of N(0, 1) variables with correlation m; None stands for 1."""
    if a is None or b is None or m <= 0:
        at_zero = np.zeros(1)
        means = [1.0 if f is None else float(_smoothed(f, at_zero, 1.0, level)[0]) for f in (a, b)]
        return means[0] * means[1]
    edges = np.union1d(a.edges, b.edges)
    if m >= 1:
        w, p = windows(edges, np.zeros(1), 1.0, level=level, graded=True)
        return float((p * _full(a, w, p) * _full(b, w, p)).sum())
    t, weights = (
        omega_nodes(m, _STEP[level])
        if 1 - m > _CLOSEST
        else graded_nodes(_GRADED[level], math.sqrt((1 - m) / m), edges / math.sqrt(m), _REACH)
    )
    first = _smoothed(a, math.sqrt(m) * t, 1 - m, level)
    second = first if b is a else _smoothed(b, math.sqrt(m) * t, 1 - m, level)
    return float(weights @ (first * second))


def _smoothed(factor: Factor, omega: Array, variance: float, level: int) -> Array:
    """E a(omega + N(0, V)): of a function of steps, each step at its edge."""
    if factor.steps is not None:
        from scipy import special  # slow to load

        above = special.ndtr((omega[:, None] - factor.edges) / math.sqrt(variance))
        return np.asarray(factor.steps[0] + above @ np.diff(factor.steps))
    w, p = windows(factor.edges, omega, variance, level=level, graded=True)
    return np.asarray((p * _full(factor, w, p)).sum(1))


def _full(factor: Factor, w: Array, p: Array) -> Array:
    """The values of a factor, 0 where nodes have no weight: it may be infinite at an edge."""
    with np.errstate(all="ignore"):
        return np.where(p > 0, np.asarray(factor.value(w), dtype=np.float64), 0.0)
