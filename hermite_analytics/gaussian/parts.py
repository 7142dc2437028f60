"""Real and imaginary parts of the closed forms that a complex shift gives."""

from __future__ import annotations

import sympy
from sympy import Expr, I, S, cos, erfc, erfi, exp, sin, sqrt

from hermite_analytics.foundation.clock import check_time
from hermite_analytics.gaussian.reals import NoClosedForm, sign_of
from hermite_analytics.language.functions import phi

__all__ = ["real_part"]

Pair = tuple[Expr, Expr]


def real_part(expr: Expr) -> Expr:
    """Real part of an expression whose symbols are all real."""
    return _parts(expr)[0]


def _parts(expr: Expr) -> Pair:
    if not expr.has(I):
        return expr, S.Zero
    if expr is I:
        return S.Zero, S.One
    if expr.is_Add:
        pairs = [_parts(a) for a in expr.args]
        return sympy.Add(*(p[0] for p in pairs)), sympy.Add(*(p[1] for p in pairs))
    if expr.is_Mul:
        result = (S.One, S.Zero)
        for factor in expr.args:
            result = _times(result, _parts(factor))
        return result
    if isinstance(expr, exp):
        return _exponential(expr.args[0])
    if isinstance(expr, phi):
        real, imaginary = _exponential(-(expr.args[0] ** 2) / 2)
        return real / sqrt(2 * sympy.pi), imaginary / sqrt(2 * sympy.pi)
    if expr.is_Pow and expr.exp.is_Integer:
        return _power(_parts(expr.base), int(expr.exp))
    if isinstance(expr, erfc):
        return _complementary_error(expr.args[0])
    return sympy.re(expr), sympy.im(expr)


def _times(a: Pair, b: Pair) -> Pair:
    check_time()
    return a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]


def _power(base: Pair, exponent: int) -> Pair:
    if exponent < 0:
        size = base[0] ** 2 + base[1] ** 2
        base, exponent = (base[0] / size, -base[1] / size), -exponent
    result = (S.One, S.Zero)
    for _ in range(exponent):
        result = _times(result, base)
    return result


def _exponential(argument: Expr) -> Pair:
    real, imaginary = _parts(sympy.expand(argument))
    size = exp(real)
    return size * cos(imaginary), size * sin(imaginary)


def _complementary_error(argument: Expr) -> Pair:
    real, imaginary = _parts(sympy.expand(argument))
    if real == 0:  # erfc(i y) = 1 - i erfi(y)
        return S.One, -erfi(imaginary)
    if argument.free_symbols:
        raise NoClosedForm("erfc of a complex number with parameters")
    if sign_of(imaginary) == -1:  # erfc of the conjugate is the conjugate
        conjugate = _complementary_error(real - I * imaginary)
        return conjugate[0], -conjugate[1]
    if sign_of(real) == -1:  # erfc(w) = 2 - erfc(-w)
        opposite = _complementary_error(-real - I * imaginary)
        return 2 - opposite[0], -opposite[1]
    whole = erfc(real + I * imaginary)  # sympy would write its parts by both conjugates
    return sympy.re(whole, evaluate=False), sympy.im(whole, evaluate=False)
