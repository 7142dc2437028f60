"""Transformations T(Y) of the label and their Hermite tensors E[He_k(z) T(Y)]."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import sympy
from sympy import Expr, Symbol

from hermite_analytics.calculus.closed_form import expanded
from hermite_analytics.coefficient_table import coefficient_table
from hermite_analytics.enclosure import Budget
from hermite_analytics.errors import UndefinedQuantity
from hermite_analytics.evidence import Evidence
from hermite_analytics.exponents.contraction import Index, Tensor
from hermite_analytics.exponents.numbers import Numbers
from hermite_analytics.label_noise import averaged
from hermite_analytics.language.integrability import integrability
from hermite_analytics.law.cells import Cell

__all__ = ["TransformedLabel", "indicators", "powers", "tensors_of"]

_DIGITS = 18
_MOST_POWER = 3
_SHARE = 0.4  # of the time left, for one transformation


@dataclass(frozen=True, slots=True, kw_only=True)
class TransformedLabel:
    """The tensors of one transformation of the label.

    Attributes
    ----------
    name : str
        T(y), for people.
    tensors : mapping of degree to tensor
        Entries that are proved to be 0 are left out.
    evidence : Evidence
        EXACT if all numbers are closed forms, else PROVED.
    """

    name: str
    tensors: Mapping[int, Tensor]
    evidence: Evidence


def powers(
    label: Expr,
    variables: tuple[Symbol, ...],
    noise: tuple[Symbol, ...],
    degree: int,
    numbers: Numbers,
    budget: Budget,
) -> Iterator[TransformedLabel]:
    """y, y^2, y^3, as far as their moments are finite."""
    for power in range(1, _MOST_POWER + 1):
        if integrability(label**power, (*variables, *noise)).finite is not True:
            return
        name = "y" if power == 1 else f"y**{power}"
        try:
            expression = expanded(label**power)
            yield tensors_of(name, expression, variables, noise, degree, numbers, budget.part(_SHARE))
        except UndefinedQuantity:
            return


def indicators(
    cells: Sequence[Cell],
    variables: tuple[Symbol, ...],
    noise: tuple[Symbol, ...],
    degree: int,
    numbers: Numbers,
    budget: Budget,
) -> list[TransformedLabel]:
    """1{y = v} for all values v but the first: they span all transformations but the constants."""
    return [
        tensors_of(f"1{{y = {c.label}}}", c.indicator, variables, noise, degree, numbers, budget.part(_SHARE))
        for c in cells[1:]
    ]


def tensors_of(
    name: str,
    expression: Expr,
    variables: tuple[Symbol, ...],
    noise: tuple[Symbol, ...],
    degree: int,
    numbers: Numbers,
    budget: Budget,
) -> TransformedLabel:
    """The tensors of one function of the label up to a degree; enclosed numbers become letters."""
    expression = sympy.Add(*averaged(expression, budget=budget.part(_SHARE)))
    used = tuple(v for v in noise if expression.has(v))
    table = coefficient_table(expression, variables, degree, noise=used, digits=_DIGITS, budget=budget)
    tensors: dict[int, dict[Index, Expr]] = {k: {} for k in range(1, degree + 1)}
    for index, quantity in table.items():
        if sum(index) and not quantity.zero:
            exact = quantity.exact
            tensors[sum(index)][index] = numbers.letter(quantity) if exact is None else exact
    closed = all(q.evidence is Evidence.EXACT for s, q in table.items() if sum(s))
    return TransformedLabel(
        name=name, tensors=tensors, evidence=Evidence.EXACT if closed else Evidence.PROVED
    )
