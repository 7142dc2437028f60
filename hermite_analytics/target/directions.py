"""Directions of a target: exact rows from outside, and expressions along them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import sympy
from sympy import Add, Expr, Symbol

from hermite_analytics.activation import shortened
from hermite_analytics.errors import InputError
from hermite_analytics.language import display
from hermite_analytics.language.numbers import RowsLike
from hermite_analytics.language.rows import Rows, exact_rows
from hermite_analytics.language.table import MAX_VARIABLES
from hermite_analytics.symbols import variable, xi

__all__ = ["along", "combination", "given_rows", "largest_index", "orthogonal_rows", "widened"]


def combination(row: Sequence[Expr], z: Sequence[Symbol]) -> str:
    """A direction of norm 1 as a combination of coordinates, its norm as a divisor."""
    lead = next(a for a in row if a != 0)
    ratios = [sympy.cancel(a / lead) for a in row]
    scale = sympy.ilcm(1, 1, *(a.q for a in ratios if a.is_Rational))
    whole = [scale * a for a in ratios]
    norm = sympy.sqrt(sum(a**2 for a in whole))
    text = display.text(sympy.Add(*(a * x for a, x in zip(whole, z, strict=True))))
    return text if norm == 1 else f"({text})/{display.text(norm)}"


def given_rows(given: RowsLike, name: str, exact: bool) -> Rows:
    """The matrix, with no more columns than there are variables."""
    rows = exact_rows(given, name, exact=exact, level=5)
    if not rows:
        raise InputError(f"{name} has no rows; a list of rows of numbers is accepted")
    if len(rows[0]) > MAX_VARIABLES:
        raise InputError(f"{name} has {len(rows[0])} columns; at most {MAX_VARIABLES} are accepted")
    return rows


def orthogonal_rows(rotation: RowsLike, least: int, exact: bool) -> Rows:
    """The rows of a matrix that is shown to be orthogonal."""
    from hermite_analytics.gaussian.zero import decide_constant

    rows = given_rows(rotation, "the rotation", exact)
    if len(rows) != len(rows[0]) or len(rows) < least:
        raise InputError(
            f"the rotation has shape ({len(rows)}, {len(rows[0])}); a square matrix of {least} rows at least "
            "is accepted"
        )
    for (i, a), (j, b) in itertools.combinations_with_replacement(enumerate(rows), 2):
        product = Add(*(x * y for x, y in zip(a, b, strict=True)))
        if decide_constant(product - int(i == j)).zero is not True:
            raise InputError(
                f"the rotation is not shown to be orthogonal: row {i + 1} times row {j + 1} is "
                f"{shortened(str(display.plain_text(product)))}; an exact matrix with R R^T = 1 is accepted, "
                'such as [["3/5", "4/5"], ["-4/5", "3/5"]]'
            )
    return rows


def widened(rows: Sequence[Sequence[Expr]], columns: int) -> sympy.Matrix:
    """The rows with zeros behind, as columns of a larger space."""
    return sympy.Matrix([[*row, *[0] * (columns - len(row))] for row in rows])


def along(expression: Expr, rows: Rows) -> Expr:
    """z_i as row i of the directions times z."""
    forms = {
        variable(i + 1): Add(*(a * variable(j + 1) for j, a in enumerate(row))) for i, row in enumerate(rows)
    }
    return expression.xreplace(forms) if forms else expression


def largest_index(expression: Expr) -> int:
    """m of the last of z1, ..., zm that the expression has; 1 for a constant."""
    return max((int(s.name[1:]) for s in expression.free_symbols if s != xi), default=1)
