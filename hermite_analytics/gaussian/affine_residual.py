"""mu0, mu1 and mu2_squared in forms that keep their digits in floating point.

    mu2_squared = E f(x)^2 - mu0^2 - s^2 mu1^2,   x = m + s z,

is the same for f and for f plus an affine function. Where f is nearly affine on the scale of the law the
formula cancels; here f is first moved by an affine function that makes its terms small:

* with closed forms: by the asymptote of f on the left, evaluated at -|m| where f'' has a parity;
* without: by the tangent at m, where f has one everywhere.

What still cancels falls back on the integral of `residual`, or on the mean of the squared residual.
"""

from __future__ import annotations

from collections.abc import Mapping

import sympy
from sympy import Abs, Expr, S, Symbol

from hermite_analytics.gaussian.breakpoints import sharp_points
from hermite_analytics.gaussian.differentiation import derivative_between_jumps
from hermite_analytics.gaussian.node import GaussianExpectation
from hermite_analytics.gaussian.residual import Guarded, residual_integral
from hermite_analytics.language import functions as own
from hermite_analytics.language.functions import record_of
from hermite_analytics.language.shape import has_symmetric_bend

__all__ = ["left_asymptote", "stable_coefficients"]

_CANCELLING = (GaussianExpectation, sympy.exp, sympy.erf, Abs, own.Phi, own.phi, own.OwenT, own.Phi2)


def stable_coefficients(
    coefficients: Mapping[str, Expr], f: Expr, z: Symbol, mean: Expr, scale: Expr
) -> dict[str, Expr]:
    """The coefficients of f(mean + scale z), mu2_squared guarded.

    Parameters
    ----------
    coefficients : mapping
        mu0, mu1, mu2_squared.
    f : sympy expression in z
    mean, scale : sympy expressions
        scale > 0.
    """
    found = dict(coefficients)
    residual = found["mu2_squared"]
    if not residual.has(*_CANCELLING):  # a polynomial: rounding may make it negative, nothing else is lost
        if not residual.is_nonnegative:
            found["mu2_squared"] = sympy.Max(residual, 0, evaluate=False)
        return found
    if found["mu2_squared"].has(GaussianExpectation):
        value, slope = _tangent(f, z, mean)
        bend = f.subs(z, mean + scale * z) - (value + slope * scale * z)
        average = GaussianExpectation(bend, z)
        found["mu0"] = value + average
        rest = scale * (found["mu1"] - slope)  # E[z bend], by Stein's identity
        difference = GaussianExpectation(bend**2, z) - average**2 - rest**2
    else:
        difference = _closed_difference(f, z, mean, scale) or found["mu2_squared"]
        found["mu0"], found["mu1"] = (_shared(found[k], difference, mean) for k in ("mu0", "mu1"))
    stable = residual_integral(f, z, mean, scale)
    if stable is None:
        left = f.subs(z, mean + scale * z) - coefficients["mu0"] - scale * coefficients["mu1"] * z
        stable = GaussianExpectation(left**2, z)
    found["mu2_squared"] = Guarded(difference, _size(difference), stable)
    return found


def _tangent(f: Expr, z: Symbol, mean: Expr) -> tuple[Expr, Expr]:
    """Value and slope of f there; zeros where they are infinite somewhere, as those of log|z| at 0."""
    slope = derivative_between_jumps(f, z)
    if any(g.subs(z, place).is_finite is not True for place in sharp_points(f, z) for g in (f, slope)):
        return S.Zero, S.Zero
    return f.subs(z, mean), slope.subs(z, mean)


def left_asymptote(f: Expr, z: Symbol) -> Expr | None:
    """The affine function that f approaches as z -> -infinity; None if it is not read off.

    Examples
    --------
    >>> from hermite_analytics.language.functions import gelu
    >>> from hermite_analytics.symbols import z
    >>> left_asymptote(sympy.erf(2 * z) + 3 * gelu(-z), z)
    -3*z - 1
    """

    def limit(node: Expr) -> Expr:
        u = node.args[0]
        slope = u.diff(z)
        ends = record_of(node).asymptotes
        if slope.has(z) or not slope.is_nonzero or ends is None:
            return node
        return S.Zero + ends[0 if slope.is_positive else 1](*node.args)

    found = f.replace(lambda e: record_of(e).asymptotes is not None and e.has(z), limit)
    found = sympy.expand(found)
    return found if found.is_polynomial(z) and sympy.degree(found, z) <= 1 else None


def _closed_difference(f: Expr, z: Symbol, mean: Expr, scale: Expr) -> Expr | None:
    """The difference for f minus its asymptote on the left, at -|mean| if that gives the same."""
    line = left_asymptote(f, z)
    if line is None:
        return None
    m, s = Symbol("m", real=True), Symbol("s", positive=True)
    difference = _difference((f - line).subs(z, m + s * z), z)
    if difference.has(GaussianExpectation):
        return None
    if not has_symmetric_bend(f, z):
        return difference.subs({m: mean, s: scale}, simultaneous=True)
    mirrored = difference.subs({m: -Abs(mean), s: scale}, simultaneous=True)
    mirrored = mirrored.replace(own.phi, lambda x: own.phi(_signed(x, mean)))  # phi is even
    if mirrored.has(sympy.erf):  # of positive arguments: the small tail instead of a number near 1
        mirrored = mirrored.replace(sympy.erf, lambda x: 1 - sympy.erfc(x))
    return mirrored


def _signed(x: Expr, mean: Expr) -> Expr:
    """x with mean for |mean|, where x is a multiple of it."""
    plain = x.xreplace({Abs(mean): mean})
    return x if (x / Abs(mean)).has(Abs(mean)) else plain


def _shared(expr: Expr, difference: Expr, mean: Expr) -> Expr:
    """`expr` through the values of Phi that the difference has: Phi(x) is Phi(-|x|) or one minus it."""
    known = difference.atoms(own.Phi)
    swaps = {}
    for node in expr.atoms(own.Phi):
        small = own.Phi(node.args[0].xreplace({mean: -Abs(mean)}).subs(mean, -Abs(mean)))
        if small in known and small != node:
            swaps[node] = sympy.Piecewise((small, node.args[0] < 0), (1 - small, True))
    return expr.xreplace(swaps)


def _difference(g: Expr, z: Symbol) -> Expr:
    """E g^2 - (E g)^2 - (E z g)^2, which is mu2_squared of g as a function of z."""
    square, mean, slope = (GaussianExpectation(e, z).in_real_functions() for e in (g**2, g, z * g))
    return square - mean**2 - slope**2


def _size(difference: Expr) -> Expr:
    """The sum of the sizes of the terms."""
    terms = sympy.Add.make_args(sympy.expand(difference, deep=False))
    return sympy.Add(*(_positive(t) for t in terms))


def _positive(term: Expr) -> Expr:
    number, rest = term.as_coeff_Mul()
    squares = all(
        a.is_nonnegative or (a.is_Pow and a.exp.is_even) or isinstance(a, GaussianExpectation)
        for a in sympy.Mul.make_args(rest)
    )
    return abs(number) * (rest if squares else Abs(rest))
