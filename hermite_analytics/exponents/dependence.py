"""Proof that a function depends on the coordinates in a subspace only: f(Pz) = f(z)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import sympy
from sympy import Expr, Symbol

from hermite_analytics.exponents.numbers import Numbers
from hermite_analytics.exponents.spans import Row, Span, extended
from hermite_analytics.foundation.clock import TimeEnded
from hermite_analytics.gaussian.enclosure.forms import affine_form
from hermite_analytics.gaussian.zero.monomials import Form, OutOfReach, variable_form
from hermite_analytics.gaussian.zero.own_time import own_time
from hermite_analytics.gaussian.zero.piecewise import merged_signs
from hermite_analytics.gaussian.zero.reader import read
from hermite_analytics.gaussian.zero.ring import Ring
from hermite_analytics.gaussian.zero.substitution import substitute
from hermite_analytics.language.kinks import JUMPS, STAIRS

__all__ = ["depends_only_on", "directions", "slopes"]

_OPERATIONS = 40_000
_SECONDS = 1.0
_FAR = 1e-6


def depends_only_on(expression: Expr, variables: Sequence[Symbol], span: Span) -> bool:
    """Whether f(Pz) = f(z) almost everywhere is verified, P the orthogonal projection onto the span.

    Both sides are brought to the canonical form of `zero`; False says only that they were not shown to be
    equal. Other symbols are left alone.

    Examples
    --------
    >>> from sympy import Integer, sin, symbols
    >>> z1, z2 = symbols("z1 z2", real=True)
    >>> line, _ = extended(Numbers(), Span(width=2), [(Integer(1), Integer(1))])
    >>> [depends_only_on(f, [z1, z2], line) for f in (sin(z1) * sin(z2) - sin(z1 + z2), sin(z1 + z2))]
    [False, True]
    """
    if span.is_whole:
        return True
    if not (span.is_closed and span.is_short):  # sympy's inverse of long entries may not end
        return False
    names = [v.name for v in variables]
    if not expression.has(*JUMPS, *STAIRS) and _differs(expression, variables, span):  # Pz may lie on a jump
        return False
    try:
        with own_time(_SECONDS):
            ring = Ring(_OPERATIONS)
            form = merged_signs(ring, read(ring, expression))
            values = _projected(ring, names, span)
            return bool(merged_signs(ring, substitute(ring, form, values)) == form)
    except (OutOfReach, RecursionError, TimeEnded):
        return False


def _differs(expression: Expr, variables: Sequence[Symbol], span: Span) -> bool:
    """Whether f(Pz) is far from f(z) at a point, in floats: that only saves a search for a proof."""
    others = sorted(expression.free_symbols - set(variables), key=str)
    at = {v: sympy.Float(0.2 + 1.3 * math.sin(3.0 * i * i)) for i, v in enumerate((*variables, *others), 1)}
    point = np.array([float(at[v]) for v in variables])
    rows = np.array([_scaled(row) for row in span.rows]).reshape(span.dimension, span.width)
    moved = np.linalg.lstsq(rows, rows @ point, rcond=None)[0] if span.dimension else 0 * point
    there = dict(zip(variables, map(sympy.Float, moved.tolist()), strict=True))
    try:
        values = [sympy.N(expression.xreplace(at | place)) for place in ({}, there)]
    except ValueError:  # sympy compares no log(0) with other numbers
        return False
    if not all(value.is_Float or value.is_Rational for value in values):
        return False
    return abs(float(values[0] - values[1])) > _FAR * (1 + abs(float(values[0])))


def _scaled(row: Row) -> list[float]:
    """A row over its largest entry: entries themselves may be beyond floats."""
    entries = [sympy.N(x) for x in row]
    largest = max(map(abs, entries))
    return [float(x / largest) for x in entries]


def _projected(ring: Ring, names: Sequence[str], span: Span) -> dict[str, Form]:
    """Each coordinate of Pz as a form in z."""
    if span.dimension == 0:
        return {name: {} for name in names}
    basis = sympy.Matrix(span.rows)
    projection = basis.T * (basis * basis.T).inv() * basis
    symbols = [variable_form(name) for name in names]
    return {
        name: ring.add(
            ring.multiply(read(ring, projection[i, j]), z)
            for j, z in enumerate(symbols)
            if projection[i, j] != 0
        )
        for i, name in enumerate(names)
    }


def directions(expression: Expr, variables: tuple[Symbol, ...], numbers: Numbers) -> Span:
    """A subspace on which the function depends only: the span of the slopes of its affine parts.

    Examples
    --------
    >>> from sympy import sin, symbols
    >>> z = symbols("z1:4", real=True)
    >>> directions(sin(z[0]) * (z[1] + 2 * z[2]), z, Numbers()).text()
    [['1', '0', '0'], ['0', '1', '2']]
    """
    found = list(dict.fromkeys(slopes(expression, variables)))
    span, decided = extended(numbers, Span(width=len(variables)), found)
    if decided:
        return span
    units = [tuple(sympy.Integer(int(i == j)) for j in range(len(variables))) for i in range(len(variables))]
    return extended(numbers, span, units)[0]


def slopes(expression: Expr, variables: tuple[Symbol, ...]) -> list[Row]:
    """The directions of the maximal affine parts of an expression."""
    if not expression.free_symbols.intersection(variables):
        return []
    form = affine_form(expression, variables)
    if form is not None:
        return [tuple(form[1])]
    return [slope for a in expression.args for slope in slopes(a, variables)]
