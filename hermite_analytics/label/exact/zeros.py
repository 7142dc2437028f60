"""All real zeros of a function of one variable as exact numbers, or a refusal."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import sympy
from sympy import Dummy, Expr, Mul, Poly, Rational, S, Symbol, exp, log, sqrt

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.clock import check_time
from hermite_analytics.gaussian.distribution import expanded, stays_small
from hermite_analytics.gaussian.factors import factored
from hermite_analytics.gaussian.order import sign_of, sorted_distinct
from hermite_analytics.language import functions as own
from hermite_analytics.language.affine import linear_part
from hermite_analytics.language.bounds import POSITIVE
from hermite_analytics.language.factors import irreducible_factors
from hermite_analytics.language.functions import record_of
from hermite_analytics.language.real_roots import real_roots

__all__ = ["in_elementary_functions", "real_zeros"]

_LARGEST = 300  # operations of an expression that is factored
_MOST_DEGREE = 40


def real_zeros(expr: Expr, z: Symbol) -> list[Expr]:
    """The zeros, in increasing order.

    Complete for products of polynomials (with rational coefficients; with others up to degree 2, in z or in
    a power of z), of polynomials in exponentials of z, and of increasing functions of such.

    Raises
    ------
    UnsupportedExpression
        If the zeros are not found exactly, or there are infinitely many.

    Examples
    --------
    >>> from hermite_analytics.symbols import z
    >>> real_zeros((z**2 - 2 * sympy.log(2)) * (exp(z) - 3) * exp(-(z**2)), z)
    [-sqrt(2)*sqrt(log(2)), log(3), sqrt(2)*sqrt(log(2))]
    """
    return sorted_distinct(_zeros(in_elementary_functions(expr), z))


def in_elementary_functions(expr: Expr) -> Expr:
    """He_k as powers, normal densities as exponentials, distribution functions by erf."""
    return expr.replace(own.He, lambda k, x: own.hermite_polynomial(int(k), x)).replace(
        own.phi, lambda x: exp(-(x**2) / 2) / sqrt(2 * sympy.pi)
    )


def _zeros(expr: Expr, z: Symbol) -> list[Expr]:
    check_time()
    if not expr.has(z):
        if sign_of(expr) == 0:
            raise UnsupportedExpression("the function is 0 everywhere")
        return []
    if expr.is_Mul:
        return [x for factor in expr.args if factor.has(z) for x in _zeros(factor, z)]
    if isinstance(expr, POSITIVE):
        return []
    if record_of(expr).vanishes_at_zero_alone:
        return _zeros(expr.args[0], z)
    if isinstance(expr, log):
        return _zeros(expr.args[0] - 1, z)
    if expr.is_Pow and not expr.exp.has(z):
        return _zeros(expr.base, z) if sign_of(expr.exp) > 0 else []
    rules = (_of_polynomial, _of_exponentials, _of_one_term, _of_factors) if expr == z or expr.is_Add else ()
    return _by_first(rules, expr, z)


def _by_first(
    rules: Sequence[Callable[[Expr, Symbol], list[Expr] | None]], expr: Expr, z: Symbol
) -> list[Expr]:
    for rule in rules:
        found = rule(expr, z)
        if found is not None:
            return found
    raise UnsupportedExpression(f"the zeros of {expr} are not found exactly")


def _of_polynomial(expr: Expr, z: Symbol) -> list[Expr] | None:
    if not expr.is_polynomial(z):
        return None
    poly = Poly(expr, z)
    if poly.degree() > _MOST_DEGREE:
        raise UnsupportedExpression(f"the zeros of polynomials are found up to degree {_MOST_DEGREE}")
    if all(a.is_Rational for a in poly.all_coeffs()):
        parts = [p for p, _ in irreducible_factors(poly)[1]]
        return [x for p in parts for x in (_by_radicals(p) or real_roots(p))]
    return _by_radicals(poly)


def _by_radicals(poly: Poly) -> list[Expr] | None:
    """Zeros of z^m q(z^n) with q of degree 1 or 2; None for other polynomials, [] where there are none."""
    powers = [m[0] for m in poly.monoms()]
    lowest = min(powers)
    step = functools.reduce(sympy.igcd, [p - lowest for p in powers])
    zeros = [S.Zero] if lowest else []
    if step == 0:
        return zeros
    if (max(powers) - lowest) // step > 2:
        return None
    a, b, c = (poly.coeff_monomial(poly.gen ** (lowest + j * step)) for j in (2, 1, 0))
    return zeros + [x for u in _of_quadratic(a, b, c) for x in _roots(u, int(step))]


def _of_quadratic(a: Expr, b: Expr, c: Expr) -> list[Expr]:
    if a == 0:
        return [-c / b]
    discriminant = b**2 - 4 * a * c
    side = sign_of(discriminant)
    if side == 0:
        return [-b / (2 * a)]
    return [(-b + s * sqrt(discriminant)) / (2 * a) for s in (-1, 1)] if side > 0 else []


def _roots(u: Expr, n: int) -> list[Expr]:
    """The real x with x^n = u."""
    side = sign_of(u)
    root = (side * u) ** Rational(1, n)
    if n % 2:
        return [side * root]
    return [] if side < 0 else [-root, root]


def _of_exponentials(expr: Expr, z: Symbol) -> list[Expr] | None:
    """Zeros of a polynomial in exponentials of rational multiples of z."""
    expr = expr.replace(sympy.cosh, lambda x: (exp(x) + exp(-x)) / 2)
    expr = expr.replace(sympy.sinh, lambda x: (exp(x) - exp(-x)) / 2)
    if not any(e.has(z) for e in expr.atoms(exp)) or not stays_small(expr):
        return None
    expr = sympy.powsimp(sympy.expand(expr))
    rates = _rates([e for e in expr.atoms(exp) if e.has(z)], z)
    if not rates:
        return None
    unit = functools.reduce(sympy.gcd, rates.values())
    u = Dummy("u", positive=True)
    lowest = min([S.Zero, *(rate / unit for rate in rates.values())])
    powers = {e: exp(e.args[0].subs(z, 0)) * u ** (rate / unit) for e, rate in rates.items()}
    inner = expanded(expr.xreplace(powers) * u**-lowest)
    if inner.has(z) or not inner.is_polynomial(u):
        return None
    found = _of_polynomial(inner, u)
    return None if found is None else [log(x) / unit for x in found if sign_of(x) > 0]


def _rates(exponentials: Sequence[Expr], z: Symbol) -> dict[Expr, Expr]:
    """a for each exp(a z + b); nothing where one is not of this form with a rational a."""
    linear = {e: linear_part(e.args[0], z) for e in exponentials}
    rates = {e: found[1] for e, found in linear.items() if found is not None and found[1].is_Rational}
    return rates if len(rates) == len(exponentials) else {}


def _of_one_term(expr: Expr, z: Symbol) -> list[Expr] | None:
    """Zeros of a F(h(z)) + b with F strictly increasing, or a power."""
    constant, term = expr.as_independent(z, as_Add=True)
    if term.is_Add:
        return None
    scale, inner = term.as_independent(z, as_Add=False)
    value = -constant / scale
    if isinstance(inner, sympy.Abs):
        levels = _roots(value**2, 2) if sign_of(value) > 0 else [value] if value == 0 else []
        return _at_levels(inner.args[0], levels, z)
    if inner.is_Pow and inner.exp.is_Integer and inner.exp > 0:
        return _at_levels(inner.base, _roots(value, int(inner.exp)), z)
    known = record_of(inner)
    if known.inverse is None:
        return None
    for gap in (value - known.low, known.high - value):
        if not gap.is_infinite and sign_of(gap) <= 0:  # it takes the value nowhere
            return []
    return _zeros(expanded(inner.args[0] - known.inverse(value)), z)


def _at_levels(expr: Expr, levels: Sequence[Expr], z: Symbol) -> list[Expr]:
    return [x for level in levels for x in _zeros(expr - level, z)]


def _of_factors(expr: Expr, z: Symbol) -> list[Expr] | None:
    if sympy.count_ops(expr) > _LARGEST:
        return None
    product = factored(expr)
    split = sum(factor.has(z) for factor in Mul.make_args(product)) > 1
    return _zeros(product, z) if split else None
