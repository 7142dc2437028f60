"""Powers of a sum of terms that are not natural numbers: roots, reciprocals, singularities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import sympy
from sympy import Expr, S, Symbol

from hermite_analytics.gaussian.integrability.cells import Mask
from hermite_analytics.gaussian.integrability.copositivity import positivity
from hermite_analytics.gaussian.integrability.exponents import (
    difference,
    is_bounded_above,
    quadratic_parts,
    total_degree,
)
from hermite_analytics.gaussian.integrability.geometry import Polyhedron, Undecided
from hermite_analytics.gaussian.integrability.terms import (
    ONE_KEY,
    Factor,
    Key,
    Poly,
    Terms,
    added,
    is_nonzero,
    items,
    multiplied,
    poly_sum,
)
from hermite_analytics.gaussian.reals import sign_of
from hermite_analytics.language.factors import irreducible_factors

__all__ = ["is_positive", "leading_key", "power_bound", "power_of_terms"]

MAX_FACTORED = 12


def leading_key(terms: Terms, cell: Polyhedron) -> Key | None:
    """The term of a positive sum that all others stay below on the cell, up to a constant."""
    if any(k.wave or k.factors or len(p) != 1 or any(next(iter(p))) for k, p in terms.items()):
        return None
    if any(sign_of(c) != 1 for p in terms.values() for c in p.values()):
        return None
    for key in terms:
        gaps = (difference(dict(k.exponent), dict(key.exponent)) for k in terms)
        if all(is_bounded_above(gap, cell) for gap in gaps):
            return key
    return None


def power_of_terms(
    terms: Terms, expr: Expr, shown: bool, variables: Sequence[Symbol], cell: Polyhedron
) -> Terms:
    """expr = base**r with r rational, `terms` those of the base; `shown` says that base >= constant > 0."""
    r = expr.exp
    if not terms:
        raise Undecided("a power of 0")
    if len(terms) == 1:
        ((key, poly),) = terms.items()
        if key.wave is None:
            return _power_of_term(key, poly, expr, shown, variables, cell)
    leading = leading_key(terms, cell)
    if leading is not None:
        size = {leading: terms[leading]}
        rest = _factor(Factor(expr=expr, pointwise=True), variables)  # between two positive constants
        return multiplied(power_of_terms(size, expr, shown, variables, cell), rest)
    if r < 0:
        if not shown:
            raise Undecided(f"{expr} may be singular")
        return _factor(Factor(expr=expr, low=None), variables)
    return power_bound(terms, expr, variables, cell)


def power_bound(terms: Terms, expr: Expr, variables: Sequence[Symbol], cell: Polyhedron) -> Terms:
    """Terms that bound a positive power of a sum: |a + b|^r <= C (|a|^r + |b|^r)."""
    parts = [
        _power_of_term(replace(key, wave=None), poly, expr, False, variables, cell)
        for key, poly in terms.items()
    ]
    return multiplied(added(parts), _factor(Factor(expr=Mask(expr), low=None), variables))


def _factor(factor: Factor, variables: Sequence[Symbol]) -> Terms:
    return {Key(factors=((factor, 1),)): {(0,) * len(variables): S.One}}


def _power_of_term(
    key: Key, poly: Poly, expr: Expr, shown: bool, variables: Sequence[Symbol], cell: Polyhedron
) -> Terms:
    r = expr.exp
    exponent = items(poly_sum([{m: r * c for m, c in key.exponent}]))
    factors = tuple((_power_of_factor(f, n, r), 1) for f, n in key.factors)
    result: Terms = {Key(exponent=exponent, factors=factors): {(0,) * len(variables): S.One}}
    if set(poly) == {(0,) * len(variables)}:
        (coefficient,) = poly.values()
        value = sympy.Abs(coefficient) ** r
        return {k: {m: value * c for m, c in p.items()} for k, p in result.items()}
    for factor in _power_of_polynomial(poly, r, shown and key == ONE_KEY, variables, cell.dimension):
        result = multiplied(result, _factor(factor, variables))
    return result


def _power_of_factor(factor: Factor, n: int, r: Expr) -> Factor:
    power = n * r
    if factor.pole is not None or factor.steep is not None:
        raise Undecided("a power of a singular function")
    low = None if factor.low is None else power * factor.low
    if power > 0:
        return replace(factor, expr=factor.expr**power, high=power * factor.high, low=low)
    if low is None or not factor.pointwise:
        raise Undecided(f"{factor.expr} may vanish in a denominator")
    return Factor(
        expr=factor.expr**power, high=low, low=power * factor.high, soft=factor.soft, pointwise=True
    )


def _power_of_polynomial(
    poly: Poly, r: Expr, shown: bool, variables: Sequence[Symbol], n: int
) -> list[Factor]:
    degree = total_degree(poly)
    p = sympy.Add(
        *(c * sympy.Mul(*(v**k for v, k in zip(variables, m, strict=True))) for m, c in poly.items())
    )
    if r > 0:
        return [Factor(expr=p**r, high=degree * r, low=S.Zero if is_nonzero(poly) else None)]
    if shown or _is_positive_quadratic(poly, n):
        return [_reciprocal(p, degree, r, n)]
    if degree == 1:
        return [_pole(p, -r)]
    if degree > MAX_FACTORED or not all(c.is_Rational for c in poly.values()):
        raise Undecided(f"{p}**({r}) may be singular")
    result = []
    for irreducible, k in irreducible_factors(sympy.Poly(p, *variables))[1]:
        factor, part = irreducible.as_expr(), dict(irreducible.terms())
        if total_degree(part) == 1:
            result.append(_pole(factor, -k * r))
        elif _is_positive_quadratic(part, n):
            result.append(_reciprocal(factor, total_degree(part), k * r, n))
        else:
            raise Undecided(f"{factor}**({k * r}) may be singular")
    return result


def _pole(form: Expr, strength: Expr) -> Factor:
    return Factor(expr=form ** (-strength), low=-strength, pole=(form, strength))


def _reciprocal(p: Expr, degree: int, r: Expr, n: int) -> Factor:
    return Factor(expr=p**r, high=degree * r if n == 1 else S.Zero, low=degree * r, pointwise=True)


def is_positive(expr: Expr, variables: Sequence[Symbol]) -> bool:
    """Whether a polynomial of degree 2 is shown to stay above a positive constant."""
    if not expr.is_polynomial(*variables):
        return False
    poly = sympy.Poly(expr, *variables)
    return poly.total_degree() == 2 and _is_positive_quadratic(dict(poly.terms()), len(variables))


def _is_positive_quadratic(poly: Poly, n: int) -> bool:
    """q(z) >= constant > 0 for q of degree 2: the form q(z/w) w^2 in (z, w) is positive definite.

    Variables that do not occur are left out.
    """
    if total_degree(poly) != 2:
        return False
    used = [i for i in range(n) if any(m[i] for m in poly)]
    matrix, linear, constant = quadratic_parts({m: -c for m, c in poly.items()}, n)
    size = len(used)
    whole = [[*(matrix[i][j] for j in used), -linear[i]] for i in used]
    whole.append([*(-linear[i] for i in used), -2 * constant])
    axes = [tuple(Fraction(int(i == j)) for j in range(size + 1)) for i in range(size + 1)]
    try:
        return positivity(whole, [], axes).sign > 0
    except Undecided:
        return False
