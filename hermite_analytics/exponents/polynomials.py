"""The polynomial terms of a target, whose Hermite expansion is finite and exact."""

from __future__ import annotations

import math
from collections.abc import Sequence

import sympy
from sympy import Expr, Poly, S, Symbol

from hermite_analytics.exponents.contraction import Index
from hermite_analytics.exponents.numbers import Numbers
from hermite_analytics.foundation.clock import check_time
from hermite_analytics.language.functions import He, hermite_polynomial
from hermite_analytics.symbols import xi

__all__ = ["hermite_tensors", "polynomial_part"]

_MOST_TERMS = 20_000


def polynomial_part(expression: Expr, variables: Sequence[Symbol]) -> tuple[Poly, Expr]:
    """(the sum of the terms that are polynomials without label noise, the rest).

    Examples
    --------
    >>> from hermite_analytics.symbols import variable
    >>> z1 = variable(1)
    >>> polynomial, rest = polynomial_part(He(2, z1) + sympy.sin(z1), [z1])
    >>> polynomial.as_expr(), rest
    (z1**2 - 1, sin(z1))
    """
    total, rest = Poly(0, *variables), []
    for term in sympy.Add.make_args(expression):
        plain = term.replace(He, _expanded)
        if not plain.has(xi) and plain.is_polynomial(*variables) and _count(plain) <= _MOST_TERMS:
            total += Poly(plain, *variables)
        else:
            rest.append(term)
    return total, sympy.Add(*rest)


def hermite_tensors(polynomial: Poly, numbers: Numbers) -> dict[int, dict[Index, Expr]]:
    """C_1, C_2, ... of a polynomial as {degree: {S: c_S}}, without the entries that are proved to be 0.

    Source: z^a = sum_m a!/(m! (a - 2m)! 2^m) He_{a - 2m}(z).

    Examples
    --------
    >>> from hermite_analytics.symbols import variable
    >>> z1, z2 = variable(1), variable(2)
    >>> hermite_tensors(Poly(z1**3 + z1 * z2, z1, z2), Numbers())
    {3: {(3, 0): 6}, 1: {(1, 0): 3}, 2: {(1, 1): 1}}
    """
    found: dict[Index, Expr] = dict(polynomial.terms())
    for i in range(len(polynomial.gens)):
        found = _in_hermite(found, i)
    tensors: dict[int, dict[Index, Expr]] = {}
    for index, entry in found.items():
        check_time()
        value = entry * math.prod(map(math.factorial, index))
        if any(index) and numbers.is_zero(value) is not True:
            tensors.setdefault(sum(index), {})[index] = value
    return tensors


def _in_hermite(coefficients: dict[Index, Expr], i: int) -> dict[Index, Expr]:
    """The coefficients with the powers of one variable written in its Hermite polynomials."""
    found: dict[Index, Expr] = {}
    for powers, coefficient in coefficients.items():
        check_time()
        a = powers[i]
        for m in range(a // 2 + 1):
            index = (*powers[:i], a - 2 * m, *powers[i + 1 :])
            weight = math.comb(a, 2 * m) * math.factorial(2 * m) // (math.factorial(m) * 2**m)
            found[index] = found.get(index, S.Zero) + weight * coefficient
    return found


def _expanded(degree: Expr, x: Expr) -> Expr:
    return hermite_polynomial(int(degree), x)


def _count(expr: Expr) -> int:
    """A bound on the number of terms of an expanded polynomial."""
    if expr.is_Add:
        return sum(_count(a) for a in expr.args)
    if expr.is_Mul:
        return math.prod(_count(a) for a in expr.args)
    if expr.is_Pow and expr.exp.is_Integer and expr.exp > 0 and expr.base.is_Add:
        terms = _count(expr.base)
        return math.comb(terms + int(expr.exp) - 1, int(expr.exp))
    return 1
