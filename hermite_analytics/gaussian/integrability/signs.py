"""The sign of an expression on a cell, or the affine form whose sign has to be fixed first."""

from __future__ import annotations

from collections.abc import Sequence

import sympy
from sympy import Expr, S, Symbol, sqrt

from hermite_analytics.gaussian.integrability.geometry import Form, Polyhedron, exact
from hermite_analytics.gaussian.reals import sign_of
from hermite_analytics.language.bounds import bounds
from hermite_analytics.language.factors import irreducible_factors
from hermite_analytics.language.functions import record_of

__all__ = ["affine_form", "is_affine", "sign_or_form"]

MAX_FACTORED = 12


def sign_or_form(argument: Expr, variables: Sequence[Symbol], cell: Polyhedron) -> int | Form | None:
    """The sign of the argument on the cell, or a form whose sign is to be fixed first, or None."""
    if not argument.has(*variables):
        return sign_of(argument) or None
    everywhere = _sign_everywhere(argument)
    if everywhere is not None:
        return everywhere
    form = affine_form(argument, variables)
    if form is not None:
        return cell.sign_of(form) or form
    if argument.is_Mul:
        return _product_sign(argument.args, variables, cell)
    if isinstance(argument, sympy.exp):
        return 1
    if argument.is_Pow and argument.exp.is_Integer:
        return 1 if argument.exp.is_even else sign_or_form(argument.base, variables, cell)
    if record_of(argument).has_sign_of_argument:
        return sign_or_form(argument.args[0], variables, cell)
    if not argument.is_polynomial(*variables):
        return None
    return _polynomial_sign(argument, variables, cell)


def _sign_everywhere(argument: Expr) -> int | None:
    """The sign on the whole space, where bounds show it; 0 on some points does not count."""
    if argument.is_nonnegative or bounds(argument)[0].is_extended_nonnegative:
        return 1
    if argument.is_nonpositive or bounds(argument)[1].is_extended_nonpositive:
        return -1
    return None


def _product_sign(
    factors: Sequence[Expr], variables: Sequence[Symbol], cell: Polyhedron
) -> int | Form | None:
    total = 1
    for factor in factors:
        found = sign_or_form(factor, variables, cell)
        if not isinstance(found, int):
            return found
        total *= found
    return total


def _polynomial_sign(argument: Expr, variables: Sequence[Symbol], cell: Polyhedron) -> int | Form | None:
    poly = sympy.Poly(argument, *variables)
    if poly.total_degree() > MAX_FACTORED or not all(c.is_Rational for c in poly.coeffs()):
        return None
    content, factors = irreducible_factors(poly)
    parts = [sympy.sign(content)]
    for factor, k in factors:
        if k % 2:
            parts += _lines(factor)
    if len(parts) == 2 and parts[1] == argument:
        return None
    return _product_sign(parts, variables, cell)


def _lines(factor: sympy.Poly) -> list[Expr]:
    """Affine forms whose product has the sign of an irreducible factor, of degree 2; else itself."""
    used = [g for g in factor.gens if factor.degree(g)]
    if factor.total_degree() != 2 or len(used) > 2:
        return [factor.as_expr()]
    x, y = used[0], used[-1]
    a = factor.as_expr()
    if len(used) == 2:
        if not factor.is_homogeneous or factor.degree(x) < 2:
            return [a]
        a = a.subs(y, 1)
    two, one, zero = sympy.Poly(a, x).all_coeffs()
    discriminant = one**2 - 4 * two * zero
    if discriminant < 0:
        return [sympy.sign(two)]
    roots = [(-one + s * sqrt(discriminant)) / (2 * two) for s in (1, -1)]
    scale = y if len(used) == 2 else S.One
    return [sympy.sign(two), *(x - root * scale for root in roots)]


def is_affine(argument: Expr, variables: Sequence[Symbol]) -> bool:
    return affine_form(argument, variables) is not None


def affine_form(argument: Expr, variables: Sequence[Symbol]) -> Form | None:
    """The form of an affine argument, scaled by a positive factor where its slope carries parameters."""
    if not argument.is_polynomial(*variables):
        return None
    poly = sympy.Poly(argument, *variables)
    if poly.total_degree() != 1:
        return None
    slope = [poly.coeff_monomial(v) for v in variables]
    offset = poly.coeff_monomial(1)
    if not all(s.is_number for s in slope):
        first = next(s for s in slope if s != 0)
        size = sign_of(first)
        if size:
            slope = [sympy.cancel(s / (size * first)) for s in slope]
            offset = sympy.cancel(offset / (size * first))
    return Form(tuple(exact(s) for s in slope), exact(offset))
