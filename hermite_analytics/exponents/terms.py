"""Terms of a target that are the same function of different variables, or products of such functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import sympy
from sympy import Expr, S, Symbol

from hermite_analytics.coefficient_table import hermite_product
from hermite_analytics.evidence import Quantity
from hermite_analytics.exponents.contraction import Index
from hermite_analytics.exponents.numbers import Numbers
from hermite_analytics.gaussian.integrability import integrability
from hermite_analytics.symbols import variable, xi

__all__ = ["SharedTerms", "summands"]

Table = Callable[[Expr, tuple[Symbol, ...]], Mapping[Index, Quantity]]


Piece = tuple[
    Expr, tuple[int, ...]
]  # a function of z1, .., zm, and the places of its variables in the target


@dataclass(frozen=True, slots=True)
class _Term:
    """A constant times functions of different variables: its c_S are products of theirs."""

    factor: Expr
    pieces: tuple[Piece, ...]


def summands(expression: Expr, variables: Sequence[Symbol]) -> list[Expr]:
    """The terms of a sum if the mean of each exists, else the whole expression."""
    terms = list(sympy.Add.make_args(expression))
    everything = [*variables, xi]
    alone = all(integrability(t, [v for v in everything if t.has(v)]).finite for t in terms)
    return terms if alone else [expression]


class SharedTerms:
    """Numbers E[He_S g] that occur in several coefficients of one target, each with one letter.

    tanh(z1) + 2 tanh(z2) has C_1 = (m, 2m), which spans (1, 2) whatever m is; tanh(z1) (z2^2 - 1) has
    c_(1, 0) = m 0, which no ball would show.

    Parameters
    ----------
    expression : sympy expression
    variables : tuple of symbols
    numbers : Numbers
        Where the letters are kept.
    table : callable
        All coefficients of a function of given variables up to one degree.
    """

    def __init__(
        self, expression: Expr, variables: tuple[Symbol, ...], numbers: Numbers, table: Table
    ) -> None:
        self._terms = [_normalised(term, variables) for term in summands(expression, variables)]
        self._numbers, self._table = numbers, table
        self._tables: dict[Expr, Mapping[Index, Quantity]] = {}
        self._letters: dict[tuple[Expr, Index], Expr] = {}

    def number(self, index: Index) -> Expr | None:
        """c_S as a combination of shared letters; None if nothing is shared and no term is a product."""
        functions = [function for term in self._terms for function, _ in term.pieces]
        if len(functions) == len(self._terms) == len(set(functions)):
            return None
        return sympy.Add(*(self._of_term(term, index) for term in self._terms))

    def _of_term(self, term: _Term, index: Index) -> Expr:
        inner = [tuple(index[i] for i in positions) for _, positions in term.pieces]
        if sum(map(sum, inner)) < sum(index):
            return S.Zero
        pieces = zip(term.pieces, inner, strict=True)
        return term.factor * sympy.Mul(*(self._shared(function, part) for (function, _), part in pieces))

    def _shared(self, function: Expr, index: Index) -> Expr:
        key = function, index
        if key not in self._letters:
            own = tuple(variable(j + 1) for j in range(len(index)))
            if index not in self._tables.get(function, {}):
                self._tables[function] = self._table(function, own)
            q = self._tables[function][index]
            exact = S.Zero if q.zero else q.exact
            mean_of = hermite_product(index, own) * function
            self._letters[key] = self._numbers.letter(q, mean_of=mean_of) if exact is None else exact
        return self._letters[key]


def _normalised(term: Expr, variables: tuple[Symbol, ...]) -> _Term:
    """c g(z_i, z_j) h(z_k) as c and (g(z1, z2), (i, j)), (h(z1), (k,))."""
    factor, function = term.as_independent(*variables, xi, as_Add=False)
    groups: list[tuple[Expr, frozenset[Symbol]]] = []
    for f in sympy.Mul.make_args(function):
        names = frozenset(f.free_symbols)
        joined = [g for g in groups if g[1] & names]
        groups = [g for g in groups if not g[1] & names]
        groups.append((sympy.Mul(f, *(g[0] for g in joined)), names.union(*(g[1] for g in joined))))
    pieces = tuple(_renamed(g, variables) for g, _ in groups)
    if any(not positions for _, positions in pieces):  # label noise alone
        pieces = (_renamed(function, variables),)
    return _Term(factor, pieces)


def _renamed(function: Expr, variables: tuple[Symbol, ...]) -> Piece:
    positions = tuple(i for i, v in enumerate(variables) if function.has(v))
    return function.xreplace({variables[i]: variable(j + 1) for j, i in enumerate(positions)}), positions
