"""Means of functions of radii, in one variable for each radius.

The radius r of k independent N(0, 1) variables is independent of their direction and has the density of |w|,
w ~ N(0, 1), times a multiple of |w|^(k-1). So for a monomial of degree M = m_1 + ... + m_k

    E[z^m g(r)] = E[z^m]/(k (k+2) ... (k+M-2)) E[|w|^(k-1+M) g(|w|)]/E|w|^(k-1)

for even m_i, and 0 for others. Products x y count as (u^2 - v^2)/2, u and v being x and y turned by 45
degrees.

Source: docs/theory.md, "Enclosures".
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import sympy
from sympy import Abs, Add, Expr, Integer, Mul, Poly, Rational, S, Symbol, gamma, pi, sqrt

from hermite_analytics.language import functions as own

__all__ = ["by_radii"]

_MOST_DEGREE = 60
Block = tuple[Symbol, ...]


def by_radii(integrand: Expr, variables: Sequence[Symbol]) -> tuple[Expr, tuple[Symbol, ...]] | None:
    """(an integrand of fewer variables of equal mean, these variables); None where no radius is seen.

    Parameters
    ----------
    integrand : sympy expression
        A polynomial times a function of polynomials; E|integrand| is finite.
    variables : sequence of symbols
        Independent N(0, 1).

    Examples
    --------
    >>> x, y, z = sympy.symbols("x y z", real=True)
    >>> by_radii(x**2 * sympy.tanh(x**2 + y**2 + z**2), (x, y, z))
    (x**4*tanh(x**2)/3, (x,))
    >>> by_radii(sympy.tanh(x * y), (x, y)) is None
    True
    """
    if len(variables) < 2:
        return None
    factors = [a.replace(_is_hermite, lambda e: _plain(*e.args)) for a in Mul.make_args(integrand)]
    outer = Mul(*(a for a in factors if a.is_polynomial(*variables)))
    inner = Mul(*(a for a in factors if not a.is_polynomial(*variables)))
    used = tuple(v for v in variables if inner.has(v))
    parts = _polynomial_parts(inner, used)
    blocks = _blocks(parts, used)
    if not blocks:
        turn = _turned(parts, used)
        blocks = _blocks([p.xreplace(turn).expand() for p in parts], used) if turn else []
        outer, inner = outer.xreplace(turn), _multiplied_out(inner.xreplace(turn), used)
    if not blocks:
        return None
    for block in blocks:
        inner = inner.xreplace(dict.fromkeys(block[1:], S.Zero))
        averaged = _averaged(outer, block)
        if averaged is None:
            return None
        outer = averaged
    silent = {v for block in blocks for v in block[1:]}
    return outer * inner, tuple(v for v in variables if v not in silent)


def _is_hermite(expr: Expr) -> bool:
    return isinstance(expr, own.He) and bool(expr.args[0].is_Integer)


def _plain(degree: Expr, x: Expr) -> Expr:
    return own.hermite_polynomial(int(degree), x)


def _multiplied_out(expr: Expr, used: Block) -> Expr:
    """With the polynomials in it expanded."""
    return expr.replace(lambda e: e.has(*used) and e.is_polynomial(*used), sympy.expand)


def _polynomial_parts(expr: Expr, used: Block) -> list[Expr]:
    """The largest polynomials that an expression is a function of."""
    if not expr.has(*used):
        return []
    if expr.is_polynomial(*used):
        return [expr]
    if not (expr.is_Add or expr.is_Mul):
        return [p for a in expr.args for p in _polynomial_parts(a, used)]
    plain = [a for a in expr.args if a.has(*used) and a.is_polynomial(*used)]
    others = [a for a in expr.args if not a.is_polynomial(*used)]
    return [*([expr.func(*plain)] if plain else []), *(p for a in others for p in _polynomial_parts(a, used))]


def _blocks(parts: Sequence[Expr], used: Block) -> list[Block]:
    """Largest sets of variables, rotations of which change none of the polynomials."""
    left, found = list(used), []
    while left:
        first, *others = left
        block = (first, *(v for v in others if all(_is_round(p, first, v) for p in parts)))
        left = [v for v in others if v not in block]
        if len(block) > 1:
            found.append(block)
    return found


def _is_round(polynomial: Expr, x: Symbol, y: Symbol) -> bool:
    """Whether x d/dy - y d/dx of it is 0."""
    return bool(sympy.expand(x * polynomial.diff(y) - y * polynomial.diff(x)) == 0)


def _turned(parts: Sequence[Expr], used: Block) -> dict[Symbol, Expr]:
    """x = (u + v)/sqrt 2, y = (u - v)/sqrt 2 where only products x y occur; u and v are called x and y."""
    turn: dict[Symbol, Expr] = {}
    for x, y in itertools.combinations(used, 2):
        if x in turn or y in turn:
            continue
        if all(sympy.expand(x * p.diff(x) - y * p.diff(y)) == 0 for p in parts):
            turn |= {x: (x + y) / sqrt(2), y: (x - y) / sqrt(2)}
    return turn


def _averaged(outer: Expr, block: Block) -> Expr | None:
    """The polynomial as a function of the radius, with the weight of a Gaussian that stands for it."""
    poly = Poly(outer, *block)
    if poly.total_degree() > _MOST_DEGREE:
        return None
    first, size = block[0], len(block)
    terms = []
    for powers, coefficient in poly.terms():
        if any(m % 2 for m in powers):
            continue
        degree = sum(powers)
        moment = Mul(*(sympy.factorial2(m - 1) for m in powers))
        directions = Mul(*(Integer(size + 2 * j) for j in range(degree // 2)))
        terms.append(coefficient * moment / directions * _power(first, size - 1 + degree))
    return Add(*terms) / _absolute_moment(size - 1)


def _power(w: Symbol, exponent: int) -> Expr:
    """|w|^exponent."""
    return w**exponent if exponent % 2 == 0 else Abs(w) * w ** (exponent - 1)


def _absolute_moment(power: int) -> Expr:
    """E|w|^power."""
    return sqrt(2) ** power * gamma(Rational(power + 1, 2)) / sqrt(pi)
