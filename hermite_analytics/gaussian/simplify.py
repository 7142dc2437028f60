"""From the raw output of the rules to a form that a person would write.

Terms are grouped by their transcendental factors (Phi, phi, T, exp, sin, ...) and the algebraic
coefficient of each group is cancelled. Only routines of bounded cost are used: sympy's `simplify`
never sees an expression here.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction

import sympy
from sympy import Expr, Rational, S, Symbol, pi, sqrt
from sympy.simplify.fu import TR8

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.clock import check_time
from hermite_analytics.gaussian.polish import polished
from hermite_analytics.language.functions import Phi, phi

__all__ = ["plain_densities", "tidy"]

_MAX_OPERATIONS = 400
_MAX_OPERATIONS_OF_NUMBERS = 3000  # nothing is cancelled there
_TRANSCENDENTAL = (sympy.Function, sympy.exp)
_ANGLES = (sympy.asin, sympy.acos, sympy.atan)
_LARGEST_DENOMINATOR = 5000
_BITS, _DIGITS, _SAME = 160, 40, Fraction(1, 10**30)


def tidy(expr: Expr, *, prefer_erf: bool = False, prefer_exp: bool = False) -> Expr:
    """Collect and cancel; `prefer_erf` writes Phi through erf, `prefer_exp` phi through exp."""
    if prefer_erf:
        expr = expr.replace(Phi, lambda x: (1 + sympy.erf(x / sqrt(2))) / 2)
    if prefer_exp and not expr.has(sympy.Abs):
        expr = expr.replace(phi, _by_exp)
    if _is_large(expr):
        return expr
    if expr.is_number and expr.has(*_ANGLES):
        rational = _rational_value(expr)
        if rational is not None:
            return rational
    found = polished(_collected(expr))
    if found.has(sympy.sin, sympy.cos) and not found.is_number:
        linear = polished(_collected(TR8(found)))  # products of waves as sums
        found = min(found, linear, key=sympy.count_ops)
    return found


def plain_densities(number: Expr) -> Expr:
    """phi written through exp in a number where the factors 1/sqrt(2 pi) cancel.

    Examples
    --------
    >>> plain_densities(1 - sqrt(2 * pi) * phi(1)), plain_densities(2 * phi(1))
    (1 - exp(-1/2), 2*phi(1))
    """
    if not (number.has(phi) and number.has(pi)):
        return number
    plain = sympy.expand(number.replace(phi, _by_exp))
    return number if plain.has(pi) else plain


def _by_exp(x: Expr) -> Expr:
    return sympy.exp(-(x**2) / 2) / sqrt(2 * pi)


def _collected(expr: Expr) -> Expr:
    """Terms grouped by their transcendental factors, the coefficient of each group cancelled."""
    groups: dict[Expr, list[Expr]] = {}
    for term in _products(expr):
        generator, exponent, coefficient = S.One, S.Zero, S.One
        for factor in sympy.Mul.make_args(term):
            base, power = factor.as_base_exp() if not isinstance(factor, sympy.exp) else (factor, S.One)
            if isinstance(base, sympy.exp) and not base.is_number:
                exponent += power * base.args[0]
            elif isinstance(base, _TRANSCENDENTAL) and not base.is_number:
                generator *= factor
            else:
                coefficient *= factor
        if exponent != 0:
            generator *= sympy.exp(sympy.cancel(exponent))
        groups.setdefault(generator, []).append(coefficient)
    return sympy.Add(*(g * _coefficient(sympy.Add(*parts)) for g, parts in groups.items()))


def _rational_value(expr: Expr) -> Expr | None:
    """The rational number that a combination of angles is, proved; None if it is none."""
    from hermite_analytics.gaussian.enclosure.constants import ball_of
    from hermite_analytics.gaussian.zero import decide_constant

    check_time()
    try:
        ball = ball_of(expr, _BITS)
    except UnsupportedExpression:
        return None
    if not ball.is_finite():
        return None
    value = Fraction(ball.str(_DIGITS, radius=False))
    guess = value.limit_denominator(_LARGEST_DENOMINATOR)
    if abs(guess - value) > _SAME:
        return None
    rational = Rational(guess.numerator, guess.denominator)
    return rational if decide_constant(expr - rational).zero else None


def _is_large(expr: Expr) -> bool:
    """Whether collecting would take long; a huge expression is not walked to its end."""
    most = _MAX_OPERATIONS_OF_NUMBERS if expr.is_number else _MAX_OPERATIONS
    nodes = itertools.islice(sympy.preorder_traversal(expr), 8 * most + 1)
    return (
        sum(1 for _ in nodes) > 8 * most or sympy.count_ops(expr) > most or _number_of_products(expr) > most
    )


def _number_of_products(expr: Expr) -> int:
    """How many terms `_products` gives."""
    if expr.is_Add:
        return sum(_number_of_products(a) for a in expr.args)
    if expr.is_Mul:
        return math.prod(_number_of_products(a) for a in expr.args)
    power = expr.is_Pow and expr.base.is_Add and expr.exp.is_Integer and expr.exp > 0
    return int(_number_of_products(expr.base) ** min(expr.exp, _MAX_OPERATIONS)) if power else 1


def _products(expr: Expr) -> list[Expr]:
    """The terms of the expanded numerator; denominators are left alone."""
    if expr.is_Add:
        return [term for a in expr.args for term in _products(a)]
    if expr.is_Mul:
        terms = [S.One]
        for factor in expr.args:
            choices = _products(factor)
            terms = [t * choice for t in terms for choice in choices]
        return terms
    if expr.is_Pow and expr.base.is_Add and expr.exp.is_Integer and expr.exp > 0:
        return _products(sympy.Mul(*([expr.base] * int(expr.exp)), evaluate=False))
    return [expr]


def _coefficient(expr: Expr) -> Expr:
    """Cancel an algebraic coefficient and keep the shortest of its forms."""
    check_time()
    if expr.is_number or not expr.is_Add:
        return sympy.powsimp(expr)
    return min((expr, *_cancelled(expr)), key=sympy.count_ops)


def _cancelled(expr: Expr) -> Iterator[Expr]:
    """Forms of a sum: with s = sqrt(base) for each radical, cancelling is polynomial arithmetic."""
    bases = {p.base for p in expr.atoms(sympy.Pow) if _is_radical(p) and p.base.free_symbols}
    roots = {base: sympy.Dummy(positive=True) for base in bases}
    back = {root: sqrt(base) for base, root in roots.items()}
    plain = _with_letters(expr, roots)
    cancelled = sympy.cancel(plain)
    yield sympy.factor(cancelled).xreplace(back)
    if len(bases) > 1 or all(base.is_Symbol for base in bases):
        return
    ((base, root),) = roots.items()
    numerator, denominator = sympy.fraction(cancelled)
    if numerator.is_polynomial(root):  # not where it stands inside another function
        # even powers of the radical are polynomials of its base
        reduced = sympy.rem(numerator, root**2 - base, root)
        yield sympy.factor(sympy.cancel(reduced / denominator)).xreplace(back)
    symbol, *others = base.free_symbols
    slope = base.diff(symbol)
    if not others and not slope.free_symbols:
        # base = u + v c: write c through s as well, then everything is in s
        inner = plain.xreplace({symbol: (root**2 - base.subs(symbol, 0)) / slope})
        yield sympy.factor(sympy.cancel(inner)).xreplace(back)


def _is_radical(power: Expr) -> bool:
    return bool(power.exp.is_Rational and not power.exp.is_Integer)


def _with_letters(expr: Expr, roots: dict[Expr, Symbol]) -> Expr:
    """Powers of the radicands, and radicands that are symbols, through the letters of their roots."""

    def halved(p: Expr) -> bool:
        return bool(p.is_Pow and p.base in roots and (2 * p.exp).is_Integer)

    plain = expr.replace(halved, lambda p: roots[p.base] ** (2 * p.exp))
    return plain.xreplace({base: root**2 for base, root in roots.items() if base.is_Symbol})
