"""Slabs and regions of a square cut by lines."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import sympy
from flint import arb
from sympy import Expr, Symbol

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.gaussian.enclosure.constants import ball_of
from hermite_analytics.gaussian.enclosure.forms import affine_form
from hermite_analytics.gaussian.enclosure.precision import dyadic

__all__ = ["Line", "Region", "regions"]


@dataclass(frozen=True, slots=True)
class Line:
    """y = offset + slope * x."""

    offset: arb
    slope: arb

    def at(self, x: arb) -> arb:
        return self.offset + self.slope * x


@dataclass(frozen=True, slots=True)
class Region:
    """x from low to high (units of 2^exponent), y between two lines; the signs of the kinks' arguments."""

    low: int
    high: int
    below: Line
    above: Line
    signs: tuple[int, ...]


def regions(
    arguments: list[Expr], variables: tuple[Symbol, ...], start: int, end: int, exponent: int, prec: int
) -> tuple[list[Region], list[tuple[arb, arb]]]:
    """(regions, thin slabs in x that hold the inexact crossings) of [start, end] x [-end, end].

    Raises
    ------
    UnsupportedExpression
        If an argument is not affine, or the order of two lines is not decided.
    """
    forms = [_form(a, variables) for a in arguments]
    lines = {(sympy.Integer(s * end), sympy.S.Zero) for s in (1, -1)}
    edges = [arb(start), arb(end)]
    for constant, (a, b) in forms:
        if b == 0:
            edges.append(ball_of(-constant / a, prec))
        else:
            lines.add((sympy.radsimp(-constant / b), sympy.radsimp(-a / b)))
    listed = sorted(lines, key=str)
    for (p, q), (r, s) in itertools.combinations(listed, 2):
        if q != s:
            edges.append(ball_of((r - p) / (q - s), prec))
    straight = [Line(ball_of(p, prec), ball_of(q, prec)) for p, q in listed]
    inside = [e for e in edges if not (e < start or e > end)]
    found: list[Region] = []
    thin: list[tuple[arb, arb]] = []
    joined = _joined(inside, exponent)
    for low, high in joined:
        if high > low:
            thin.append((dyadic(low, exponent), dyadic(high, exponent)))
    for (_, low), (high, _) in itertools.pairwise(joined):
        found += _slab(low, high, straight, forms, end, exponent, prec)
    return found, thin


def _form(argument: Expr, variables: tuple[Symbol, ...]) -> tuple[Expr, tuple[Expr, ...]]:
    form = affine_form(argument, variables)
    if form is None or all(a == 0 for a in form[1]):
        raise UnsupportedExpression(
            f"kinks of {len(variables)} variables lie along straight lines only, not {argument} = 0"
        )
    return form


def _joined(edges: list[arb], exponent: int) -> list[tuple[int, int]]:
    """Disjoint intervals in units of 2^exponent that contain the edges; exact edges have length zero."""
    scale = dyadic(1, -exponent)
    spans = sorted(
        (int((e * scale).lower().floor().unique_fmpz()), int((e * scale).upper().ceil().unique_fmpz()))
        for e in edges
    )
    joined = [spans[0]]
    for low, high in spans[1:]:
        if low <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(high, joined[-1][1])
        else:
            joined.append((low, high))
    return joined


def _slab(
    low: int,
    high: int,
    lines: list[Line],
    forms: list[tuple[Expr, tuple[Expr, ...]]],
    end: int,
    exponent: int,
    prec: int,
) -> list[Region]:
    """The regions between neighbouring lines; their order is that at the middle of the slab."""
    x = dyadic(low + high, exponent - 1)
    ordered = sorted(lines, key=lambda line: line.at(x).mid())
    for left, right in itertools.pairwise(ordered):
        if not left.at(x) < right.at(x):
            raise UnsupportedExpression("the order of two kinks is not decided")
    ordered = [line for line in ordered if line.at(x) >= -end and line.at(x) <= end]
    found = []
    for below, above in itertools.pairwise(ordered):
        y = ((below.at(x) + above.at(x)) / 2).mid()
        signs = []
        for constant, (a, b) in forms:
            value = ball_of(constant, prec) + ball_of(a, prec) * x + ball_of(b, prec) * y
            if not (value > 0 or value < 0):
                raise UnsupportedExpression("the side of a kink is not decided")
            signs.append(1 if value > 0 else -1)
        found.append(Region(low, high, below, above, tuple(signs)))
    return found
