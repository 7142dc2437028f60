"""How far from the real axis an integrand stays of moderate size.

The step of the trapezoidal rule follows from the strip in which the integrand is analytic and moderate
(`scalar_quadrature.step_lines`). Waves are analytic everywhere, so they limit the strip by their growth like
exp(slope |Im z|); a function of a wave (exp(sin(z))) grows like an exponential of an exponential. Error
functions and Gaussians grow like exp(b (Im z)^2), which counts wherever something else limits the strip: the
size at the edge of the strip has to be the one that the difference of two steps shows.
"""

from __future__ import annotations

import sympy
from sympy import Abs, Expr, S, Symbol

from hermite_analytics.language.functions import functions_where, record_of

__all__ = ["moderate_half_width"]

_LOG_SIZE = 8  # exp(8) is moderate
_OUTER = 4  # exp(sinh(8/4)) is
_LEAST = sympy.Rational(1, 1000)  # keeps slopes of zero out of denominators
_WAVES = functions_where(lambda r: r.is_wave)


def moderate_half_width(integrand: Expr, variable: Symbol, *, is_limited: bool = False) -> Expr:
    """Half-width of the strip where the integrand is moderate; infinity where only the Gaussian limits it.

    With the growth exp(a |y| + b y^2) it is 8/(a + sqrt(8 b)), at which a y + b y^2 <= 8.

    Parameters
    ----------
    integrand : sympy expression
    variable : Symbol
    is_limited : bool
        Whether a singularity limits the strip anyhow.

    Examples
    --------
    >>> from hermite_analytics.symbols import z
    >>> moderate_half_width(sympy.sin(5 * z) * sympy.exp(z), z)
    8000/5001
    >>> moderate_half_width(sympy.erf(z), z), moderate_half_width(sympy.erf(z) ** 2, z, is_limited=True)
    (oo, 8000/4001)
    """
    growth = _growth(integrand, variable)
    if growth == 0 and not is_limited:
        return S.Infinity
    growth += sympy.sqrt(_LOG_SIZE * _gaussian_growth(integrand, variable))
    return S.Infinity if growth == 0 else _LOG_SIZE / (growth + _LEAST)


def _growth(expr: Expr, z: Symbol) -> Expr:
    """The slope a in |expr| <= exp(a |Im z|) up to moderate factors; 0 without waves."""
    if not expr.has(*_WAVES) or z not in expr.free_symbols:
        return S.Zero
    inner = [_growth(a, z) for a in expr.args]
    if isinstance(expr, _WAVES):
        slope = expr.args[0].diff(z)
        return Abs(slope.subs(z, 0)) + _OUTER * sympy.Add(*inner) if z not in slope.free_symbols else _OUTER
    if expr.is_Add:
        return sympy.Max(*inner)
    if expr.is_Mul:
        return sympy.Add(*inner)
    if expr.is_Pow and expr.exp.is_Integer and expr.exp > 0:
        return expr.exp * inner[0]
    return _OUTER * sympy.Add(*inner)


def _gaussian_growth(expr: Expr, z: Symbol) -> Expr:
    """The b in |expr| <= exp(b (Im z)^2) up to moderate factors."""
    if z not in expr.free_symbols:
        return S.Zero
    if isinstance(expr, sympy.exp) and expr.args[0].is_polynomial(z):
        return sympy.Max(0, -expr.args[0].diff(z, 2).subs(z, 0) / 2)
    rate = record_of(expr).gaussian_growth
    if rate != 0:
        return rate * expr.args[0].diff(z).subs(z, 0) ** 2
    inner = [_gaussian_growth(a, z) for a in expr.args]
    if expr.is_Mul:
        return sympy.Add(*inner)
    if expr.is_Pow and expr.exp.is_Integer and expr.exp > 0:
        return expr.exp * inner[0]
    return sympy.Max(0, *inner)
