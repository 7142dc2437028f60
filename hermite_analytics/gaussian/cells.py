"""Functions with kinks in one affine form u of z, cut into kink-free pieces.

With breakpoints b_1 < ... < b_n in u and the pieces f_0, ..., f_n between them,

    f = f_0 + sum_i (f_i - f_{i-1}) step(u - b_i)    almost everywhere,

which has no nested kink and one step in each term. Covers nested kinks (clipping, max of several
forms), kinks of polynomials (abs(z^2 - 1)) and functions of kinks (exp(-abs(z)), erf(relu(z))).

Source: docs/theory.md, "Normal form", functions of the kinks of one form.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import sympy
from sympy import Expr, Rational, S, Symbol, sqrt

from hermite_analytics.foundation.clock import check_time
from hermite_analytics.gaussian.breakpoints import inner_form
from hermite_analytics.gaussian.zero.null_sets import is_nonzero
from hermite_analytics.language import functions as own
from hermite_analytics.language.factors import irreducible_factors
from hermite_analytics.language.kinks import KINKS, differences, on_cell

__all__ = ["constant_cells", "cut_at_kinks", "may_be_zero", "own_parts", "probability_between"]

_MOST_BREAKPOINTS = 24


class _NotCut(Exception):
    """The kinks are not those of one form, or a breakpoint has no exact value."""


def cut_at_kinks(expr: Expr, z: Symbol) -> Expr | None:
    """`expr` as a sum of steps of one affine form times kink-free pieces; None where that is not possible.

    Examples
    --------
    >>> from hermite_analytics.symbols import z
    >>> cut_at_kinks(sympy.Abs(sympy.Max(z, -1)), z)
    2*z*step(z) + (-z - 1)*step(z + 1) + 1
    """
    nodes = [n for n in sympy.postorder_traversal(expr) if isinstance(n, KINKS) and n.has(z)]
    if not nodes:
        return None
    u = sympy.Dummy("u", real=True)
    offset, slope = inner_form(nodes[0], z)
    if may_be_zero(slope):
        return None
    moved = expr.xreplace({z: (u - offset) / slope})
    try:
        points = _breakpoints(moved, u)
        pieces = [_resolve(moved, u, x) for x in _samples(points)]
    except _NotCut:
        return None
    if any(p.has(sympy.exp, sympy.sinh, sympy.cosh) for p in pieces):
        total = _by_indicators(pieces, points, u)
    else:
        changes = zip(points, pieces[:-1], pieces[1:], strict=True)
        total = sympy.Add(pieces[0], *((after - before) * own.step(u - b) for b, before, after in changes))
    return total.xreplace({u: offset + slope * z})


def may_be_zero(slope: Expr) -> bool:
    """Whether a slope with parameters may be 0 on an open set of these: relu(a), not a or a^2 + 1."""
    return bool(slope.has(*KINKS)) and not is_nonzero(slope)


def constant_cells(parts: Sequence[Expr], z: Symbol) -> list[tuple[Expr, Expr, list[Expr]]] | None:
    """(low, high, value of each part) of the intervals on which functions of z alone are constant, else None.

    Examples
    --------
    >>> from hermite_analytics.symbols import z
    >>> constant_cells([own.step(z - 1), sympy.sign(z)], z)
    [(-oo, 0, [0, -1]), (0, 1, [0, 1]), (1, oo, [1, 1])]
    """
    try:
        points = _breakpoints(sympy.Tuple(*parts), z)
        pieces = [[_resolve(part, z, x) for part in parts] for x in _samples(points)]
    except _NotCut:
        return None
    if any(value.has(z) for values in pieces for value in values):
        return None
    ends = itertools.pairwise([S.NegativeInfinity, *points, S.Infinity])
    return [(low, high, values) for (low, high), values in zip(ends, pieces, strict=True)]


def probability_between(low: Expr, high: Expr) -> Expr:
    """P(low < z < high) of a normal variable, from the nearer tail: no digits are lost far out.

    Examples
    --------
    >>> probability_between(Rational(20), S.Infinity)
    Phi(-20)
    """
    if low.is_nonnegative:
        low, high = -high, -low
    return own.Phi(high) - own.Phi(low)


def own_parts(expr: Expr, z: Symbol) -> list[Expr] | None:
    """The largest sub-expressions in z alone; None if z stands beside others or by itself.

    Examples
    --------
    >>> x, z = sympy.symbols("x z", real=True)
    >>> found = own_parts(x * sympy.sign(z) + sympy.cos(x + own.relu(z)), z)
    >>> sorted(map(str, found)), own_parts(x + z, z)
    (['relu(z)', 'sign(z)'], None)
    """
    if not expr.has(z):
        return []
    if expr == z:
        return None
    if expr.free_symbols == {z} and not (expr.is_Add or expr.is_Mul):
        return [expr]
    parts = []
    for argument in expr.args:
        inner = own_parts(argument, z)
        if inner is None:
            return None
        parts += inner
    return list(dict.fromkeys(parts))


def _by_indicators(pieces: list[Expr], points: list[Expr], u: Symbol) -> Expr:
    """Each piece on its own cell, so that none is added and subtracted where it is exponentially large."""
    if not points:
        return pieces[0]
    inner = zip(pieces[1:-1], points[:-1], points[1:], strict=True)
    return sympy.Add(
        pieces[0] * own.step(points[0] - u),
        *(p * (own.step(u - low) - own.step(u - high)) for p, low, high in inner),
        pieces[-1] * own.step(u - points[-1]),
    )


def _breakpoints(expr: Expr, u: Symbol) -> list[Expr]:
    """Exact breakpoints in increasing order: inner kinks first, outer ones cell by cell."""
    points: list[Expr] = []
    seen: set[Expr] = set()
    for node in sympy.postorder_traversal(expr):
        if not isinstance(node, KINKS) or not node.has(u) or node in seen:
            continue
        seen.add(node)
        for argument in differences(node):
            if argument.has(u):
                if argument.free_symbols != {u}:
                    raise _NotCut
                points = _with_roots(argument, u, points)
        if len(points) > _MOST_BREAKPOINTS:
            raise _NotCut
    return points


def _with_roots(argument: Expr, u: Symbol, points: list[Expr]) -> list[Expr]:
    found = set(points)
    edges = [S.NegativeInfinity, *points, S.Infinity]
    for low, high, sample in zip(edges[:-1], edges[1:], _samples(points), strict=True):
        found |= {x for x in _roots(_resolve(argument, u, sample), u) if low < x < high}
    return sorted(found)


def _roots(expr: Expr, u: Symbol) -> list[Expr]:
    """Exact real roots of a polynomial with rational coefficients whose factors have degree 1 or 2."""
    if not expr.is_polynomial(u):
        raise _NotCut
    poly = sympy.Poly(expr, u)
    if not all(a.is_Rational for a in poly.all_coeffs()):
        raise _NotCut
    roots: list[Expr] = []
    for factor, _ in irreducible_factors(poly)[1]:
        if factor.degree() == 1:
            a, b = factor.all_coeffs()
            roots.append(-b / a)
        elif factor.degree() == 2:
            a, b, c = factor.all_coeffs()
            discriminant = b**2 - 4 * a * c
            if discriminant > 0:
                roots += [(-b + s * sqrt(discriminant)) / (2 * a) for s in (1, -1)]
        elif factor.count_roots() > 0:
            raise _NotCut
    return roots


def _samples(points: list[Expr]) -> list[Rational]:
    """One rational point inside every cell."""
    if not points:
        return [S.Zero]
    middles = [_between(low, high) for low, high in itertools.pairwise(points)]
    return [sympy.floor(points[0]) - 1, *middles, sympy.ceiling(points[-1]) + 1]


def _between(low: Expr, high: Expr) -> Rational:
    middle = (low + high) / 2
    if middle.is_Rational:
        return middle
    near = Rational(str(sympy.N(middle, 30)))
    if not low < near < high:
        raise _NotCut
    return near


def _resolve(expr: Expr, u: Symbol, sample: Rational) -> Expr:
    """`expr` with every kink replaced by its branch at u = sample."""

    check_time()

    def side(first: Expr, second: Expr) -> int:
        """0 on all of the cell, or nowhere on it: no root lies inside."""
        return int(sympy.sign(sympy.expand((first - second).subs(u, sample))))

    def rebuilt(node: Expr) -> Expr:
        if not node.args or not node.has(u):
            return node
        changed = node.func(*(rebuilt(a) for a in node.args))
        if not isinstance(node, KINKS):
            return changed
        return changed.xreplace(
            {k: on_cell(k, side) for k in changed.atoms(*KINKS) if k.has(u)}
        )  # |2 u| is 2 |u|

    return rebuilt(expr)
