"""Means of monomials times powers of a radius.

For r^2 = z_1^2 + ... + z_k^2 the direction z/r is independent of r, so that with M = m_1 + ... + m_k

    E[z^m r^(2s)] = E[z^m] E[r^(M + 2s)]/E[r^M] = E[z^m] 2^s Gamma((k + M)/2 + s)/Gamma((k + M)/2).

Source: docs/theory.md, the catalogue.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy
from sympy import Expr, Poly, S, Symbol, gamma

from hermite_analytics.language import functions as own

__all__ = ["radial_mean"]

_MOST_DEGREE = 60


def radial_mean(part: Expr, variables: Sequence[Symbol]) -> Expr | None:
    """E[part] for a polynomial times a power of a multiple of one radius squared; None for others.

    Parameters
    ----------
    part : sympy expression
        A product, integrable.
    variables : sequence of symbols
        Independent N(0, 1).

    Examples
    --------
    >>> x, y = sympy.symbols("x y", real=True)
    >>> radial_mean(x**2 * sympy.sqrt(x**2 + y**2), (x, y))
    3*sqrt(2)*sqrt(pi)/4
    """
    radii: set[frozenset[Symbol]] = set()
    power, factor, rest = S.Zero, S.One, []
    for a in sympy.Mul.make_args(part):
        found = _radius(a, variables)
        if found is None:
            rest.append(a.replace(own.He, lambda k, x: own.hermite_polynomial(int(k), x)))
            continue
        radii.add(found[0])
        power, factor = power + a.exp, factor * found[1] ** a.exp
    polynomial = sympy.Mul(*rest)
    if len(radii) != 1 or not polynomial.is_polynomial(*variables):
        return None
    (radius,) = radii
    poly = Poly(polynomial, *variables)
    if poly.total_degree() > _MOST_DEGREE:
        return None
    total = S.Zero
    for powers, coefficient in poly.terms():
        inside = sum(m for v, m in zip(variables, powers, strict=True) if v in radius)
        half = sympy.Rational(len(radius) + inside, 2)
        if not (half + power).is_positive:
            return None
        if all(m % 2 == 0 for m in powers):
            moment = sympy.Mul(*(sympy.factorial2(m - 1) for m in powers))
            total += coefficient * moment * gamma(half + power) / gamma(half)
    return total * factor * 2**power


def _radius(factor: Expr, variables: Sequence[Symbol]) -> tuple[frozenset[Symbol], Expr] | None:
    """(the variables of r, a) for a power of a r^2 with a rational exponent and a > 0."""
    if not (factor.is_Pow and factor.exp.is_Rational and not factor.exp.is_Integer):
        return None
    used = [v for v in variables if factor.base.has(v)]
    if not used or not factor.base.is_polynomial(*used):
        return None
    poly = Poly(factor.base, *used)
    scale = poly.coeff_monomial(used[0] ** 2)
    if scale.free_symbols or not scale.is_positive:
        return None
    isotropic = sympy.expand(factor.base - scale * sympy.Add(*(v**2 for v in used))) == 0
    return (frozenset(used), scale) if isotropic else None
