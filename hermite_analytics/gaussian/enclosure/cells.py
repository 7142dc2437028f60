"""A stretch of the real line cut where kinks may change their branch, with proof.

The stretch is bisected until ball arithmetic decides the sign of every kink's argument, or a piece is so
small that the integrand's size times its width is negligible. Neighbours of equal signs are joined. So a
kink may stand at any real number, known exactly or not.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy
from flint import arb
from sympy import Expr, Symbol

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.gaussian.enclosure.effort import check
from hermite_analytics.gaussian.enclosure.precision import dyadic
from hermite_analytics.gaussian.enclosure.program import Program
from hermite_analytics.language.functions import floor, record_of
from hermite_analytics.language.kinks import BREAKS, STAIRS, differences, on_cell

__all__ = ["Stretch", "cells", "interval", "kink_differences", "resolved"]

_MOST_PIECES = 60_000
Signs = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch in units of 2^exponent, and the signs of the kinks' arguments there (None: undecided).

    Of a staircase `arguments` has the floor in place of a difference, and `signs` the integer.
    """

    low: int
    high: int
    signs: Signs | None


def cells(arguments: list[Expr], z: Symbol, ends: tuple[int, int], exponent: int, prec: int) -> list[Stretch]:
    """Cells from left to right between ends[0] and ends[1] (units of 2^exponent, at which bisection stops).

    Raises
    ------
    UnsupportedExpression
        If the signs stay open on too many pieces (an argument that vanishes on an interval, unproved).
    """
    programs = [(Program(a, [z], prec), _whole if isinstance(a, floor) else _sign) for a in arguments]
    found: list[Stretch] = []
    work = [ends]
    visited = 0
    while work:
        check()
        low, high = work.pop()
        visited += 1
        if visited > _MOST_PIECES:
            raise UnsupportedExpression(f"the kinks of {arguments[0]} were not separated")
        x = interval(low, high, exponent)
        signs = tuple(value(p(x)) for p, value in programs)
        if None not in signs:
            _append(found, Stretch(low, high, signs))  # type: ignore[arg-type]
        elif high - low <= 1:
            _append(found, Stretch(low, high, None))
        else:
            middle = (low + high) // 2
            work += [(middle, high), (low, middle)]
    return found


def interval(low: int, high: int, exponent: int) -> arb:
    """A ball that contains [low, high] * 2^exponent."""
    return dyadic(low + high, exponent - 1) + arb(0, dyadic(high - low, exponent - 1))


def _sign(value: arb) -> int | None:
    if value > 0:
        return 1
    if value < 0:
        return -1
    return 0 if value == 0 else None


def _whole(value: arb) -> int | None:
    return int(value.unique_fmpz()) if value.is_exact() and value.is_finite() else None


def _append(found: list[Stretch], cell: Stretch) -> None:
    if found and found[-1].signs == cell.signs:
        found[-1] = Stretch(found[-1].low, cell.high, cell.signs)
    else:
        found.append(cell)


def resolved(expr: Expr, variables: tuple[Symbol, ...], signs: dict[Expr, int]) -> Expr:
    """`expr` with every kink in the variables replaced by its branch; `signs` of `kink_differences`."""
    if not expr.free_symbols.intersection(variables) or expr.is_Symbol:
        return expr
    arguments = [resolved(a, variables, signs) for a in expr.args]
    stairs = record_of(expr).stairs
    if stairs is not None:
        return stairs + signs[floor(expr.args[0])]
    if not isinstance(expr, BREAKS):
        return expr.func(*arguments)
    return on_cell(expr, lambda a, b: difference_sign(a, b, signs), arguments)


def difference_sign(a: Expr, b: Expr, signs: dict[Expr, int]) -> int:
    """Sign of a - b among the known ones; constants are compared when they were listed."""
    if a - b in signs:
        return signs[a - b]
    return -signs[b - a]


def kink_differences(expr: Expr, variables: tuple[Symbol, ...]) -> list[Expr]:
    """The expressions whose signs decide the branches of all kinks of `expr` in the variables."""
    found: dict[Expr, None] = {}
    for node in sympy.preorder_traversal(expr):
        if not isinstance(node, BREAKS) or not node.free_symbols.intersection(variables):
            continue
        arguments = [floor(node.args[0])] if isinstance(node, STAIRS) else differences(node)
        found |= {d: None for d in arguments if -d not in found}
    return list(found)
