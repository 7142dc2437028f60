"""Orthogonal blocks of directions in which a label is seen through less than the whole block.

The affine forms in f fall into groups that are orthogonal to each other; each group spans a block W. Two
things are read off the expression, block by block:

    f depends on w, the coordinates in W, through w/|w| only. Then |w| is independent of the label and of the
    rest, and E[L(|w|^2/2) h(rest) | Y, rest] = 0 for the Laguerre polynomials L of positive degree;
    f depends on one direction v through one function h(v.z) only. Then E[He_k(v.z) | Y, rest] vanishes where
    E[He_k(t) | h(t)] does.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import sympy
from sympy import Expr, Symbol

from hermite_analytics.exponents.dependence import slopes
from hermite_analytics.exponents.spans import Row
from hermite_analytics.gaussian.enclosure.forms import affine_form
from hermite_analytics.gaussian.homogeneity import homogeneous_degree
from hermite_analytics.gaussian.law import rationalised
from hermite_analytics.language import functions as own

__all__ = ["Block", "RadialBlock", "inner_functions", "orthogonal_blocks", "radial_blocks"]

_MOST_BLOCKS = 5  # all subsets of which are looked at


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """The span of a group of affine forms; the rows are orthogonal to each other."""

    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RadialBlock:
    """A sum of blocks in which f is homogeneous of degree 0."""

    rows: tuple[Row, ...]


def orthogonal_blocks(expr: Expr, variables: tuple[Symbol, ...]) -> tuple[Block, ...]:
    """The blocks of the affine forms, which are orthogonal to each other.

    Examples
    --------
    >>> z = sympy.symbols("z1:4", real=True)
    >>> [len(b.rows) for b in orthogonal_blocks(sympy.sign(z[0]) * sympy.sign(z[1] + z[2]), z)]
    [1, 1]
    """
    groups: list[list[Row]] = []
    for v in dict.fromkeys(slopes(expr, variables)):
        touching = [g for g in groups if any(_dot(u, v) != 0 for u in g)]
        groups = [g for g in groups if g not in touching]
        groups.append([*(u for g in touching for u in g), v])
    return tuple(Block(rows=tuple(_orthogonal_basis(g))) for g in groups)


def radial_blocks(
    expr: Expr, variables: tuple[Symbol, ...], blocks: Sequence[Block]
) -> Iterator[RadialBlock]:
    """The sums of blocks in which f is homogeneous of degree 0, the smallest first.

    Examples
    --------
    >>> z = sympy.symbols("z1:4", real=True)
    >>> f = z[0] ** 2 + sympy.sign(z[0] * z[1] * z[2])
    >>> [b.rows for b in radial_blocks(f, z, orthogonal_blocks(f, z))]
    [((0, 1, 0),), ((0, 0, 1),), ((0, 1, 0), (0, 0, 1))]
    """
    if len(blocks) > _MOST_BLOCKS:
        chosen: Iterator[tuple[Block, ...]] = ((block,) for block in blocks)
    else:
        sizes = range(1, len(blocks) + 1)
        chosen = itertools.chain.from_iterable(itertools.combinations(blocks, n) for n in sizes)
    for some in chosen:
        rows = tuple(row for block in some for row in block.rows)
        if homogeneous_degree(expr, variables, rows) == 0:
            yield RadialBlock(rows=rows)


def inner_functions(expr: Expr, variables: tuple[Symbol, ...], direction: Row, t: Symbol) -> set[Expr]:
    """The functions of t = v.z/|v| through which f depends on a direction that is a block by itself.

    Up to factors and additive constants.

    Examples
    --------
    >>> z1, z2, t = sympy.symbols("z1 z2 t", real=True)
    >>> inner_functions(sympy.sign(z1 * z2**3) + z2, (z1, z2), (sympy.S.One, sympy.S.Zero), t)
    {sign(t)}
    >>> inner_functions(z1 * sympy.exp(-(z1**2) - z2**2), (z1, z2), (sympy.S.One, sympy.S.Zero), t)
    {t*exp(-t**2)}
    """
    length = sympy.sqrt(_dot(direction, direction))
    pivot = next(i for i, x in enumerate(direction) if x != 0)

    def rebuilt(node: Expr) -> Expr:
        if not node.free_symbols.intersection(variables):
            return node
        form = affine_form(node, variables)
        if form is None:
            if isinstance(node, sympy.exp) and node.args[0].is_Add:
                return sympy.Mul(*(sympy.exp(a) for a in map(rebuilt, node.args[0].args)), evaluate=False)
            arguments = [rebuilt(a) for a in node.args]
            if isinstance(node, sympy.Max | sympy.Min):  # sympy compares all pairs of arguments
                return node.func(*arguments, evaluate=False)
            return _with_single_signs(node.func(*arguments))
        if _dot(form[1], direction) == 0:
            return node
        return form[0] + form[1][pivot] / direction[pivot] * length * t

    return set(_inner(rebuilt(expr), t))


def _inner(expr: Expr, t: Symbol) -> Iterator[Expr]:
    if not expr.has(t):
        return
    if not (expr.is_Add or expr.is_Mul):
        if expr.free_symbols == {t}:
            yield expr
        else:
            for a in expr.args:
                yield from _inner(a, t)
        return
    alone = [a for a in expr.args if a.free_symbols == {t}]
    if alone:
        yield _without_constants(expr.func(*alone), t)
    for a in expr.args:
        if a not in alone:
            yield from _inner(a, t)


def _without_constants(function: Expr, t: Symbol) -> Expr:
    """Without factors and additive constants."""
    before = None
    while function != before:
        before = function
        if function.is_Add or function.is_Mul:
            function = function.as_independent(t, as_Add=bool(function.is_Add))[1]
    return function


def _with_single_signs(expr: Expr) -> Expr:
    """The sign or step of a product as that of a product of signs."""
    if isinstance(expr, own.step) and (expr.args[0].is_Mul or expr.args[0].is_Pow):
        return own.step(_with_single_signs(sympy.sign(expr.args[0])))
    if not isinstance(expr, sympy.sign):
        return expr
    factors = [_sign_of_power(a) for a in sympy.Mul.make_args(expr.args[0])]
    return sympy.Mul(*factors)


def _sign_of_power(factor: Expr) -> Expr:
    if factor.is_Pow and factor.exp.is_Integer:
        return sympy.sign(factor.base) ** (2 - factor.exp % 2)  # not 1: it may be 0 on an open set
    return sympy.sign(factor)


def _dot(u: Sequence[Expr], v: Sequence[Expr]) -> Expr:
    return sympy.expand(sympy.Add(*(a * b for a, b in zip(u, v, strict=True))))


def _orthogonal_basis(vectors: Sequence[Row]) -> list[Row]:
    """By Gram and Schmidt; rational as far as the vectors are."""
    basis: list[Row] = []
    for v in vectors:
        for e in basis:
            factor = _dot(v, e) / _dot(e, e)
            v = tuple(rationalised(a - factor * b) for a, b in zip(v, e, strict=True))
        if any(a != 0 for a in v):
            basis.append(v)
    return basis
