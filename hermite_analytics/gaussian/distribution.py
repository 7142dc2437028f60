"""Products and powers of sums written out, where that stays small."""

from __future__ import annotations

import math
from collections.abc import Callable

import sympy
from sympy import Dummy, Expr, Pow

from hermite_analytics.gaussian.terms import MAX_TERMS
from hermite_analytics.language.shape import opened

__all__ = ["distributed", "expanded", "expanded_above", "stays_small"]


def distributed(expr: Expr) -> Expr:
    """Products of sums as sums of products, unless that gives more than `MAX_TERMS` terms.

    Denominators stay products: multiplied out, (x + 1)|x + 1| would be a difference near -1.
    """
    plain = opened(expr)
    if any(_count(node) > MAX_TERMS for node in sympy.preorder_traversal(plain)):
        return plain
    return _beside_poles(plain, sympy.expand_mul)


def expanded_above(expr: Expr) -> Expr:
    """As `expanded`, and denominators stay as they are: what is shown of their sign is read off there.

    Examples
    --------
    >>> x = sympy.Symbol("x", real=True)
    >>> expanded_above((x + 1 / (2 + sympy.sin(x))) ** 2)
    x**2 + 2*x/(sin(x) + 2) + (sin(x) + 2)**(-2)
    """
    return _beside_poles(expr, sympy.expand) if stays_small(expr) else expr


def _beside_poles(expr: Expr, written_out: Callable[[Expr], Expr]) -> Expr:
    poles = {p: Dummy(real=p.is_real) for p in expr.atoms(Pow) if p.exp.is_negative and p.free_symbols}
    return written_out(expr.xreplace(poles)).xreplace({letter: pole for pole, letter in poles.items()})


def expanded(expr: Expr) -> Expr:
    """Products and powers of sums as sums, unless that gives more than `MAX_TERMS` terms."""
    return sympy.expand(expr) if stays_small(expr) else expr


def stays_small(expr: Expr) -> bool:
    """Whether no part has more than `MAX_TERMS` terms once products and powers of sums are written out."""
    nodes = sympy.preorder_traversal(expr)
    return all(_count(_upwards(node), powers=True) <= MAX_TERMS for node in nodes)


def _upwards(node: Expr) -> Expr:
    """A power in a denominator as the power that is written out there."""
    return 1 / node if node.is_Pow and node.exp.is_Integer and node.exp < 0 else node


def _count(expr: Expr, *, powers: bool = False) -> int:
    """Number of terms after distribution."""
    if expr.is_Add:
        return sum(_count(a, powers=powers) for a in expr.args)
    if expr.is_Mul:
        return math.prod(_count(a, powers=powers) for a in expr.args)
    if powers and expr.is_Pow and expr.exp.is_Integer and expr.exp > 0:
        terms, exponent = _count(expr.base, powers=True), int(expr.exp)
        return terms if exponent == 1 or terms == 1 else math.comb(terms + exponent - 1, exponent)
    return 1
