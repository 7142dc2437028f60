"""How far from the real axis an integrand stays of moderate size: waves grow there like exp(slope |Im z|).

The step of the trapezoidal rule follows from the strip in which the integrand is analytic and moderate
(`scalar_quadrature.step_lines`). Waves are analytic everywhere, so they limit the strip by their growth; a
function of a wave (exp(sin(z))) grows like an exponential of an exponential.
"""

from __future__ import annotations

import sympy
from sympy import Abs, Expr, S, Symbol

__all__ = ["moderate_half_width"]

_LOG_SIZE = 8  # exp(8) is moderate
_OUTER = 4  # exp(sinh(8/4)) is
_LEAST = sympy.Rational(1, 1000)  # keeps slopes of zero out of denominators


def moderate_half_width(integrand: Expr, variable: Symbol) -> Expr:
    """Half-width of the strip where waves in the integrand are moderate; infinity if there are none.

    Examples
    --------
    >>> from hermite_analytics.symbols import z
    >>> moderate_half_width(sympy.sin(5 * z) * sympy.exp(z), z)
    8000/5001
    """
    growth = _growth(integrand, variable)
    return S.Infinity if growth == 0 else _LOG_SIZE / (growth + _LEAST)


def _growth(expr: Expr, z: Symbol) -> Expr:
    """The slope a in |expr| <= exp(a |Im z|) up to moderate factors; 0 without waves."""
    if not expr.has(sympy.sin, sympy.cos) or z not in expr.free_symbols:
        return S.Zero
    inner = [_growth(a, z) for a in expr.args]
    if isinstance(expr, sympy.sin | sympy.cos):
        slope = expr.args[0].diff(z)
        return Abs(slope.subs(z, 0)) + _OUTER * sympy.Add(*inner) if z not in slope.free_symbols else _OUTER
    if expr.is_Add:
        return sympy.Max(*inner)
    if expr.is_Mul:
        return sympy.Add(*inner)
    if expr.is_Pow and expr.exp.is_Integer and expr.exp > 0:
        return expr.exp * inner[0]
    return _OUTER * sympy.Add(*inner)
