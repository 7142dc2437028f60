"""Labels that say between which numbers a polynomial h(w, xi) lies, as floor(2 |w| + xi^2): P(y | w).

P(h < t | w) is a sum of normal probabilities between the roots in xi of h - t. It is analytic in w off the
places where two roots merge or one leaves, and off the jumps in w alone, which may bring another h.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import sympy
from sympy import Expr, Poly, Symbol

from hermite_analytics.codegen import compile
from hermite_analytics.foundation.numpy_arrays import Array, Function
from hermite_analytics.label.cases.line.functions import array_function, kinks_of
from hermite_analytics.label.cases.line.numeric_pieces import distinct
from hermite_analytics.language.kinks import opened
from hermite_analytics.symbols import xi

__all__ = ["laws_of_intervals"]

_REAL = 1e-9  # imaginary part below which a root is real, relative
_SAME = 1e-12  # distance of labels that are one, relative
_MOST = 2**20  # ways to lie between thresholds of several polynomials
_FAR = 12.0  # of w
_THRESHOLD = Symbol("t", real=True)


class _Bound(NamedTuple):
    """sign(argument) = side sign(h - threshold), for the sign with this letter."""

    letter: Symbol
    side: int
    threshold: float


class _Stretch(NamedTuple):
    """An interval of w on which the label is values[k] between the thresholds k - 1 and k of one polynomial.

    `coefficients`: of xi, the highest power first, as functions of w.
    """

    low: float
    high: float
    coefficients: tuple[Function, ...]
    thresholds: Array
    values: Array

    def probability(self, label: float, w: Array) -> Array:
        """P(label | w) for w in the interval, shape (n,)."""
        total = np.zeros(len(w))
        ends = np.concatenate([[-np.inf], self.thresholds, [np.inf]])
        taken = np.abs(self.values - label) <= _SAME * max(1.0, abs(label))
        for k in np.flatnonzero(np.diff(taken.astype(int), prepend=0, append=0)):
            total += (-1.0 if taken[k : k + 1].any() else 1.0) * self._below(float(ends[k]), w)
        return np.maximum(total, 0.0)

    def _below(self, threshold: float, w: Array) -> Array:
        """P(h < threshold | w)."""
        if math.isinf(threshold):
            return np.full(len(w), float(threshold > 0))
        from scipy.special import ndtr

        a = np.stack([f(w) for f in self.coefficients], axis=1)
        a[:, -1] -= threshold
        degree = a.shape[1] - 1
        signs = (-1.0) ** np.arange(degree)
        found = ndtr(_real_roots(a)) @ signs + (degree % 2 == 0)  # where h is small far to the left
        return np.asarray(np.where(a[:, 0] * (-1) ** degree < 0, found, 1 - found))


def _real_roots(a: Array) -> Array:
    """Of polynomials, the highest coefficient first, in order; inf in place of those that are not real."""
    degree = a.shape[1] - 1
    with np.errstate(all="ignore"):
        if degree == 1:
            return np.nan_to_num(-a[:, 1:] / a[:, :1], nan=np.inf, posinf=np.inf, neginf=-np.inf)
        if degree == 2:
            half, size = -0.5 * a[:, 1], np.sqrt(0.25 * a[:, 1] ** 2 - a[:, 0] * a[:, 2])
            far = half + np.where(half < 0, -size, size)
            pair = np.stack([far / a[:, 0], np.where(far == 0, 0.0, a[:, 2] / far)], axis=1)
            return np.sort(np.where(np.isnan(pair), np.inf, pair), axis=1)
    companion = np.zeros((len(a), degree, degree))
    companion[:, np.arange(1, degree), np.arange(degree - 1)] = 1.0
    companion[:, 0] = -a[:, 1:] / np.where(a[:, :1] == 0, np.finfo(float).tiny, a[:, :1])
    roots = np.linalg.eigvals(companion)
    real = np.abs(roots.imag) <= _REAL * np.maximum(1.0, np.abs(roots.real))
    return np.sort(np.where(real, roots.real, np.inf), axis=1)


def laws_of_intervals(signal: Expr, w: Symbol) -> tuple[Array, tuple[Function, ...], Array] | None:
    """(values, P(value | w) as functions of points, shape (..., 1), where these are not smooth), else None.

    Examples
    --------
    >>> from hermite_analytics.language.functions import staircase
    >>> w = Symbol("w", real=True)
    >>> values, laws, edges = laws_of_intervals(staircase(w + xi**2, sympy.S.Zero, sympy.Integer(2)), w)
    >>> values.tolist(), edges.round(12).tolist()
    ([0.0, 1.0, 2.0], [1.0, 2.0])
    >>> round(float(laws[1](np.array([[0.0]]))[0]), 6)  # P(1 < xi^2 < 2)
    0.160011
    """
    plain, signs = opened(signal)
    forms = _forms(signs, w)
    if forms is None or plain.has(w, xi):
        return None
    inside = {b.letter for bounds in forms.values() for b in bounds}
    alone = {s: array_function(a, (w,)) for s, a in signs.items() if s not in inside}
    value = compile(plain, tuple(signs), backend="array")
    edges = [*kinks_of(list(alone.values())).tolist()]
    stretches, changes = [], {h: _changes(h, w) for h in forms}
    for low, high in itertools.pairwise([-math.inf, *edges, math.inf]):
        middle = np.array([0.5 * (max(low, -_FAR) + min(high, _FAR))])
        known = {s: np.sign(f(middle)) for s, f in alone.items()}
        found = _values_between(value, known, signs, forms)
        if found is None:
            return None
        h, thresholds, values = found
        stretches.append(_Stretch(low, high, _coefficients(h, w), thresholds, values))
        edges += [
            x for x in kinks_of([partial(f, t) for f in changes[h] for t in thresholds]) if low < x < high
        ]
    labels = distinct([v for s in stretches for v in s.values.tolist()])
    laws = tuple(partial(_law, stretches, label) for label in labels)
    return np.array(labels), laws, np.unique(edges)


def _forms(signs: Mapping[Symbol, Expr], w: Symbol) -> dict[Expr, list[_Bound]] | None:
    """The polynomials of w and xi that are compared with numbers; None where there are none, or others."""
    inside = {letter: sympy.expand(a) for letter, a in signs.items() if a.has(xi)}
    if not inside or any(a.has(*signs) for a in signs.values()):
        return None
    if not all(a.is_polynomial(w, xi) for a in inside.values()):
        return None
    forms: dict[Expr, list[_Bound]] = {}
    for letter, a in inside.items():
        shift, rest = a.as_coeff_Add()
        side = -1 if rest.could_extract_minus_sign() else 1
        forms.setdefault(side * rest, []).append(_Bound(letter, side, float(-side * shift)))
    return forms


def _law(stretches: Sequence[_Stretch], label: float, points: Array) -> Array:
    w = points[..., 0].ravel()
    found = np.zeros(len(w))
    for stretch in stretches:
        here = (w >= stretch.low) & (w < stretch.high)
        found[here] = stretch.probability(label, w[here])
    return found.reshape(points.shape[:-1])


def _values_between(
    value: Callable[..., Array],
    known: dict[Symbol, Array],
    signs: Iterable[Symbol],
    forms: dict[Expr, list[_Bound]],
) -> tuple[Expr, Array, Array] | None:
    """(the polynomial that the label depends on, its thresholds, the labels between); None of several."""
    thresholds = [np.unique([b.threshold for b in bounds]) for bounds in forms.values()]
    shape = tuple(len(t) + 1 for t in thresholds)
    if math.prod(shape) > _MOST:
        return None
    letters = dict(known)
    for axis, (bounds, t) in enumerate(zip(forms.values(), thresholds, strict=True)):
        along = np.expand_dims(np.arange(len(t) + 1), [k for k in range(len(shape)) if k != axis])
        for b in bounds:
            letters[b.letter] = b.side * np.where(along > np.searchsorted(t, b.threshold), 1.0, -1.0)
    found = np.broadcast_to(np.asarray(value(*(letters[s] for s in signs)), dtype=np.float64), shape)
    size = _SAME * np.maximum(1.0, np.abs(found).max())
    varies = [axis for axis in range(len(shape)) if np.ptp(found, axis=axis).max() > size]
    if len(varies) > 1:
        return None
    axis = varies[0] if varies else 0
    first = tuple(slice(None) if k == axis else 0 for k in range(len(shape)))
    return list(forms)[axis], thresholds[axis], found[first]


def _coefficients(h: Expr, w: Symbol) -> tuple[Function, ...]:
    return tuple(array_function(a, (w,)) for a in Poly(h, xi).all_coeffs())


def _changes(h: Expr, w: Symbol) -> list[Callable[[float, Array], Array]]:
    """Functions of (threshold, w) whose zeros are where roots of h - threshold merge or leave."""
    poly = Poly(h - _THRESHOLD, xi)
    whole = poly.LC() * (poly.discriminant() if poly.degree() > 1 else 1)
    factors = [f for f, _ in sympy.factor_list(whole)[1] if f.has(w)]
    return [array_function(f, (_THRESHOLD, w)) for f in factors]
