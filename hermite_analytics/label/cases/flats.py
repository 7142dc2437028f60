"""Lines of the plane and planes of space where the arguments of kinks vanish, and what is no such flat."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

import numpy as np
import sympy
from sympy import Expr, Symbol

from hermite_analytics.gaussian.distribution import expanded
from hermite_analytics.language.factors import irreducible_factors

__all__ = ["Flat", "factors_of", "flats_of", "flats_of_all", "on_all_sides"]

Flat = tuple[Expr, ...]  # (a_1, .., a_q, c) of a.w = c
_MOST_LETTERS = 6
_MOST_DEGREE = 12  # of a polynomial that is factorised
_REAL = 1e-9  # imaginary part of a root


def on_all_sides(argument: Expr, signs: Sequence[Symbol], most: int = _MOST_LETTERS) -> list[Expr] | None:
    """An argument of a kink for all values of the signs in it; None of too many signs.

    Examples
    --------
    >>> w, s = sympy.symbols("w s", real=True)
    >>> on_all_sides(s * w + 1, (s,))
    [1 - w, w + 1]
    """
    letters = [s for s in signs if argument.has(s)]
    if len(letters) > most:
        return None
    values = itertools.product((-sympy.S.One, sympy.S.One), repeat=len(letters))
    return [expanded(argument.xreplace(dict(zip(letters, v, strict=True)))) for v in values]


def factors_of(plain: Expr, coordinates: Sequence[Symbol]) -> list[Expr]:
    """The irreducible factors of a polynomial with rational coefficients; others as they are."""
    if not plain.has(*coordinates):
        return []
    poly = sympy.Poly(plain, *coordinates) if plain.is_polynomial(*coordinates) else None
    if (
        poly is None
        or not 1 < poly.total_degree() <= _MOST_DEGREE
        or not all(c.is_Rational for c in poly.coeffs())
    ):
        return [plain]
    return [factor.as_expr() for factor, _ in irreducible_factors(poly)[1]]


def flats_of(plain: Expr, coordinates: Sequence[Symbol]) -> list[Flat] | None:
    """The flats where an expression vanishes, if these are all of its zeros; else None.

    Of an affine form, whose coefficients may have other symbols, a polynomial of one coordinate, or a product
    of these.

    Examples
    --------
    >>> w = sympy.symbols("w1 w2 w3", real=True)
    >>> flats_of(w[0] ** 2 * w[1] - 4 * w[1], w)
    [(0, 1, 0, 0), (1, 0, 0, 2), (1, 0, 0, -2)]
    >>> flats_of(w[0] * w[1] + w[2], w) is None
    True
    """
    return _joined(_of_factor(factor, coordinates) for factor in factors_of(plain, coordinates))


def flats_of_all(expressions: Iterable[Expr], coordinates: Sequence[Symbol]) -> list[Flat] | None:
    """Those of several expressions."""
    return _joined(flats_of(plain, coordinates) for plain in expressions)


def _joined(parts: Iterable[list[Flat] | None]) -> list[Flat] | None:
    """Each once; None where one of the parts is."""
    found: dict[Flat, None] = {}
    for flats in parts:
        if flats is None:
            return None
        found |= dict.fromkeys(flats)
    return list(found)


def _of_factor(factor: Expr, coordinates: Sequence[Symbol]) -> list[Flat] | None:
    if not factor.is_polynomial(*coordinates):
        return None
    poly = sympy.Poly(factor, *coordinates)
    if poly.total_degree() == 1:
        return [(*(poly.coeff_monomial(w) for w in coordinates), -poly.coeff_monomial(1))]
    used = [k for k, w in enumerate(coordinates) if poly.degree(w) > 0]
    if len(used) != 1 or factor.free_symbols - set(coordinates):
        return None
    roots = np.roots([float(c) for c in sympy.Poly(factor, coordinates[used[0]]).all_coeffs()])
    unit = [sympy.Integer(int(k == used[0])) for k in range(len(coordinates))]
    return [(*unit, sympy.Float(r.real)) for r in roots if abs(r.imag) < _REAL]
