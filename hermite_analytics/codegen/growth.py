"""How far from the real axis an integrand stays of moderate size.

The step of the trapezoidal rule follows from the strip in which the integrand is analytic and moderate
(`scalar_quadrature.step_lines`). Waves are analytic everywhere, so they limit the strip by their growth like
exp(slope |Im z|); a function of a wave (exp(sin(z))) grows like an exponential of an exponential. Error
functions and Gaussians grow like exp(b (Im z)^2), which counts wherever something else limits the strip: the
size at the edge of the strip has to be the one that the difference of two steps shows.

A wave of what grows faster than a square (sin(exp(z)), cos(z^4)) is of no moderate size in any strip: the
trapezoidal rule then gains little from a smaller step, and its changes say little of its error. Such an
integrand takes panels.
"""

from __future__ import annotations

import sympy
from sympy import Abs, Expr, S, Symbol

from hermite_analytics.gaussian.breakpoints import breakpoints
from hermite_analytics.language.bounds import bounds
from hermite_analytics.language.functions import functions_where, record_of
from hermite_analytics.language.functions.hermite import He
from hermite_analytics.language.functions.record import Growth

__all__ = ["moderate_half_width", "outgrows_every_strip", "panel_ends"]

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


def panel_ends(integrand: Expr, variable: Symbol) -> list[Expr]:
    """Ends of the panels that it takes, none where the trapezoidal rule serves.

    Examples
    --------
    >>> from hermite_analytics.symbols import z
    >>> panel_ends(sympy.Abs(z - 1), z), panel_ends(sympy.sin(z), z), panel_ends(sympy.sin(z**3), z)
    ([1], [], [0])
    """
    kinks = breakpoints(integrand, variable)
    return kinks or ([S.Zero] if outgrows_every_strip(integrand, variable) else [])


def outgrows_every_strip(integrand: Expr, variable: Symbol) -> bool:
    """Whether a wave in the integrand turns faster and faster, so that no strip holds it at a moderate size.

    exp(i p(x + i y)) is of the size exp(-y p'(x)), which the Gaussian weight bounds where p' grows no faster
    than x.

    Examples
    --------
    >>> from hermite_analytics.symbols import z
    >>> outgrows_every_strip(sympy.sin(sympy.exp(z)), z), outgrows_every_strip(sympy.sin(z**2), z)
    (True, False)
    """
    return any(_order(wave.args[0], variable) > 2 for wave in integrand.atoms(*_WAVES))


def _order(expr: Expr, z: Symbol) -> Expr:
    """A k with |expr| <= C |z|^k far out on the line; infinity where none is known."""
    if z not in expr.free_symbols or all(b.is_finite for b in bounds(expr)):
        return S.Zero
    if expr == z:
        return S.One
    if isinstance(expr, He):
        return expr.args[0] * _order(expr.args[1], z)
    if expr.is_Pow:
        return _order_of_power(expr, z)
    inner = [_order(a, z) for a in expr.args]
    if isinstance(expr, sympy.log):
        return S.Infinity if inner[0] is S.Infinity else S.One
    return sympy.Add(*inner) if expr.is_Mul else _order_by_record(expr, inner)


def _order_of_power(power: Expr, z: Symbol) -> Expr:
    if power.base.is_polynomial(z) and power.exp.is_negative:
        return S.Zero
    return power.exp * _order(power.base, z) if power.exp.is_nonnegative else S.Infinity


def _order_by_record(expr: Expr, inner: list[Expr]) -> Expr:
    growth = Growth.LINEAR if expr.is_Add else record_of(expr).growth
    if growth is Growth.LINEAR:
        return sympy.Max(*inner)
    return S.Zero if growth is Growth.BOUNDED else S.Infinity


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
