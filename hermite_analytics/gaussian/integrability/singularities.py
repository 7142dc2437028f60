"""Factors |l|^-s of affine forms l: integrable across l = 0 exactly where s order < 1."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import sympy
from sympy import Expr, S, Symbol

from hermite_analytics.gaussian.integrability.geometry import Form, Polyhedron, Undecided, exact, null_space
from hermite_analytics.gaussian.integrability.terms import Factor, Key, Poly, Terms

__all__ = ["judge_poles"]

MAX_POLES = 5


def judge_poles(
    terms: Terms, cell: Polyhedron, order: Expr, variables: Sequence[Symbol]
) -> tuple[bool | None, str] | None:
    """(finite, reason) where a singularity decides, None where all are integrable or there is none.

    |l_1|^-s_1 ... |l_k|^-s_k is locally integrable if for each subset of the forms the exponents add up to
    less than the rank of the subset.
    """
    strengths = {key: _strengths(key, cell, variables) for key in terms}
    if not any(strengths.values()):
        return None
    for found in strengths.values():
        for form, s in found.items():
            if order * s >= 1 and cell.touches(_form(form, variables)):
                return _at_pole(form, s, terms, strengths, variables)
    for found in strengths.values():
        if not _is_integrable(found, order, variables):
            return None, "several singularities that meet"
    return None


def _strengths(key: Key, cell: Polyhedron, variables: Sequence[Symbol]) -> dict[Expr, Expr]:
    """Exponent of each form that the cell comes close to the zeros of."""
    result: dict[Expr, Expr] = {}
    for factor, n in key.factors:
        if factor.pole is not None:
            form, s = factor.pole
            form = _primitive(form)
            result[form] = result.get(form, S.Zero) + n * s
    return {form: s for form, s in result.items() if not cell.stays_away_from(_form(form, variables))}


def _primitive(form: Expr) -> Expr:
    primitive = sympy.expand(form).primitive()[1]
    return -primitive if primitive.could_extract_minus_sign() else primitive


def _form(expr: Expr, variables: Sequence[Symbol]) -> Form:
    poly = sympy.Poly(expr, *variables)
    slope = tuple(exact(poly.coeff_monomial(v)) for v in variables)
    return Form(slope, exact(poly.coeff_monomial(1)))


def _at_pole(
    form: Expr,
    s: Expr,
    terms: Terms,
    strengths: dict[Key, dict[Expr, Expr]],
    variables: Sequence[Symbol],
) -> tuple[bool | None, str]:
    """Infinite, if what multiplies the singularity does not vanish on l = 0."""
    strongest = max(found.get(form, S.Zero) for found in strengths.values())
    numerator = [(key, poly) for key, poly in terms.items() if strengths[key].get(form, S.Zero) == strongest]
    others = {
        frozenset(x for x in key.factors if x[0].pole is None or _primitive(x[0].pole[0]) != form)
        for key, _ in numerator
    }
    known = len(others) == 1 and all(_keeps_away(f) for f, _ in next(iter(others)))
    name = form if strongest == 1 else form**strongest
    if known and not _vanishes_on(form, numerator, variables):
        return False, f"1/{_bracketed(name)} is not integrable at {form} = 0"
    return None, f"1/{_bracketed(name)} times a function that may vanish at {form} = 0"


def _bracketed(expr: Expr) -> str:
    text = str(expr)
    return f"({text})" if expr.is_Add else text


def _keeps_away(factor: Factor) -> bool:
    return factor.pointwise or factor.pole is not None


def _vanishes_on(form: Expr, numerator: Sequence[tuple[Key, Poly]], variables: Sequence[Symbol]) -> bool:
    """Whether the numerator may vanish on l = 0; its terms are compared after substitution."""
    v = next(x for x in variables if form.has(x))
    value = sympy.expand(v - form / form.coeff(v))
    total = S.Zero
    for key, poly in numerator:
        part = _plain(poly, variables) * sympy.exp(_plain(dict(key.exponent), variables))
        if key.wave is not None:
            part *= (sympy.cos if key.wave[1] == "cos" else sympy.sin)(_plain(dict(key.wave[0]), variables))
        total += part
    restricted = sympy.expand(total.subs(v, value))
    if restricted.has(*variables):
        return not (len(numerator) == 1 or restricted.is_polynomial(*variables))
    return restricted.is_zero is not False


def _plain(poly: Poly, variables: Sequence[Symbol]) -> Expr:
    return sympy.Add(
        *(c * sympy.Mul(*(v**k for v, k in zip(variables, m, strict=True))) for m, c in poly.items())
    )


def _is_integrable(found: dict[Expr, Expr], order: Expr, variables: Sequence[Symbol]) -> bool:
    if len(found) > MAX_POLES:
        raise Undecided("too many singularities")
    forms = {expr: _form(expr, variables) for expr in found}
    n = len(variables)
    for size in range(1, len(found) + 1):
        for subset in itertools.combinations(found, size):
            rank = n - len(null_space([forms[e].slope for e in subset], n))
            if order * sum(found[e] for e in subset) >= rank:
                return False
    return True
