"""Angles of numbers in the form that is shortest to write.

    asin x = atan(x/sqrt(1 - x^2)),    pi/2 + asin x = 2 atan sqrt((1 + x)/(1 - x)) = acos(-x),    |x| < 1,

so that pi/2 + asin(1/3) is 2 atan(sqrt 2), and asin(sqrt(5)/5) is atan(1/2).
"""

from __future__ import annotations

import sympy
from sympy import Expr, S, asin, atan, pi, sqrt

__all__ = ["shortest_angles"]


def shortest_angles(expr: Expr) -> Expr:
    """A sum of numbers with its angles asin(x), x^2 rational, in shorter forms of the same value.

    Examples
    --------
    >>> from sympy import Rational, asin, pi, sqrt
    >>> shortest_angles(3 * asin(Rational(1, 3)) / pi + Rational(3, 2))
    6*atan(sqrt(2))/pi
    >>> shortest_angles(asin(sqrt(5) / 5)), shortest_angles(asin(Rational(2, 3)))
    (atan(1/2), asin(2/3))
    """
    terms = list(sympy.Add.make_args(expr))
    for term in tuple(terms):
        for angle in (a for a in sympy.Mul.make_args(term) if isinstance(a, asin)):
            _join_quarter(terms, term, angle)
    return sympy.Add(*terms).replace(asin, _shorter)


def _join_quarter(terms: list[Expr], term: Expr, angle: Expr) -> None:
    """Replace factor asin(x) and +-factor pi/2 by one angle, where both are there."""
    factor = term / angle
    for sign in (1, -1):
        quarter = sign * factor * pi / 2
        joined = _with_quarter(angle.args[0], sign)
        if joined is not None and term in terms and quarter in terms:
            terms.remove(term)
            terms.remove(quarter)
            terms.append(factor * joined)


def _with_quarter(x: Expr, sign: int) -> Expr | None:
    """asin(x) + sign pi/2 as one angle without a nested root, None if there is none."""
    y = sign * x
    choices = []
    if y.is_Rational:
        choices.append(2 * atan(sqrt((1 + y) / (1 - y))))
    if y.is_negative and (y**2).is_Rational:
        choices.append(atan(sqrt((1 - y**2) / y**2)))
    return sign * min(choices, key=_length) if choices else None


def _shorter(x: Expr) -> Expr:
    """asin(x), or the same as an arctangent if that has fewer operations."""
    square = x**2
    if not square.is_Rational or square >= 1:
        return asin(x)
    tangent = sympy.sign(x) * sqrt(square / (1 - square))
    return atan(tangent) if sympy.count_ops(tangent) < sympy.count_ops(x) else asin(x)


def _length(angle: Expr) -> tuple[int, int]:
    """Operations, and then the largest integer in it."""
    integers = [abs(int(n)) for q in angle.atoms(sympy.Rational) for n in (q.p, q.q)]
    return sympy.count_ops(angle), max(integers, default=int(S.Zero))
