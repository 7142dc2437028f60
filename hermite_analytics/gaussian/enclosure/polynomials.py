"""Polynomials with ball coefficients, and their bounds on a strip around the real axes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from flint import arb
from sympy import Expr, Symbol

from hermite_analytics.gaussian.enclosure.constants import ball_of
from hermite_analytics.gaussian.enclosure.envelope import (
    Envelope,
    EnvelopeTerm,
    Powers,
    Quadratic,
    monomial_bound,
)
from hermite_analytics.gaussian.enclosure.operations import integer_power
from hermite_analytics.gaussian.enclosure.precision import BOUND_BITS

__all__ = ["PolynomialBounds", "ball_polynomial", "polynomial_bounds"]

_LARGEST_POWER = 400
_MOST_TERMS = 600
_CELLS = 128
Polynomial = dict[Powers, arb]


def ball_polynomial(expr: Expr, variables: Sequence[Symbol]) -> Polynomial | None:
    """{powers: coefficient} of a polynomial in the variables with constant coefficients, else None."""
    count = len(variables)
    if not expr.free_symbols:
        return {(0,) * count: ball_of(expr, BOUND_BITS)}
    if expr.is_Symbol:
        return {tuple(int(v == expr) for v in variables): arb(1)} if expr in variables else None
    if expr.is_Add:
        return _added(expr.args, variables)
    if expr.is_Mul:
        return _multiplied([ball_polynomial(a, variables) for a in expr.args])
    if expr.is_Pow and expr.exp.is_Integer and 0 < expr.exp <= _LARGEST_POWER:
        base = ball_polynomial(expr.base, variables)
        return None if base is None else _raised(base, int(expr.exp), count)
    return None


def _added(addends: Sequence[Expr], variables: Sequence[Symbol]) -> Polynomial | None:
    total: Polynomial = {}
    for addend in addends:
        part = ball_polynomial(addend, variables)
        if part is None:
            return None
        for powers, a in part.items():
            total[powers] = total[powers] + a if powers in total else a
    return total


def _multiplied(factors: Sequence[Polynomial | None]) -> Polynomial | None:
    total = factors[0]
    for factor in factors[1:]:
        if total is None or factor is None or len(total) * len(factor) > _MOST_TERMS**2:
            return None
        total = _product(total, factor)
    return total


def _product(left: Polynomial, right: Polynomial) -> Polynomial:
    total: Polynomial = {}
    for n, a in left.items():
        for m, b in right.items():
            powers = tuple(i + j for i, j in zip(n, m, strict=True))
            total[powers] = total[powers] + a * b if powers in total else a * b
    return total


def _raised(base: Polynomial, exponent: int, count: int) -> Polynomial | None:
    if len(base) == 1:
        ((powers, a),) = base.items()
        return {tuple(n * exponent for n in powers): integer_power(a, exponent)}
    if max(map(sum, base)) * exponent > _LARGEST_POWER or len(base) ** min(exponent, count + 1) > _MOST_TERMS:
        return None
    total: Polynomial = {(0,) * count: arb(1)}
    for _ in range(exponent):
        total = _product(total, base)
    return total


@dataclass(frozen=True, slots=True)
class PolynomialBounds:
    """Of P(x + ib) for all real x and |b_i| <= a_i: |P|, Re P from above and from below, |Im P|."""

    size: Envelope
    upper: Quadratic | None
    lower: Quadratic | None
    imaginary: Quadratic | None


def polynomial_bounds(polynomial: Polynomial, widths: Sequence[arb]) -> PolynomialBounds:
    """Expand P(x + ib) in powers of b: even orders correct the real part, odd orders are the imaginary part.

    With z_i = x_i + i b_i, |b_i| <= a_i, z^S = sum_J C(S, J) x^(S-J) (ib)^J.
    """
    even: Polynomial = {}
    odd: Polynomial = {}
    for powers, a in polynomial.items():
        for orders in itertools.product(
            *(range(n + 1) if w > 0 else (0,) for n, w in zip(powers, widths, strict=True))
        ):
            total = sum(orders)
            if total == 0:
                continue
            coefficient = abs(a)
            for n, j, w in zip(powers, orders, widths, strict=True):
                coefficient = coefficient * math.comb(n, j) * w**j
            rest = tuple(n - j for n, j in zip(powers, orders, strict=True))
            into = odd if total % 2 else even
            into[rest] = into[rest] + coefficient if rest in into else coefficient
    negative = {k: -a for k, a in polynomial.items()}
    below = _upper(negative, even)
    return PolynomialBounds(
        size=_size(polynomial, even, odd),
        upper=_upper(polynomial, even),
        lower=None if below is None else below.scaled(arb(-1)),
        imaginary=_majorant(odd, len(widths)),
    )


def _size(*parts: Polynomial) -> Envelope:
    terms: Polynomial = {}
    count = 0
    for part in parts:
        for powers, a in part.items():
            count = len(powers)
            terms[powers] = terms[powers] + abs(a) if powers in terms else abs(a)
    zeros = (arb(0),) * count
    return Envelope((EnvelopeTerm(terms, zeros, zeros),))


def _majorant(polynomial: Polynomial, count: int) -> Quadratic | None:
    total = Quadratic.of(arb(0), count)
    for powers, a in polynomial.items():
        part = monomial_bound(powers, a)
        if part is None:
            return None
        total = total.plus(part)
    return total


def _upper(real: Polynomial, correction: Polynomial) -> Quadratic | None:
    """A majorant of P(x) + correction(t): signs are kept for constants and even monomials."""
    count = len(next(iter(real)))
    terms: Polynomial = dict(correction)
    for powers, a in real.items():
        signed = a if all(n % 2 == 0 for n in powers) else abs(a)
        terms[powers] = terms[powers] + signed if powers in terms else signed
    if max(map(sum, terms)) > 2:
        if count > 1:
            terms = {p: a for p, a in terms.items() if not (sum(p) > 2 and a <= 0)}
        else:
            return _supremum({p[0]: a for p, a in terms.items()})
    total = Quadratic.of(arb(0), count)
    for powers, a in terms.items():
        if max(powers) == sum(powers):  # one variable or none: the sign may stay
            part = monomial_bound(powers, arb(1))
            part = None if part is None else part.scaled(a)
        else:
            part = monomial_bound(powers, abs(a))
        if part is None:
            return None
        total = total.plus(part)
    return total


def _supremum(coefficients: dict[int, arb]) -> Quadratic | None:
    """sup over t >= 0 of a polynomial of degree above 2, as a constant; None if its leading term is not < 0.

    The constant term where all others are negative; else one that is not below 0.
    Beyond T = 1 + sum |a_n|/|a_top| the polynomial is below 0 or decreasing to it (Cauchy); before, a grid of
    balls is evaluated.
    """
    top = max(coefficients)
    lead = coefficients[top]
    if not lead < 0:
        return None
    if all(a <= 0 for n, a in coefficients.items() if n):
        return Quadratic.of(coefficients.get(0, arb(0)), 1)
    end = 1 + sum((abs(a) for n, a in coefficients.items() if n < top), arb(0)) / -lead
    best = coefficients.get(0, arb(0)).max(arb(0))
    for j in range(_CELLS):
        t = (end * j / _CELLS).union(end * (j + 1) / _CELLS)
        value = arb(0)
        for n in range(top, -1, -1):
            value = value * t + coefficients.get(n, arb(0))
        best = best.max(value.upper())
    return Quadratic.of(best, 1)
