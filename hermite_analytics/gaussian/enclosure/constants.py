"""`ball_of`: a rigorous ball of a closed form without free symbols."""

from __future__ import annotations

import functools

import sympy
from flint import acb, arb, fmpz_poly
from sympy import Expr, S

from hermite_analytics.errors import InputError, UnsupportedExpression
from hermite_analytics.gaussian.enclosure.operations import (
    PRINCIPAL,
    REAL,
    Operation,
    imaginary_unit,
    power_operation,
)
from hermite_analytics.gaussian.enclosure.precision import Ball, rational_ball, working_precision
from hermite_analytics.gaussian.enclosure.special import hermite
from hermite_analytics.language import functions as own
from hermite_analytics.language.functions import record_of
from hermite_analytics.language.kinks import JUMPS

__all__ = ["ball_of"]

_GUARD_BITS = 16


@functools.lru_cache(maxsize=8192)
def ball_of(expr: Expr, prec: int) -> arb:
    """A ball that contains the value of a real closed form, computed with `prec` bits.

    Parameters
    ----------
    expr : sympy expression without free symbols
        Rationals, + - * / **, roots, exp, log, trigonometric and hyperbolic functions and their inverses,
        erf, erfc, erfi, gamma, phi, Phi, OwenT, Phi2, He, the activations, sign, step, abs, max, min,
        `re` and `im` of complex parts, and roots of polynomials (`CRootOf`).
    prec : int
        Working precision in bits; the ball is about that accurate, less what the formula cancels.

    Raises
    ------
    UnsupportedExpression
        For anything else (floating-point numbers among it), for a sign that the ball does not decide, and
        where the value is not finite or not real.

    Examples
    --------
    >>> ball_of(sympy.sqrt(2 / sympy.pi), 100).str(20, radius=False)
    '0.79788456080286535588'
    >>> ball_of(own.Phi2(1, -1, sympy.Rational(1, 2)), 100).str(20, radius=False)
    '0.15487295185860278754'
    """
    if not isinstance(prec, int) or prec < 2:
        raise InputError(f"a precision is a number of bits of at least 2, not {prec}")
    if expr.free_symbols:
        names = ", ".join(sorted(str(s) for s in expr.free_symbols))
        raise UnsupportedExpression(f"a ball needs a number; {names} is free in {expr}")
    with working_precision(prec + _GUARD_BITS):
        value = _Evaluation(prec + _GUARD_BITS).real(expr)
    if not value.is_finite():
        raise UnsupportedExpression(f"no finite real ball of {expr} at {prec} bits")
    with working_precision(prec):
        return +value


class _Evaluation:
    """One pass over an expression at the working precision; common parts are evaluated once."""

    def __init__(self, prec: int) -> None:
        self.prec = prec
        self.known: dict[tuple[Expr, bool], Ball] = {}

    def real(self, expr: Expr) -> arb:
        if not expr.has(S.ImaginaryUnit) or isinstance(expr, sympy.re | sympy.im):
            return self._value(expr, False)
        value = self._value(expr, True)  # conjugate terms that add up to a real number
        if not value.imag.contains(0):
            raise UnsupportedExpression(f"no ball of ImaginaryUnit in {expr}: it is not real")
        return value.real

    def _value(self, expr: Expr, is_complex: bool) -> Ball:
        key = (expr, is_complex)
        if key not in self.known:
            self.known[key] = self._fresh(expr, is_complex)
        return self.known[key]

    def _fresh(self, expr: Expr, is_complex: bool) -> Ball:
        real = self._real_number(expr)
        if real is not None:
            return acb(real) if is_complex else real
        if is_complex and expr is S.ImaginaryUnit:
            return imaginary_unit()
        if expr.is_Add or expr.is_Mul:
            return self._chain(expr, is_complex)
        if isinstance(expr, sympy.exp):
            return self._value(expr.args[0], is_complex).exp()
        if expr.is_Pow:
            return self._power(expr, is_complex)
        if isinstance(expr, sympy.CRootOf):
            return _root(expr, is_complex)
        return self._function(expr, is_complex)

    def _real_number(self, expr: Expr) -> arb | None:
        """Of what is real wherever it stands: constants, real and imaginary parts."""
        if expr.is_Rational:
            return rational_ball(expr)
        if expr is S.Pi:
            return arb.pi()
        if expr is S.Exp1:
            return arb.const_e()
        if expr is S.EulerGamma:
            return arb.const_euler()
        if isinstance(expr, sympy.re | sympy.im):
            inner = self._value(expr.args[0], True)
            return inner.real if isinstance(expr, sympy.re) else inner.imag
        return None

    def _chain(self, expr: Expr, is_complex: bool) -> Ball:
        values = [self._value(a, is_complex) for a in expr.args]
        total = values[0]
        for value in values[1:]:
            total = total + value if expr.is_Add else total * value
        return total

    def _power(self, expr: Expr, is_complex: bool) -> Ball:
        base = self._value(expr.base, is_complex)
        table = PRINCIPAL if is_complex else REAL
        return power_operation(expr.exp, table, lambda e: self._value(e, is_complex))(base)

    def _function(self, expr: Expr, is_complex: bool) -> Ball:
        if isinstance(expr, own.He) and expr.args[0].is_Integer:
            return hermite(int(expr.args[0]), self._value(expr.args[1], is_complex))
        table: dict[type[Expr], Operation] = PRINCIPAL if is_complex else REAL
        operation = table.get(expr.func)
        definition = record_of(expr).definition
        if operation is None and definition is not None:
            return self._value(definition(*expr.args), is_complex)
        if operation is None:
            if is_complex and expr.is_extended_real:
                return acb(self._value(expr, False))
            raise UnsupportedExpression(f"no ball of {type(expr).__name__} in {expr}")
        values = [self._value(a, is_complex) for a in expr.args]
        if isinstance(expr, JUMPS) and not (values[0] == 0 or values[0] > 0 or values[0] < 0):
            raise UnsupportedExpression(f"the sign of {expr.args[0]} is not decided at {self.prec} bits")
        if isinstance(expr, sympy.Max | sympy.Min):
            return functools.reduce(operation, values)
        return operation(*values)


def _root(expr: Expr, is_complex: bool) -> Ball:
    """The ball of sympy's root number `index`; real roots come first there, in increasing order."""
    poly = expr.poly
    if not all(a.is_Integer for a in poly.all_coeffs()):
        raise UnsupportedExpression(f"no ball of {expr}: its polynomial needs integer coefficients")
    balls = [b for b, _ in fmpz_poly([int(a) for a in reversed(poly.all_coeffs())]).complex_roots()]
    reals = sorted((b.real for b in balls if b.imag == 0), key=lambda b: b.mid())
    if expr.is_real:
        return acb(reals[expr.index]) if is_complex else reals[expr.index]
    if not is_complex:
        raise UnsupportedExpression(f"{expr} is not real; take re or im of it")
    return _nearest(balls, expr)


def _nearest(balls: list[acb], expr: Expr) -> acb:
    """The ball inside the rectangle that isolates a complex root, refined until it meets one ball only."""
    interval = expr._get_interval()
    for _ in range(200):
        box = acb(
            rational_ball(sympy.sympify(interval.ax, strict=True)).union(
                rational_ball(sympy.sympify(interval.bx, strict=True))
            ),
            rational_ball(sympy.sympify(interval.ay, strict=True)).union(
                rational_ball(sympy.sympify(interval.by, strict=True))
            ),
        )
        met = [b for b in balls if b.overlaps(box)]
        if len(met) == 1:
            return met[0]
        interval = interval.refine()
    raise UnsupportedExpression(f"the root {expr} could not be told from its neighbours")
