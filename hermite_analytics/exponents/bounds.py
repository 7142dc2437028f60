"""Which directions a step can learn at most: what symmetries leave of T_j(x) = E[He_j(y) f(x + y)].

Here x is in the learned subspace U and y in its complement. If f(Rz) = chi f(z) and R fixes U, then
T_j(x)[Ry, .., Ry] = chi T_j(x)[y, .., y] for every x, so that the span of the slots of all T_j(x) lies in
that of the solutions of these equations. A sum learns at most the sum of what its terms learn.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import sympy
from sympy import Expr, S, Symbol

from hermite_analytics.calculus.clock import TimeEnded, limited
from hermite_analytics.exponents.closed_bounds import conditional_slots
from hermite_analytics.exponents.coefficients import Coefficients
from hermite_analytics.exponents.contraction import (
    Tensor,
    slots,
    symmetric_product,
    transformed,
    vectors_of,
)
from hermite_analytics.exponents.dependence import directions
from hermite_analytics.exponents.numbers import Numbers
from hermite_analytics.exponents.spans import Row, Span, complement, extended
from hermite_analytics.exponents.terms import summands
from hermite_analytics.zero import symmetries
from hermite_analytics.zero.certificate import exact_matrix
from hermite_analytics.zero.tensors import indices

__all__ = ["Bound", "bounds"]

_LARGEST = 200  # unknowns of the equations
_CLOSED_SHARE = 0.2  # of the time left, for closed forms


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A subspace that contains everything learned after one more step, and why."""

    span: Span
    reason: str


def bounds(coefficients: Coefficients, learned: Span, order: int) -> Iterator[Bound]:
    """Upper bounds of U + new_j(U), j = order: of f as a whole, then of its terms one by one.

    Parameters
    ----------
    coefficients : Coefficients
    learned : Span
        U.
    order : int >= 1
    """
    polynomial = coefficients.polynomial.as_expr()
    terms = summands(coefficients.rest, coefficients.variables)
    for parts in _distinct([[polynomial + coefficients.rest], [polynomial, coefficients.rest],
                            [polynomial, *terms]]):  # fmt: skip
        bound = _bound(coefficients, parts, learned, order)
        if bound is not None:
            yield bound


def _distinct(partitions: Sequence[list[Expr]]) -> list[list[Expr]]:
    kept: list[list[Expr]] = []
    for parts in partitions:
        nonzero = [p for p in parts if p != 0]
        if nonzero not in kept:
            kept.append(nonzero)
    return kept


def _bound(coefficients: Coefficients, parts: Sequence[Expr], learned: Span, order: int) -> Bound | None:
    """The sum of the bounds of the parts."""
    span, reasons = learned, []
    for part in parts:
        found = _of_part(coefficients, part, learned, order)
        if found is None:
            return None
        span, decided = extended(coefficients.numbers, span, found.span.rows)
        if not decided:
            return None
        if found.reason:
            reasons.append(found.reason if len(parts) == 1 else f"{part}: {found.reason}")
    return Bound(span=span, reason="; ".join(dict.fromkeys(reasons)))


def _of_part(coefficients: Coefficients, part: Expr, learned: Span, order: int) -> Bound | None:
    """By coefficients for the polynomial; else by symmetries, and closed forms where they leave room."""
    numbers = coefficients.numbers
    if part == coefficients.polynomial.as_expr():
        return _spanned(numbers, learned, _of_polynomial(coefficients, learned, order), "")
    allowed = _allowed(coefficients, part, learned, order)
    symmetric = None if allowed is None else _spanned(numbers, learned, *allowed)
    if symmetric is not None and symmetric.span.dimension == learned.dimension:
        return symmetric
    vectors = conditional_slots(
        part,
        coefficients.variables,
        coefficients.noise,
        learned,
        order,
        budget=coefficients.budget.part(_CLOSED_SHARE),
    )
    if vectors is None:
        return symmetric
    reason = f"closed forms of E[He_{order}(y) f(x + y)], x in the learned subspace"
    closed = _spanned(numbers, learned, vectors, reason)
    if closed is None or (symmetric is not None and symmetric.span.dimension <= closed.span.dimension):
        return symmetric
    return closed


def _spanned(numbers: Numbers, learned: Span, vectors: Sequence[Row], reason: str) -> Bound | None:
    span, decided = extended(numbers, learned, vectors)
    return Bound(span=span, reason=reason) if decided else None


def _of_polynomial(coefficients: Coefficients, learned: Span, order: int) -> list[Row]:
    unlearned = complement(learned)
    return [
        vector
        for degree in coefficients.finite
        if degree >= order
        for vector in slots(coefficients.finite[degree], learned.rows, unlearned.rows, order)
    ]


def _allowed(
    coefficients: Coefficients, part: Expr, learned: Span, order: int
) -> tuple[list[Row], str] | None:
    """(spanning vectors of the slots of all T_j that the symmetries of a part allow, the symmetries)."""
    numbers, variables = coefficients.numbers, coefficients.variables
    reachable = _reachable(numbers, learned, directions(part, variables, numbers))
    if reachable and math.comb(len(reachable) + order - 1, order) > _LARGEST:
        return None
    solutions: list[Tensor] = [
        symmetric_product(rows, len(variables))
        for rows in itertools.combinations_with_replacement(reachable, order)
    ]
    used = []
    if not solutions:
        return [], "it depends on learned directions only"
    try:
        with limited(coefficients.budget):
            for matrix, character in _fixing(part, variables, coefficients.noise, learned):
                fewer = _invariant(numbers, solutions, matrix, character, order)
                if len(fewer) < len(solutions):
                    solutions = fewer
                    used.append(_identity(matrix, character, variables))
                if not solutions:
                    break
    except TimeEnded:
        return None
    vectors = [row for solution in solutions for row in vectors_of(solution, len(variables))]
    return vectors, "; ".join(used)


def _reachable(numbers: Numbers, learned: Span, own: Span) -> tuple[Row, ...]:
    """A basis of the directions orthogonal to U in the span of U and the function's own directions."""
    everything, decided = extended(numbers, learned, own.rows)
    if not decided:
        return complement(learned).rows
    outside = complement(everything)
    away, _ = extended(numbers, learned, outside.rows)
    return complement(away).rows


def _fixing(
    part: Expr, variables: tuple[Symbol, ...], noise: tuple[Symbol, ...], learned: Span
) -> Iterator[tuple[sympy.Matrix, int]]:
    """The verified symmetries that fix U pointwise and do not mix z with the label noise."""
    own = noise if part.has(*noise) else ()
    n = len(variables)
    for isometry, character in symmetries(part, (*variables, *own)):
        whole = exact_matrix(isometry)
        if any(whole[n:, :n]) or any(whole[:n, n:]):
            continue
        matrix = whole[:n, :n]
        if all(_is_fixed(matrix, row) for row in learned.rows):
            yield matrix, character


def _is_fixed(matrix: sympy.Matrix, row: Row) -> bool:
    moved = matrix * sympy.Matrix(row)
    return all(sympy.expand(a - b) == 0 for a, b in zip(moved, row, strict=True))


def _invariant(
    numbers: Numbers, solutions: Sequence[Tensor], matrix: sympy.Matrix, character: int, order: int
) -> list[Tensor]:
    """A basis of the combinations T of the solutions with T[R., .., R.] = chi T."""
    n = matrix.shape[0]
    columns = [tuple(matrix[:, j]) for j in range(n)]
    wanted = indices(n, order)
    defects = []
    for solution in solutions:
        image = transformed(solution, columns, wanted)
        defects.append([image.get(s, S.Zero) - character * solution.get(s, S.Zero) for s in wanted])
    equations = [row for row in zip(*defects, strict=True) if any(x != 0 for x in row)]
    if not equations:
        return list(solutions)
    weights = complement(extended(numbers, Span(width=len(solutions)), equations)[0]).rows
    return [_combined(solutions, row) for row in weights]


def _combined(solutions: Sequence[Tensor], weights: Row) -> Tensor:
    total: dict[tuple[int, ...], Expr] = {}
    for weight, solution in zip(weights, solutions, strict=True):
        if weight != 0:
            for index, entry in solution.items():
                total[index] = total.get(index, S.Zero) + weight * entry
    return {index: entry for index, entry in total.items() if entry != 0}


def _identity(matrix: sympy.Matrix, character: int, variables: Sequence[Symbol]) -> str:
    """ "f(-z1, z2) = -f(z1, z2)"."""
    moved = ", ".join(str(x) for x in matrix * sympy.Matrix(list(variables)))
    names = ", ".join(str(v) for v in variables)
    return f"f({moved}) = {'' if character > 0 else '-'}f({names})"
