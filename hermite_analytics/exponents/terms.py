"""A function as a sum of products of functions of separate coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy
from sympy import Expr, S, Symbol

from hermite_analytics.gaussian.integrability import integrability
from hermite_analytics.symbols import variable, xi

__all__ = ["Product", "SeparateFactor", "product", "summands"]


@dataclass(frozen=True, slots=True)
class SeparateFactor:
    """A function of z1, .., zm, and the places of its coordinates in the whole."""

    function: Expr
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Product:
    """A constant times functions of separate coordinates: its c_S are products of theirs."""

    factor: Expr
    pieces: tuple[SeparateFactor, ...]


def summands(expression: Expr, variables: Sequence[Symbol]) -> list[Expr]:
    """The terms of a sum if the mean of each exists, else the whole expression."""
    terms = list(sympy.Add.make_args(expression))
    if len(terms) == 1:
        return terms
    alone: set[Expr] = set()
    for term in terms:
        used = [v for v in (*variables, xi) if term.has(v)]
        standard = term.xreplace({v: variable(j + 1) for j, v in enumerate(used) if v != xi})
        if standard not in alone and not integrability(term, used).finite:
            return [expression]
        alone.add(standard)
    return terms


def product(term: Expr, variables: tuple[Symbol, ...]) -> Product:
    """c g(z_i, z_j) h(z_k) as c and g(z1, z2) at (i, j), h(z1) at (k,).

    Factors that share a coordinate, or the label noise, stay together.

    Examples
    --------
    >>> z = tuple(variable(i) for i in (1, 2, 3))
    >>> found = product(3 * sympy.sign(z[0] * z[2]) * sympy.exp(z[1] + z[2]), z)
    >>> found.factor, [(p.function, p.places) for p in found.pieces]
    (3, [(sign(z1), (0,)), (exp(z1), (1,)), (exp(z1)*sign(z1), (2,))])
    """
    factor, function = term.as_independent(*variables, xi, as_Add=False)
    if function == S.One:
        return Product(factor, ())
    groups: list[tuple[Expr, frozenset[Symbol]]] = []
    for f in _factors(function):
        names = frozenset(f.free_symbols)
        joined = [g for g in groups if g[1] & names]
        groups = [g for g in groups if not g[1] & names]
        groups.append((sympy.Mul(f, *(g[0] for g in joined)), names.union(*(g[1] for g in joined))))
    pieces = tuple(_renamed(g, variables) for g, _ in groups)
    if any(not piece.places for piece in pieces):  # label noise alone
        pieces = (_renamed(function, variables),)
    return Product(factor, tuple(sorted(pieces, key=lambda piece: piece.places)))


def _factors(function: Expr) -> list[Expr]:
    """Those of a product, of the sign or size of a product and of the exponential of a sum."""
    found: list[Expr] = []
    for f in sympy.Mul.make_args(function):
        if isinstance(f, sympy.sign | sympy.Abs) and f.args[0].is_Mul:
            found += [g for a in f.args[0].args for g in _factors(f.func(a))]
        elif isinstance(f, sympy.exp) and f.args[0].is_Add:
            found += [sympy.exp(a) for a in f.args[0].args]
        else:
            found.append(f)
    return found


def _renamed(function: Expr, variables: tuple[Symbol, ...]) -> SeparateFactor:
    places = tuple(i for i, v in enumerate(variables) if function.has(v))
    images = {variables[i]: variable(j + 1) for j, i in enumerate(places)}
    moved = {v: w for v, w in images.items() if v != w}
    return SeparateFactor(function.xreplace(moved) if moved else function, places)
