"""An expectation as a sum of products of expectations over independent blocks of variables."""

from __future__ import annotations

from dataclasses import dataclass

import sympy
from sympy import Expr, S, Symbol

__all__ = ["Block", "independent_blocks"]

_MOST_TERMS = 200


@dataclass(frozen=True, slots=True)
class Block:
    """A factor and the variables it contains; no variable is shared with another factor of the same term."""

    factor: Expr
    variables: tuple[Symbol, ...]


def independent_blocks(expr: Expr, variables: tuple[Symbol, ...]) -> list[list[Block]]:
    """Terms, each a list of independent factors; terms that form one block on the same variables are joined.

    Products of sums are expanded where that makes the blocks smaller.

    Examples
    --------
    >>> from hermite_analytics.symbols import variable
    >>> x, y = variable(1), variable(2)
    >>> [[b.factor for b in term] for term in independent_blocks(sympy.tanh(x) * y**2 + x, (x, y))]
    [[z2**2, tanh(z1)], [z1]]
    """
    direct = _terms(expr, variables)
    expanded = _expanded(expr)
    if expanded is None:
        return direct
    other = _terms(expanded, variables)
    return other if _size(other) < _size(direct) else direct


def _size(terms: list[list[Block]]) -> int:
    return max((len(b.variables) for term in terms for b in term), default=0)


def _terms(expr: Expr, variables: tuple[Symbol, ...]) -> list[list[Block]]:
    products: list[list[Block]] = []
    alone: dict[tuple[Symbol, ...], list[Expr]] = {}
    for term in sympy.Add.make_args(expr):
        blocks = _blocks(term, variables)
        if len(blocks) == 1:
            alone.setdefault(blocks[0].variables, []).append(blocks[0].factor)
        else:
            products.append(blocks)
    return products + [[Block(sympy.Add(*factors), key)] for key, factors in alone.items()]


def _blocks(term: Expr, variables: tuple[Symbol, ...]) -> list[Block]:
    """Union-find on the variables of the factors; constants go with the first block."""
    groups: list[tuple[set[Symbol], list[Expr]]] = []
    constants = []
    for factor in _factors(term):
        met = factor.free_symbols.intersection(variables)
        if not met:
            constants.append(factor)
            continue
        touching = [g for g in groups if g[0] & met]
        groups = [g for g in groups if not g[0] & met]
        groups.append((met.union(*(g[0] for g in touching)), [f for g in touching for f in g[1]] + [factor]))
    if not groups:
        return [Block(term, ())]
    ordered = [(tuple(v for v in variables if v in met), sympy.Mul(*factors)) for met, factors in groups]
    ordered.sort(key=lambda item: str(item[0]), reverse=True)
    first, *others = ordered
    constant = sympy.Mul(*constants) if constants else S.One
    return [Block(constant * first[1], first[0]), *(Block(f, v) for v, f in others)]


def _factors(term: Expr) -> list[Expr]:
    """Factors of a product; the exponential of a sum counts as a product of exponentials."""
    factors: list[Expr] = []
    for factor in sympy.Mul.make_args(term):
        if isinstance(factor, sympy.exp) and factor.args[0].is_Add:
            factors += [sympy.exp(a) for a in factor.args[0].args]
        else:
            factors.append(factor)
    return factors


def _expanded(expr: Expr) -> Expr | None:
    """Products and powers of sums multiplied out, if that stays short."""
    count = 0
    for term in sympy.Add.make_args(expr):
        product = 1
        for factor in sympy.Mul.make_args(term):
            base, exponent = factor.as_base_exp()
            if base.is_Add and exponent.is_Integer and exponent > 0:
                product *= len(base.args) ** min(int(exponent), 20)
        count += product
    if count == len(sympy.Add.make_args(expr)) or count > _MOST_TERMS:
        return None
    return sympy.expand(expr, deep=False, power_base=False, power_exp=False, log=False, basic=False)
