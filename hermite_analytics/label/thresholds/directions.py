"""Bases of the directions that a grand staircase finds at once, at a finite alpha, or never."""

from __future__ import annotations

import sympy
from sympy import Expr

from hermite_analytics.argument.formulas import rows_text
from hermite_analytics.argument.steps import Basis
from hermite_analytics.exponents.numbers import Numbers
from hermite_analytics.exponents.results import Staircase
from hermite_analytics.exponents.spans import Row, Span, complement, extended
from hermite_analytics.foundation.attempts import attempted
from hermite_analytics.foundation.clock import check_time, share

__all__ = ["Rows", "directions_found", "exact_rows"]

Rows = tuple[tuple[str, ...], ...]

_SHARE = 0.1  # of the time that is left, for one basis


def exact_rows(basis: Basis) -> list[Row] | None:
    """The rows if all numbers are closed forms; None if one of them stands for an expectation."""
    rows = [tuple(x for x in row if isinstance(x, Expr)) for row in basis.rows]
    return rows if all(len(a) == len(b) for a, b in zip(rows, basis.rows, strict=True)) else None


def directions_found(steps: Staircase) -> tuple[Rows | None, Rows | None, Rows | None]:
    """Bases of the trivial, easy and hard directions; None where later steps may add to them."""
    ended = steps.limit_dimension is not None
    first_hard = next((t for t, order in enumerate(steps.orders) if order > 2), None)
    last_easy = len(steps.orders) if first_hard is None else first_hard
    first_easy = min(1 if steps.orders and steps.orders[0] == 1 else 0, last_easy)
    trivial = _new_rows(steps.subspaces[0], steps.subspaces[first_easy]) if ended or steps.orders else None
    easy = (
        _new_rows(steps.subspaces[first_easy], steps.subspaces[last_easy])
        if ended or first_hard is not None
        else None
    )
    return trivial, easy, _new_rows(steps.subspaces[last_easy], steps.subspaces[-1]) if ended else None


def _new_rows(before: Basis, after: Basis) -> Rows | None:
    """A basis of what is in the later subspace and orthogonal to the earlier one; None where time ends.

    Beside long closed forms, as of cells between lines in general position, no elimination ends: the
    complement in all of R^r needs none.
    """
    old, new = exact_rows(before), exact_rows(after)
    if not old or new is None:
        return after.text[before.dimension :]
    width = len(old[0])
    span = _with_pivots(old)
    if len(new) == width and span is not None and not span.is_short:
        return rows_text(complement(span).rows)
    with attempted(share(_SHARE)):
        found, _ = extended(Numbers(), Span(width=width), _orthogonal(new, old))
        return rows_text(found.rows)
    return None


def _with_pivots(rows: list[Row]) -> Span | None:
    """The rows with the columns in which one of them has 1 and all others 0; None where one has no such."""
    pivots = []
    for row in rows:
        alone = [j for j, x in enumerate(row) if x == 1 and sum(other[j] != 0 for other in rows) == 1]
        if not alone:
            return None
        pivots.append(alone[0])
    return Span(width=len(rows[0]), rows=tuple(rows), pivots=tuple(pivots))


def _orthogonal(rows: list[Row], to: list[Row]) -> list[Row]:
    """The parts of some rows that are orthogonal to others, without those that vanish."""
    basis = sympy.Matrix(to)
    inverse = (basis * basis.T).inv()
    found = []
    for row in map(sympy.Matrix, ([row] for row in rows)):
        check_time()
        rest = tuple(sympy.expand(x) for x in row - ((row * basis.T) * inverse) * basis)
        found += [rest] if any(x != 0 for x in rest) else []
    return found
