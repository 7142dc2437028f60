"""How fast an expression of one variable grows, to decide whether its moments exist.

Growth is measured by the coefficient q of z^2 in log|f|: E|f|^n is finite if n q < 1/2 and infinite if
n q > 1/2 (for q = 1/2 the rest of f decides, and nothing is claimed). On each side of the real line
the answer is an upper bound of q, and whether it is attained.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy
from sympy import Expr, S, Symbol

from hermite_analytics.language import functions as own
from hermite_analytics.language.bounds import bounds, is_shown_positive

__all__ = ["Growth", "growth", "moment_is_finite", "verdict"]

_BOUNDED = (
    *(sympy.sin, sympy.cos, sympy.tanh, sympy.erf, sympy.erfc, sympy.sign),
    *(own.step, own.Phi, own.phi, own.sigmoid),
)
_LINEAR = (sympy.Abs, own.relu, own.leaky_relu, own.softplus, own.silu, own.gelu)


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """Upper bound of the coefficient of z^2 in log|f| as z -> side * infinity.

    `rate` may be infinite; `attained` says that the bound is the true growth.
    """

    rate: Expr
    attained: bool


_NONE = Growth(rate=S.Zero, attained=True)


def growth(expr: Expr, z: Symbol, side: int) -> Growth:
    """Growth of `expr` for z -> +infinity (side = 1) or -infinity (side = -1)."""
    if not expr.has(z) or expr == z:
        return _NONE
    if expr.is_Add:
        parts = [growth(a, z, side) for a in expr.args]
        rate = sympy.Max(*(p.rate for p in parts))
        leaders = [p for p in parts if p.rate == rate]
        # equal rates may cancel, unless the common rate is zero, which excludes nothing
        return Growth(rate=rate, attained=rate == 0 or (len(leaders) == 1 and leaders[0].attained))
    if expr.is_Mul:
        parts = [growth(a, z, side) for a in expr.args]
        if any(p.rate is S.Infinity for p in parts) and any(p.rate is S.NegativeInfinity for p in parts):
            return Growth(rate=S.Infinity, attained=False)
        return Growth(rate=sympy.Add(*(p.rate for p in parts)), attained=all(p.attained for p in parts))
    if isinstance(expr, sympy.exp):
        return _exponential(expr.args[0], z, side)
    if isinstance(expr, sympy.sinh | sympy.cosh):
        ends = [_exponential(s * expr.args[0], z, side) for s in (1, -1)]
        rate = sympy.Max(ends[0].rate, ends[1].rate)
        return Growth(rate=rate, attained=all(e.attained for e in ends))
    if isinstance(expr, own.phi):
        return _exponential(-(expr.args[0] ** 2) / 2, z, side)
    if expr.is_Pow:
        return _power(expr, z, side)
    if isinstance(expr, _BOUNDED):
        return Growth(rate=S.Zero, attained=False)
    if isinstance(expr, own.He):
        inner = growth(expr.args[1], z, side)
        return Growth(rate=expr.args[0] * inner.rate, attained=inner.attained)
    if isinstance(expr, (*_LINEAR, sympy.Max, sympy.Min)):
        parts = [growth(a, z, side) for a in expr.args]
        return Growth(rate=sympy.Max(S.Zero, *(p.rate for p in parts)), attained=isinstance(expr, sympy.Abs))
    if isinstance(expr, sympy.log):
        inner = growth(expr.args[0], z, side)
        finite = inner.rate.is_finite
        return Growth(rate=S.Zero if finite else S.Infinity, attained=False)
    return Growth(rate=S.Infinity, attained=False)


def _exponential(argument: Expr, z: Symbol, side: int) -> Growth:
    try:
        poly = sympy.Poly(argument, z)
    except sympy.PolynomialError:
        return _exponential_of_function(argument, z, side)
    if any(a.has(z) for a in poly.all_coeffs()):
        return _exponential_of_function(argument, z, side)
    if poly.degree() <= 2:
        return Growth(rate=poly.coeff_monomial(z**2), attained=True)
    leading = poly.LC() * side ** poly.degree()
    return Growth(rate=S.Infinity if leading > 0 else S.NegativeInfinity, attained=True)


def _exponential_of_function(argument: Expr, z: Symbol, side: int) -> Growth:
    """exp of a polynomial plus functions of at most linear size."""
    parts = [p for p in sympy.Add.make_args(argument) if not _is_at_most_linear(p, z)]
    if any(not p.is_polynomial(z) for p in parts):
        return _super_exponential(argument, z, side)
    return _exponential(sympy.Add(*parts), z, side)


def _super_exponential(argument: Expr, z: Symbol, side: int) -> Growth:
    """exp(g) where g itself grows like an exponential: infinite if g > 0 is shown."""
    if bounds(argument)[1].is_finite:
        return Growth(rate=S.Zero, attained=False)
    inner = growth(argument, z, side)
    attained = inner.attained and (inner.rate.is_positive or argument.has(sympy.exp, sympy.cosh))
    return Growth(rate=S.Infinity, attained=bool(attained and is_shown_positive(argument)))


def _is_at_most_linear(expr: Expr, z: Symbol) -> bool:
    if not expr.has(z) or isinstance(expr, _BOUNDED):
        return True
    if expr.is_Mul:
        _, rest = expr.as_independent(z)
        return not rest.is_Mul and rest != expr and _is_at_most_linear(rest, z)
    if isinstance(expr, _LINEAR):
        return sympy.Poly(expr.args[0], z).degree() <= 1 if expr.args[0].is_polynomial(z) else False
    if isinstance(expr, sympy.Max | sympy.Min):
        return all(a.is_polynomial(z) and sympy.Poly(a, z).degree() <= 1 for a in expr.args)
    return bool(expr.is_polynomial(z) and sympy.Poly(expr, z).degree() <= 1)


def _power(expr: Expr, z: Symbol, side: int) -> Growth:
    exponent = expr.exp
    if exponent.is_number and exponent > 0:
        inner = growth(expr.base, z, side)
        return Growth(rate=exponent * inner.rate, attained=inner.attained)
    if exponent.is_number:
        # 1/g with g >= constant > 0 is bounded
        low = bounds(expr.base)[0]
        if low.is_extended_positive or (expr.base.is_positive and expr.base.is_polynomial(z)):
            return Growth(rate=S.Zero, attained=False)
    return Growth(rate=S.Infinity, attained=False)


def moment_is_finite(expr: Expr, z: Symbol, order: int) -> bool | None:
    """Whether E|expr|^order is finite for z ~ N(0, 1): True, False, or None if it is not decided.

    Examples
    --------
    >>> from hermite_analytics.symbols import z
    >>> [moment_is_finite(sympy.exp(z**2 / 4), z, order) for order in (1, 2)]
    [True, False]
    """
    try:
        return _moment_is_finite(expr, z, order)
    except (TypeError, ValueError):  # constants that sympy cannot order
        return None


def _moment_is_finite(expr: Expr, z: Symbol, order: int) -> bool | None:
    verdicts: list[bool | None] = []
    for side in (1, -1):
        found = growth(expr, z, side)
        rate = order * found.rate
        if rate < S.Half:
            verdicts.append(True)
        elif (rate > S.Half and found.attained) or (
            rate == S.Half and found.attained and _only_weight_grows(expr, z)
        ):
            return False
        else:
            verdicts.append(None)
    return True if all(verdicts) else None


def verdict(finite: bool | None) -> str:
    """How an error says that a moment does not exist."""
    return "is infinite" if finite is False else "cannot be shown to be finite"


def _only_weight_grows(expr: Expr, z: Symbol) -> bool:
    """f = polynomial * exp(q z^2 + linear): at the critical q the integral of |f|^n diverges."""
    factors = sympy.Mul.make_args(expr)
    return all(
        f.is_polynomial(z) or (isinstance(f, sympy.exp) and f.args[0].is_polynomial(z)) for f in factors
    )
