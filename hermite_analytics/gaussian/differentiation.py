"""Derivatives of Gaussian expectations in a parameter, jumps included.

If f jumps at z = b(p), the derivative of E f(z, p) is that under the integral plus, for each jump,
(f(b-) - f(b+)) phi(b) db/dp.
"""

from __future__ import annotations

import itertools

import sympy
from sympy import DiracDelta, Expr, S, Symbol, sign

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.gaussian.breakpoints import inner_form, real_breakpoints
from hermite_analytics.language import functions as own
from hermite_analytics.language.functions import record_of
from hermite_analytics.language.kinks import JUMPS, STAIRS, slopes

__all__ = ["boundary_terms", "derivative_between_jumps"]


def derivative_between_jumps(integrand: Expr, symbol: Symbol) -> Expr:
    """The derivative almost everywhere: no mass at the jumps."""
    return integrand.diff(symbol).replace(DiracDelta, lambda *_: S.Zero)


def boundary_terms(integrand: Expr, variables: tuple[Symbol, ...], symbol: Symbol) -> Expr:
    """What the jumps that move with `symbol` add to the derivative of E[integrand].

    Raises
    ------
    UnsupportedExpression
        If jumps move in an expectation over several variables, or are not at zeros of a polynomial of one
        affine form.
    """
    stairs = [a for a in integrand.atoms(*STAIRS) if a.has(*variables) and symbol in a.free_symbols]
    if stairs:
        what = f"the derivative in {symbol} of an expectation with {stairs[0]}"
        raise UnsupportedExpression(f"{what} is not known: infinitely many jumps move")
    moving = [a for a in integrand.atoms(*JUMPS) if a.has(*variables) and symbol in a.free_symbols]
    if not moving:
        return S.Zero
    used = [v for v in variables if integrand.has(v)]
    if len(used) > 1:
        raise UnsupportedExpression(
            f"the derivative in {symbol} of an expectation over several variables with moving jumps "
            f"({moving[0]}) is not known"
        )
    places = {jump: _places(jump, used[0]) for jump in integrand.atoms(*JUMPS) if jump.has(used[0])}
    total = S.Zero
    for point in dict.fromkeys(p for found in places.values() for p in found):
        left, right = (_beside(integrand, used[0], places, point, side) for side in (-1, 1))
        total += (left - right) * own.phi(point) * point.diff(symbol)
    return total


_Places = dict[Expr, dict[Expr, Expr]]


def _places(jump: Expr, z: Symbol) -> dict[Expr, Expr]:
    """Where the argument of a jump changes sign, and its sign on the right of there."""
    argument = jump.args[0]
    while record_of(argument).has_sign_of_argument:
        argument = argument.args[0]
    offset, slope = inner_form(argument, z)
    inner = argument.subs(z, (z - offset) / slope)
    if not argument.diff(z).has(z):
        return {-argument.subs(z, 0) / argument.diff(z): sign(argument.diff(z))}
    if inner.free_symbols != {z} or not inner.is_polynomial(z):
        raise UnsupportedExpression(
            f"the derivative of an expectation with {jump} is not known: where it jumps is not exact"
        )
    roots = sorted(real_breakpoints(sign(inner), z))  # isolated: between two of them the sign is one
    middles = [(x + y) / 2 for x, y in itertools.pairwise(roots)]
    sides = [_sign_at(inner, z, x) for x in ([roots[0] - 1, *middles, roots[-1] + 1] if roots else [])]
    return {
        (sympy.Float(str(root), 30) - offset) / slope: after * sign(slope)
        for root, (before, after) in zip(roots, itertools.pairwise(sides), strict=True)
        if before != after
    }


def _sign_at(inner: Expr, z: Symbol, place: Expr) -> Expr:
    return sign(inner.subs(z, sympy.Rational(str(place))))


def _beside(integrand: Expr, z: Symbol, places: _Places, point: Expr, side: int) -> Expr:
    """The limit of the integrand from one side of a point."""
    values = {}
    for jump, found in places.items():
        if point in found:
            right, left = slopes(jump)
            values[jump] = (right + left) / 2 + side * found[point] * (right - left) / 2
    return integrand.xreplace(values).subs(z, point)
