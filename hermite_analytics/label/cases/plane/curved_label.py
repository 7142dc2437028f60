"""Labels of two coordinates that break along curves: the function on each side of them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import sympy
from sympy import Dummy, Expr, Symbol

from hermite_analytics.foundation.numpy_arrays import Array, Bools, Function
from hermite_analytics.gaussian.distribution import expanded
from hermite_analytics.label.cases.flats import Flat, flats_of, flats_of_all, on_all_sides
from hermite_analytics.label.function_of_points import function_of_points
from hermite_analytics.language.factors import irreducible_factors
from hermite_analytics.language.kinks import opened

__all__ = ["CurvedLabel", "Line", "Side", "curved_label", "satisfied"]

Line = tuple[float, float, float]

_MOST_CURVES = 3
_MOST_SIGNS = 10  # within the function of a curve
_MOST_DEGREE = 12  # of a polynomial that is factorised


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """What the label is where all conditions are positive.

    Attributes
    ----------
    value : function of points, shape (n, 2)
        Smooth off the lines, on both sides of the curves.
    conditions : tuple of functions of points
        One a curve, with the sign that it has here.
    """

    value: Function
    conditions: tuple[Function, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvedLabel:
    """y = g(w1, w2), smooth off straight lines and off curves h = 0.

    Attributes
    ----------
    lines : tuple of (a, b, c)
        The lines a w1 + b w2 = c across which the functions of the sides have a kink or a jump.
    curves : tuple of functions of points
        Smooth ones, one of which vanishes where h does.
    sides : tuple of Side
        One for each choice of signs of the curves' functions; some may be empty.
    """

    lines: tuple[Line, ...]
    curves: tuple[Function, ...]
    sides: tuple[Side, ...]

    @classmethod
    def off_lines(cls, value: Function, lines: Sequence[Line]) -> CurvedLabel:
        """Of a label without curves."""
        return cls(lines=tuple(lines), curves=(), sides=(Side(value=value, conditions=()),))

    def value(self, points: Array) -> Array:
        """The label at points, shape (n, 2), without the rounding errors of terms that cancel."""
        found = np.full(len(points), np.nan)
        for side in self.sides:
            inside = satisfied(side.conditions, points)
            found[inside] = side.value(points[inside])
        return found


def curved_label(signal: Expr, coordinates: Sequence[Symbol]) -> CurvedLabel | None:
    """The sides of a label that breaks along one to three curves; None for others.

    Examples
    --------
    >>> from sympy import Max, symbols
    >>> w1, w2 = symbols("w1 w2", real=True)
    >>> found = curved_label(Max(w1**2, w2) + abs(w1), (w1, w2))
    >>> point = np.array([[2.0, 5.0]])
    >>> [(s.value(point).item(), s.conditions[0](point).item()) for s in found.sides]
    [(7.0, 1.0), (6.0, -1.0)]
    >>> found.lines
    ((1.0, 0.0, 0.0),)
    """
    w = tuple(coordinates)
    if len(w) != 2 or signal.free_symbols - set(w):
        return None
    plain, signs = opened(signal)
    curves: dict[Symbol, Expr] = {}  # letter -> argument, in the coordinates and letters before
    meaning: dict[Symbol, Expr] = {}  # letter of any sign -> in signs of functions and letters of curves
    lines: list[Flat] = []
    for letter, argument in signs.items():
        found = _straight(argument, tuple(signs), w)
        if found is None:
            meaning[letter], found = _curved(argument, meaning, curves, w)
        else:
            meaning[letter] = sympy.sign(argument.xreplace(meaning))
        lines += found
    if not 0 < len(curves) <= _MOST_CURVES:
        return None
    straight = [tuple(float(x) for x in line) for line in dict.fromkeys(lines)]
    heights, sides = _sides(plain.xreplace(meaning), curves, w)
    smooth: dict[Expr, None] = {}
    for height in heights:
        plain, signs = opened(height)
        pieces = on_all_sides(plain, tuple(signs), _MOST_SIGNS)
        if pieces is None:  # as of a floor
            return None
        smooth |= dict.fromkeys(pieces)
    return CurvedLabel(
        lines=tuple((a, b, c) for a, b, c in straight if a or b),
        curves=tuple(function_of_points(piece, w) for piece in smooth),
        sides=tuple(sides),
    )


def _sides(
    whole: Expr, curves: dict[Symbol, Expr], w: tuple[Symbol, ...]
) -> tuple[dict[Expr, Function], list[Side]]:
    """(the curves' functions, the label for each choice of their signs)."""
    heights: dict[Expr, Function] = {}
    sides = []
    for signs in itertools.product((-1, 1), repeat=len(curves)):
        chosen = dict(zip(curves, map(sympy.Integer, signs), strict=True))
        conditions = []
        for letter, argument in curves.items():
            h = expanded(argument.xreplace(chosen))
            if h not in heights:
                heights[h] = function_of_points(h, w)
            conditions.append(heights[h] if chosen[letter] > 0 else _negative(heights[h]))
        value = function_of_points(expanded(whole.xreplace(chosen)), w)
        sides.append(Side(value=value, conditions=tuple(conditions)))
    return heights, sides


def _straight(argument: Expr, signs: Sequence[Symbol], w: tuple[Symbol, ...]) -> list[Flat] | None:
    """The lines on which an argument vanishes, whatever the signs in it; None if it does elsewhere."""
    plain = on_all_sides(argument, signs)
    return None if plain is None else flats_of_all(plain, w)


def _curved(
    argument: Expr, meaning: dict[Symbol, Expr], curves: dict[Symbol, Expr], w: tuple[Symbol, ...]
) -> tuple[Expr, list[Flat]]:
    """The sign of an argument in signs of its irreducible factors, and the lines among these."""
    plain = expanded(argument.xreplace(meaning))
    poly = sympy.Poly(plain, *w) if plain.is_polynomial(*w) else None
    if poly is None or poly.total_degree() > _MOST_DEGREE or not all(c.is_Rational for c in poly.coeffs()):
        return _letter(plain, curves), []
    content, factors = irreducible_factors(poly)
    found, lines = sympy.sign(content), []
    for factor, power in factors:
        if power % 2 == 0:
            continue
        straight = flats_of(factor.as_expr(), w)
        found *= _letter(factor.as_expr(), curves) if straight is None else sympy.sign(factor.as_expr())
        lines += straight or []
    return found, lines


def _letter(argument: Expr, curves: dict[Symbol, Expr]) -> Expr:
    for letter, known in curves.items():
        if known in (argument, -argument):
            return letter if known == argument else -letter
    letter = Dummy(f"t{len(curves)}", real=True)
    curves[letter] = argument
    return letter


def satisfied(conditions: Sequence[Function], points: Array) -> Bools:
    """Whether all conditions are positive at points (..., 2)."""
    flat = points.reshape(-1, 2)
    inside = np.ones(len(flat), dtype=bool)
    for condition in conditions:
        inside &= condition(flat) > 0
    return np.asarray(inside.reshape(points.shape[:-1]))


def _negative(function: Function) -> Function:
    return lambda points: -function(points)
