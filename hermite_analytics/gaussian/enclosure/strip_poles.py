"""Densities times poles of their arguments: phi(1/|x|)/|x|, which is bounded on the real line.

Such products are the means of polynomials times jumps along x y = c over one of the coordinates.
"""

from __future__ import annotations

from flint import arb
from sympy import Abs, Add, Expr, Mul, S, Symbol, expand, factor

from hermite_analytics.gaussian.enclosure.constants import ball_of
from hermite_analytics.gaussian.enclosure.precision import BOUND_BITS, dyadic
from hermite_analytics.gaussian.enclosure.program import Program
from hermite_analytics.language.functions import phi

__all__ = ["density_with_poles"]

_NARROWEST = 40  # bits of the neighbourhood of a pole
_HIGHEST = 8  # order of the pole in the argument


def density_with_poles(expr: Expr, z: Symbol) -> tuple[arb, Expr] | None:
    """(a bound of phi(q/b^j) |b|^-m on the real line, the other factors), b = s z + t.

    With u = |q/b^j| and k = m/j it is |q|^-k u^k phi(u) <= |q|^-k (k/e)^(k/2)/sqrt(2 pi) where |b| <= delta,
    with the least |q| there, and delta^-m/sqrt(2 pi) elsewhere. None where the product has no such factors,
    or q is not shown to differ from 0 at the pole.

    Examples
    --------
    >>> from hermite_analytics.symbols import z
    >>> size, rest = density_with_poles(z * phi(1 / Abs(z - 1)) / Abs(z - 1), z)
    >>> size.str(6, radius=False), rest
    ('0.398942', z)
    """
    factors = Mul.make_args(expr)
    poles = [f for f in factors if f.is_Pow and f.exp.is_negative and f.has(z)]
    found = [part for f in poles for part in _lines(f)]
    lines = {line for line, _ in found}
    order = Add(*(times for _, times in found))
    if len(lines) != 1 or not order.is_positive:
        return None
    (line,) = lines
    for density in (f for f in factors if isinstance(f, phi)):
        bound = _bound(density.args[0], line, order, z)
        if bound is not None:
            return bound, Mul(*(f for f in factors if f not in (density, *poles)))
    return None


def _lines(pole: Expr) -> list[tuple[Expr, Expr]]:
    """(b, m) of a factor prod |b|^-m."""
    found = []
    for part in Mul.make_args(factor(pole.base)):
        base, times = part.as_base_exp()
        found.append((base.args[0] if isinstance(base, Abs) else base, -times * pole.exp))
    return found


def _bound(argument: Expr, line: Expr, order: Expr, z: Symbol) -> arb | None:
    slope = line.diff(z)
    if slope.has(z) or not slope.is_nonzero:
        return None
    found = _numerator(argument, line, z)
    if found is None:
        return None
    q, times = found
    m, k = ball_of(order, BOUND_BITS), ball_of(order / times, BOUND_BITS)
    steepness, pole = abs(ball_of(slope, BOUND_BITS)), ball_of(-line.subs(z, 0) / slope, BOUND_BITS)
    values = Program(q, [z], BOUND_BITS)
    height = 1 / (2 * arb.pi()).sqrt()
    peak = height * (k / 2 * (k.log() - 1)).exp()
    for bits in range(_NARROWEST):
        width = dyadic(1, -bits)
        least = values(pole + arb(0, (width / steepness).upper())).abs_lower()
        if least > 0:
            return (height * width**-m).max(peak * least**-k).upper()
    return None


def _numerator(argument: Expr, line: Expr, z: Symbol) -> tuple[Expr, int] | None:
    """(q, j) with |argument| = |q|/|line|^j and q a polynomial that the pole is not a root of."""
    for j in range(1, _HIGHEST + 1):
        for size in (Abs(line), line):
            q = expand(argument * size**j)
            if q.is_polynomial(z):
                return (q, j) if q.subs(z, -line.subs(z, 0) / line.diff(z)) != S.Zero else None
    return None
