"""Real zeros of polynomials with rational coefficients."""

from __future__ import annotations

import numpy as np
import sympy
from sympy import Expr, Poly, Rational

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.clock import check_time

__all__ = ["real_roots"]

_SHORT = 200  # bits of coefficients
_CLOSE = 0.05  # gap between zeros of the order 1
_MODERATE = (Rational(1, 2**20), Rational(2**20))  # sizes of zeros that are isolated where they are


def real_roots(poly: Poly) -> list[Expr]:
    """The real zeros of an irreducible polynomial, in increasing order.

    By radicals up to degree 2, else as roots of integer polynomials. To isolate zeros that are close to
    one another for their size takes sympy long: if all are, they are moved to the middle 0 and the order 1;
    if some are, they are refused.

    Raises
    ------
    UnsupportedExpression
        Where zeros are too close together.

    Examples
    --------
    >>> z = sympy.Symbol("z")
    >>> real_roots(Poly(z**5 - z - 1, z))
    [CRootOf(x**5 - x - 1, 0)]
    >>> real_roots(Poly((10**9 * z - 3) ** 3 - 10**9 * z + 2, z))
    [CRootOf(7450580596923828125*x**3 - 1953125*x - 1, 0)/512 + 3/1000000000]
    """
    check_time()
    middle = -poly.nth(poly.degree() - 1) / (poly.degree() * poly.LC())
    if poly.degree() == 1:
        return [middle]
    moved = poly.compose(Poly(poly.gen + middle, poly.gen))
    scale = _size_of_zeros(moved)
    balanced = moved.compose(Poly(scale * poly.gen, poly.gen))
    if _is_long(poly) and _has_clusters(balanced):
        raise UnsupportedExpression(f"zeros of a polynomial of degree {poly.degree()} are too close together")
    if _MODERATE[0] < scale < _MODERATE[1] and abs(middle) < _MODERATE[1] * scale:
        return list(poly.real_roots())
    _, whole = balanced.clear_denoms(convert=True)
    return [sympy.expand(middle + scale * x) for x in whole.real_roots()]


def _is_long(poly: Poly) -> bool:
    """Whether it has coefficients of many digits."""
    return any(int(a).bit_length() > _SHORT for a in poly.clear_denoms(convert=True)[1].all_coeffs())


def _has_clusters(poly: Poly) -> bool:
    """Whether some complex zeros, of the order 1, are as good as one multiple zero in double precision."""
    zeros = np.roots([float(a / poly.LC()) for a in poly.all_coeffs()])
    gaps = np.abs(zeros[:, None] - zeros)
    close = gaps < _CLOSE
    sizes = close.sum(axis=1)  # m zeros that are one are found about eps^(1/m) apart
    return bool(np.any((sizes > 1) & ((gaps * close).max(axis=1) < 4 * 2.0 ** (-52 / sizes))))


def _size_of_zeros(poly: Poly) -> Rational:
    """A power of 2 of the order of the largest complex zero, not all of which are 0."""
    leading, *others = poly.all_coeffs()
    ratios = [(j, a / leading) for j, a in enumerate(others, 1) if a != 0]
    bits = [(int(abs(r).p).bit_length() - int(r.q).bit_length()) // j for j, r in ratios]
    return Rational(2) ** max(bits)
