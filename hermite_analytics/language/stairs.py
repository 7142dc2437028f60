"""The floor of a text: of a polynomial as it is, of what is bounded as steps, of kinks by their sides.

Where k(p) is continuous with a kink at p = 0, as |p| or relu(p), floor(k(p)) is the floor R of its right side
plus step(-p) times L - R: at p = 0 too, where the sides agree. If k(0) = c is a number, it is also
floor(c) + step(p) (R - floor(c)) + step(-p) (L - floor(c)), which keeps symmetries; step(0) is 0.
"""

from __future__ import annotations

import sympy
from sympy import Expr

from hermite_analytics.language.bounds import bounds
from hermite_analytics.language.functions import He, floor, hermite_polynomial, record_of, staircase, step
from hermite_analytics.language.kinks import JUMPS, KINKS, branch, differences

__all__ = ["floor_of", "floor_refusal", "whole_floor"]

_MOST_STEPS = 64
_MOST_KINKS = 3


def _is_polynomial(x: Expr) -> bool:
    """Not a constant one, whose value may be an integer everywhere."""
    x = x.replace(He, lambda degree, y: hermite_polynomial(int(degree), y))
    return bool(x.is_polynomial(*x.free_symbols) and sympy.Poly(x, *x.free_symbols).total_degree() > 0)


def floor_of(x: Expr) -> Expr:
    """floor(x) for an argument that is accepted."""
    if not x.free_symbols or _is_polynomial(x):
        return floor(x)
    if _has_few_steps(x):
        return staircase(x, *_ends(x))
    kink = _outer_kink(x)
    assert kink is not None
    place = differences(kink)[0]
    right, left = (floor_of(x.xreplace({kink: branch(kink, side)})) for side in (1, -1))
    bend = x.xreplace({kink: sympy.S.Zero})
    if len(kink.args) == 1 and not bend.free_symbols:  # an even function is seen to be one
        level = floor(bend)
        return level + step(place) * (right - level) + step(-place) * (left - level)
    return right + step(-place) * (left - right)


def whole_floor(x: Expr) -> Expr:
    """The same with kinks inside: one value h decides on floor(h).

    Examples
    --------
    >>> z1 = sympy.Symbol("z1", real=True)
    >>> whole_floor(abs(z1)), floor_of(abs(z1))
    (floor(Abs(z1)), floor(-z1)*step(-z1) + floor(z1)*step(z1))
    """
    return floor_of(x) if _has_few_steps(x) else floor(x)


def _outer_kink(x: Expr) -> Expr | None:
    """The first continuous kink that stands in no other function, only in sums, products and powers."""
    if isinstance(x, KINKS):
        return None if isinstance(x, JUMPS) else x
    if not (x.is_Add or x.is_Mul or x.is_Pow) or isinstance(x, sympy.exp):
        return None
    return next((kink for kink in map(_outer_kink, x.args) if kink is not None), None)


def _is_piecewise_polynomial(x: Expr, kinks: int) -> bool:
    """Whether opening at most so many kinks, one in another, leaves polynomials, or what has few steps."""
    if not x.free_symbols or _is_polynomial(x) or _has_few_steps(x):
        return True
    kink = _outer_kink(x)
    if kink is None or kinks == 0:
        return False
    return all(
        _is_piecewise_polynomial(x.xreplace({kink: branch(kink, side)}), kinks - 1) for side in (1, -1)
    )


def _has_few_steps(x: Expr) -> bool:
    low, high = _ends(x)
    return bool(low.is_Integer and high.is_Integer and high - low <= _MOST_STEPS)


def _ends(x: Expr) -> tuple[Expr, Expr]:
    """The first and the last integer below; a strictly increasing function takes no bound as its value."""
    low, high = (sympy.floor(end) if end.is_finite else end for end in bounds(x))
    is_open = record_of(x.as_coeff_Add()[1].as_coeff_Mul()[1]).is_strictly_increasing
    return low, high - 1 if is_open and high == bounds(x)[1] else high


def floor_refusal(x: Expr) -> str | None:
    """Why floor(x) is not accepted, or None."""
    if _is_piecewise_polynomial(x, _MOST_KINKS):
        return None
    return (
        f"floor is accepted of polynomials, also in at most {_MOST_KINKS} kinks such as abs and relu, and "
        f"of what lies between bounds that are seen and at most {_MOST_STEPS} apart, such as "
        f"floor(4*sigmoid(x)); clip the argument"
    )
