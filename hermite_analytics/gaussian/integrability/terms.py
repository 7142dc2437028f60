"""Sums of products polynomial * exp(polynomial) * wave * other factors, kept collected.

    sum_j p_j(z) exp(e_j(z)) {1, cos w_j(z), sin w_j(z)} prod_i F_ij(z)

Terms of one key (e, w, F) are added, so that what cancels is gone before a sum is judged. Terms of different
(e, w) are linearly independent over the polynomials: on an open set they never cancel.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

import sympy
from sympy import Expr, S

from hermite_analytics.gaussian.integrability.geometry import Undecided, Vector
from hermite_analytics.gaussian.integrability.steps import charge
from hermite_analytics.gaussian.reals import sign_of

__all__ = [
    "ONE_KEY",
    "Factor",
    "Key",
    "Poly",
    "Terms",
    "added",
    "is_nonzero",
    "multiplied",
    "poly_product",
    "powered",
    "scaled",
]

MAX_WORK = 40_000
_SYMBOLIC = 5  # steps that a product of two symbolic terms counts for

Monomial = tuple[int, ...]
Poly = dict[Monomial, Expr]
Items = tuple[tuple[Monomial, Expr], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Factor:
    """A function that is known by its size alone.

    Attributes
    ----------
    expr : Expr
        What it is: factors of equal `expr` are equal.
    high : Expr
        |F| <= C (1 + |z|)^high, away from poles.
    low : Expr or None
        |F| >= c t^low on almost every line b + t v as t grows; None where that is not known.
    pointwise : bool
        |F| >= c (1 + |z|)^low everywhere.
    soft : bool
        Both hold up to factors exp(C |z|^p) with p < 2.
    steep : vector or None
        A direction along which log F grows faster than any power.
    logarithmic : bool
        The logarithm of what may vanish.
    pole : (Expr, Expr) or None
        (l, s) for |l|^-s with an affine form l.
    """

    expr: Expr
    high: Expr = S.Zero
    low: Expr | None = S.Zero
    pointwise: bool = False
    soft: bool = False
    steep: Vector | None = None
    logarithmic: bool = False
    pole: tuple[Expr, Expr] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """Everything of a term but its polynomial; `wave` is (polynomial, "cos" or "sin")."""

    exponent: Items = ()
    wave: tuple[Items, str] | None = None
    factors: tuple[tuple[Factor, int], ...] = ()


Terms = dict[Key, Poly]
ONE_KEY = Key()


def is_nonzero(poly: Poly) -> bool:
    """Whether some coefficient is shown not to be 0."""
    return any(c.is_nonzero or sign_of(c) in (1, -1) for c in poly.values())


def items(poly: Poly) -> Items:
    """A polynomial that can be compared and hashed."""
    return tuple(sorted(poly.items()))


def added(sums: Iterable[Terms]) -> Terms:
    """The sum, without what vanishes."""
    parts: dict[Key, list[Poly]] = {}
    for terms in sums:
        for key, poly in terms.items():
            parts.setdefault(key, []).append(poly)
    total = {key: poly_sum(polys) for key, polys in parts.items()}
    return {key: poly for key, poly in total.items() if poly}


def poly_sum(polys: Iterable[Poly]) -> Poly:
    """The sum, without coefficients that are 0."""
    parts: dict[Monomial, list[Expr]] = {}
    for poly in polys:
        for monomial, coefficient in poly.items():
            parts.setdefault(monomial, []).append(coefficient)
    total = {m: c[0] if len(c) == 1 else sympy.Add(*c) for m, c in parts.items()}
    return {m: c for m, c in total.items() if not _vanishes(c)}


def _vanishes(c: Expr) -> bool:
    if c.is_Rational or not c.is_number:
        return bool(c == 0 or (not c.is_number and sympy.count_ops(c) < 100 and sympy.expand(c) == 0))
    return sign_of(c) == 0


def poly_product(a: Poly, b: Poly) -> Poly:
    """The product; `Undecided` if it is too large."""
    if len(a) * len(b) > MAX_WORK:
        raise Undecided("a polynomial with too many terms")
    charge(_SYMBOLIC * len(a) * len(b))
    parts: dict[Monomial, list[Expr]] = {}
    for m, x in a.items():
        for n, y in b.items():
            parts.setdefault(tuple(i + j for i, j in zip(m, n, strict=True)), []).append(x * y)
    return poly_sum([{m: sympy.Add(*c)} for m, c in parts.items()])


def scaled(terms: Terms, factor: Expr) -> Terms:
    """Every term times a constant."""
    return {} if factor == 0 else {k: {m: factor * c for m, c in p.items()} for k, p in terms.items()}


def multiplied(a: Terms, b: Terms) -> Terms:
    """The product; `Undecided` if it is too large."""
    if len(a) * len(b) > MAX_WORK // 20:
        raise Undecided("a product with too many terms")
    charge(_SYMBOLIC * len(a) * len(b))
    products: list[Terms] = []
    for k, p in a.items():
        for q, r in b.items():
            poly = poly_product(p, r)
            products += [{key: {m: c * x for m, x in poly.items()}} for key, c in _key_product(k, q)]
    return added(products)


def _key_product(a: Key, b: Key) -> list[tuple[Key, Expr]]:
    exponent = items(poly_sum([dict(a.exponent), dict(b.exponent)]))
    base = Key(exponent=exponent, factors=_factor_product(a.factors, b.factors))
    if a.wave is None or b.wave is None:
        return [(replace(base, wave=a.wave or b.wave), S.One)]
    (u, first), (v, second) = a.wave, b.wave
    total = poly_sum([dict(u), dict(v)])
    difference = poly_sum([dict(u), {m: -c for m, c in v}])
    if first == second:  # cos u cos v, sin u sin v
        s = S.One if first == "cos" else S.NegativeOne
        return [*_wave(base, difference, "cos", S.Half), *_wave(base, total, "cos", s * S.Half)]
    # sin u cos v = (sin(u + v) + sin(u - v))/2, and with the names exchanged
    s = S.One if first == "sin" else S.NegativeOne
    return [*_wave(base, total, "sin", S.Half), *_wave(base, difference, "sin", s * S.Half)]


def _wave(base: Key, argument: Poly, kind: str, coefficient: Expr) -> list[tuple[Key, Expr]]:
    if not argument:
        return [(base, coefficient)] if kind == "cos" else []
    if min(argument.items())[1].could_extract_minus_sign():
        argument = {m: -c for m, c in argument.items()}
        coefficient = coefficient if kind == "cos" else -coefficient
    return [(replace(base, wave=(items(argument), kind)), coefficient)]


def wave_terms(argument: Poly, kind: str, one: Monomial) -> Terms:
    """cos or sin of a polynomial, its constant taken out."""
    phase = argument.get(one, S.Zero)
    rest = {m: c for m, c in argument.items() if m != one}
    other, sign = ("sin", S.NegativeOne) if kind == "cos" else ("cos", S.One)
    parts = [(k, c * sympy.cos(phase)) for k, c in _wave(ONE_KEY, rest, kind, S.One)]
    parts += [(k, c * sign * sympy.sin(phase)) for k, c in _wave(ONE_KEY, rest, other, S.One)]
    return added({k: {one: c}} for k, c in parts if c != 0)


def _factor_product(
    a: tuple[tuple[Factor, int], ...], b: tuple[tuple[Factor, int], ...]
) -> tuple[tuple[Factor, int], ...]:
    if not a or not b:
        return a or b
    counts: Counter[Factor] = Counter()
    for factor, n in (*a, *b):
        counts[factor] += n
    return tuple(sorted(counts.items(), key=lambda x: sympy.default_sort_key(x[0].expr)))


def powered(terms: Terms, exponent: int, one: Terms) -> Terms:
    """A natural power, by repeated squaring."""
    result = one
    while exponent:
        if exponent & 1:
            result = multiplied(result, terms)
        exponent >>= 1
        if exponent:
            terms = multiplied(terms, terms)
    return result
