"""Irreducible factors of polynomials over the rationals.

By FLINT: its compiled algorithms take microseconds where those of sympy take seconds, which no clock can end,
on coefficients of some hundred digits.
"""

from __future__ import annotations

import sympy
from flint import fmpz, fmpz_mpoly_ctx, fmpz_poly
from sympy import Expr, Poly

__all__ = ["irreducible_factors"]

_RATIONAL = (sympy.ZZ, sympy.QQ)


def irreducible_factors(poly: Poly) -> tuple[Expr, list[tuple[Poly, int]]]:
    """(content, [(factor, multiplicity), ...]), as `Poly.factor_list` has them.

    Parameters
    ----------
    poly : Poly
        In one generator or several. Coefficients that are not rational numbers are left to sympy.

    Examples
    --------
    >>> x, y = sympy.symbols("x y")
    >>> content, factors = irreducible_factors(Poly(2 * (x**2 - y**2) * x**2 / 3, x, y))
    >>> content, [(p.as_expr(), k) for p, k in factors]
    (2/3, [(x - y, 1), (x + y, 1), (x, 2)])
    """
    if poly.domain not in _RATIONAL or poly.is_zero:
        content, factors = poly.factor_list()
        return content, list(factors)
    scale, whole = poly.clear_denoms(convert=True)
    content, found = (_of_one if len(poly.gens) == 1 else _of_several)(whole)
    parts = [(Poly(terms, *poly.gens, domain=poly.domain), int(k)) for terms, k in found]
    return sympy.Integer(content) / scale, sorted(parts, key=_order)


def _of_one(whole: Poly) -> tuple[int, list[tuple[dict[tuple[int, ...], int], int]]]:
    """Content and factors of a polynomial in one generator with integer coefficients."""
    content, found = fmpz_poly([fmpz(int(a)) for a in reversed(whole.all_coeffs())]).factor()
    return int(content), [({(i,): int(a) for i, a in enumerate(p) if a != 0}, k) for p, k in found]


def _of_several(whole: Poly) -> tuple[int, list[tuple[dict[tuple[int, ...], int], int]]]:
    """Content and factors of a polynomial in several generators with integer coefficients."""
    context = fmpz_mpoly_ctx.get([f"x{i}" for i in range(len(whole.gens))], "lex")
    content, found = context.from_dict({m: int(a) for m, a in whole.terms()}).factor()
    return int(content), [({tuple(map(int, m)): int(a) for m, a in p.to_dict().items()}, k) for p, k in found]


def _order(part: tuple[Poly, int]) -> tuple[int, int, list[object]]:
    """By degree, multiplicity and coefficients, as sympy sorts them."""
    poly, multiplicity = part
    dense = poly.rep.to_list()
    return len(dense), multiplicity, dense
