"""Derivatives of Gaussian expectations in a parameter, jumps included.

If f jumps at z = b(p), the derivative of E f(z, p) is that under the integral plus, for each jump,
(f(b-) - f(b+)) phi(b) db/dp.
"""

from __future__ import annotations

import sympy
from sympy import DiracDelta, Expr, Heaviside, Rational, S, Symbol, sign

from hermite_analytics.calculus.breakpoints import breakpoints, inner_form
from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.language import functions as own

__all__ = ["boundary_terms", "derivative_between_jumps"]

_JUMPS = (sign, own.step, Heaviside)
_NEAR = Rational(1, 10**6)


def derivative_between_jumps(integrand: Expr, symbol: Symbol) -> Expr:
    """The derivative almost everywhere: no mass at the jumps."""
    return integrand.diff(symbol).replace(DiracDelta, lambda *_: S.Zero)


def boundary_terms(integrand: Expr, variables: tuple[Symbol, ...], symbol: Symbol) -> Expr:
    """What the jumps that move with `symbol` add to the derivative of E[integrand].

    Raises
    ------
    UnsupportedExpression
        If jumps move in an expectation over several variables, or are not at zeros of functions of one
        affine form.
    """
    moving = [a for a in integrand.atoms(*_JUMPS) if a.has(*variables) and symbol in a.free_symbols]
    if not moving:
        return S.Zero
    used = [v for v in variables if integrand.has(v)]
    if len(used) > 1:
        raise UnsupportedExpression(
            f"the derivative in {symbol} of an expectation over several variables with moving jumps "
            f"({moving[0]}) is not known"
        )
    places = {jump: _places(jump, used[0]) for jump in integrand.atoms(*_JUMPS) if jump.has(used[0])}
    total = S.Zero
    for point in dict.fromkeys(p for found in places.values() for p in found):
        left, right = (_beside(integrand, used[0], places, point, side) for side in (-1, 1))
        total += (left - right) * own.phi(point) * point.diff(symbol)
    return total


_Places = dict[Expr, dict[Expr, Expr]]


def _places(jump: Expr, z: Symbol) -> dict[Expr, Expr]:
    """Where the argument of a jump changes sign, and its sign on the right of there."""
    argument = jump.args[0]
    offset, slope = inner_form(argument, z)
    inner = argument.subs(z, (z - offset) / slope)
    found = {}
    for point in breakpoints(jump, z):
        place = sympy.N(offset + slope * point)  # the zero of `inner`, which has no parameters
        if inner.free_symbols != {z} or (not place.is_Float and place != 0):
            found[point] = sign(argument.diff(z))  # an affine argument
        else:
            before, after = (sign(inner.subs(z, place + side * _NEAR)) for side in (-1, 1))
            if before != after:
                found[point] = after * sign(slope)
    return found


def _beside(integrand: Expr, z: Symbol, places: _Places, point: Expr, side: int) -> Expr:
    """The limit of the integrand from one side of a point."""
    values = {}
    for jump, found in places.items():
        if point in found:
            direction = side * found[point]
            values[jump] = direction if isinstance(jump, sign) else (1 + direction) / 2
    return integrand.xreplace(values).subs(z, point)
