"""Preimages of a label under a function of one variable, with their coarea weights phi(z)/|f'(z)|."""

from __future__ import annotations

import sympy
from flint import arb
from sympy import Expr, Rational, Symbol

from hermite_analytics.errors import UndefinedQuantity, UnsupportedExpression
from hermite_analytics.evidence import Quantity
from hermite_analytics.gaussian.enclosure import ball_of
from hermite_analytics.gaussian.enclosure.precision import rational_ball, working_precision
from hermite_analytics.gaussian.enclosure.program import Program
from hermite_analytics.gaussian.order import between, compare, rational_of
from hermite_analytics.gaussian.quantities import constant_quantity, quantity_of_ball
from hermite_analytics.label.exact.pieces import Piece
from hermite_analytics.label.exact.zeros import real_zeros
from hermite_analytics.language.functions import phi

__all__ = ["preimage"]

_PRECISION = 160
_HALVINGS = 110
_STEPS = 400


def preimage(piece: Piece, label: Expr, z: Symbol) -> tuple[Quantity, Quantity] | None:
    """(point, weight) on a monotone piece, or None where it does not take the value.

    The point is exact where the zeros of f - y are, else a ball.

    Raises
    ------
    UndefinedQuantity
        If the label is the value at an end of the piece, where the density may be infinite.

    Examples
    --------
    >>> from hermite_analytics.label.exact.pieces import monotone_pieces
    >>> from hermite_analytics.symbols import z
    >>> [str(preimage(p, sympy.Integer(4), z)[0]) for p in monotone_pieces(z**2, z)]
    ['-2', '2']
    """
    ends = [(piece.low, piece.at_low), (piece.high, piece.at_high)]
    if any(not end.is_infinite and compare(value, label) == 0 for end, value in ends):
        raise UndefinedQuantity(
            f"the label {label} is the value at a critical point or a kink, where the density of the label "
            "has no value; take a label beside it"
        )
    if not piece.reaches(label):
        return None
    density = phi(z) / (piece.slope * piece.formula.diff(z))
    exact = _exact(piece, label, z)
    if exact is not None:
        return constant_quantity(exact), constant_quantity(density.subs(z, exact))
    with working_precision(_PRECISION):
        ball = _enclosed(piece, label, z)
        return quantity_of_ball(ball), quantity_of_ball(Program(density, [z], _PRECISION)(ball))


def _exact(piece: Piece, label: Expr, z: Symbol) -> Expr | None:
    try:
        zeros = real_zeros(piece.formula - label, z)
    except UnsupportedExpression:
        return None
    inside = [x for x in zeros if compare(piece.low, x) < 0 < compare(piece.high, x)]
    return inside[0] if len(inside) == 1 else None


def _enclosed(piece: Piece, label: Expr, z: Symbol) -> arb:
    """A ball around the preimage, by bisection with proved signs."""
    rising = Program(piece.slope * (piece.formula - label), [z], _PRECISION)
    low = high = between(piece.low, piece.high)
    side = _side(rising, low)
    for step in range(_STEPS):
        if side < 0:
            low, high = high, _towards(high, piece.high, step)
            side = _side(rising, high)
            if side > 0:
                break
        elif side > 0:
            low, high = _towards(low, piece.low, step), low
            side = _side(rising, low)
            if side < 0:
                break
        else:
            raise UnsupportedExpression(f"the preimage of {label} is not separated from a point tried")
    else:
        raise UnsupportedExpression(f"no bracket of the preimage of {label} was found")
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        side = _side(rising, middle)
        if side == 0:
            break
        low, high = (middle, high) if side < 0 else (low, middle)
    return rational_ball(low).union(rational_ball(high))


def _side(rising: Program, x: Rational) -> int:
    value = rising(rational_ball(x))
    return 1 if value > 0 else -1 if value < 0 else 0


def _towards(x: Rational, end: Expr, step: int) -> Rational:
    """The next point on the way to an end, which it does not pass."""
    if end.is_infinite:
        return x + sympy.sign(end) * 2 ** min(step, 30)
    middle: arb = ball_of((x + end) / 2, _PRECISION)
    return rational_of(middle)
