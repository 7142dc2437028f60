"""Expressions as products of irreducible factors."""

from __future__ import annotations

import functools

import sympy
from sympy import Expr, Poly, S
from sympy.polys.rings import sring as ring_of

from hermite_analytics.gaussian.distribution import stays_small
from hermite_analytics.language.factors import irreducible_factors

__all__ = ["factored"]

_MOST_DEGREE = 200  # of a sum that is factored
_RATIONAL = (sympy.ZZ, sympy.QQ)


@functools.lru_cache(maxsize=4096)
def factored(expr: Expr) -> Expr:
    """A rational function of z, of functions of z and of roots as a product of irreducible factors.

    A factor that is not a polynomial in these, or one of many terms or of high degree, stays as it is.

    Examples
    --------
    >>> z = sympy.Symbol("z")
    >>> factored(z * sympy.sin(z) ** 2 - z**3)
    -z*(z - sin(z))*(z + sin(z))
    """
    parts = (part for factor in sympy.Mul.make_args(sympy.together(expr)) for part in _of_power(factor))
    return sympy.Mul(*parts)


def _of_power(factor: Expr) -> list[Expr]:
    base, exponent = factor.as_base_exp() if factor.is_Pow else (factor, S.One)
    if not (base.is_Add and exponent.is_Integer and stays_small(base)):
        return [factor]
    try:
        _, sparse = ring_of(base)  # exp(1e30*z) is a power of exp(z): no dense polynomial of that degree
    except sympy.PolynomialError:
        return [factor]
    if not sparse:  # a sum that is 0
        return [S.Zero] if exponent > 0 else [factor]
    if sparse.ring.domain not in _RATIONAL or max(map(sum, sparse)) > _MOST_DEGREE:
        return [factor]
    content, factors = irreducible_factors(Poly(base, *sparse.ring.symbols))
    return [content**exponent, *(p.as_expr() ** (k * exponent) for p, k in factors)]
