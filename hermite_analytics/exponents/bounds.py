"""Which directions a step can learn at most: what symmetries leave of T_j(x) = E[He_j(y) f(x + y)].

Here x is in the learned subspace U and y in its complement. If f(Rz) = chi f(z) and R fixes U, then
T_j(x)[Ry, .., Ry] = chi T_j(x)[y, .., y] for every x, so that the span of the slots of all T_j(x) lies in
that of the solutions of these equations. A sum learns at most the sum of what its terms learn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import sympy
from sympy import Expr, Symbol

from hermite_analytics.argument import Fact, Facts
from hermite_analytics.argument.coefficients import ConditionalClosedForms
from hermite_analytics.argument.remarks import remark
from hermite_analytics.argument.symmetries import OfTerm, symmetry_of
from hermite_analytics.exponents.closed_bounds import conditional_slots
from hermite_analytics.exponents.coefficients import Coefficients
from hermite_analytics.exponents.contraction import slots, vectors_of
from hermite_analytics.exponents.coordinate_bounds import of_function
from hermite_analytics.exponents.dependence import directions
from hermite_analytics.exponents.invariants import (
    defects,
    fixes,
    outside,
    satisfying,
    tensors_on,
)
from hermite_analytics.exponents.numbers import Numbers
from hermite_analytics.exponents.spans import Row, Span, complement, extended, whole
from hermite_analytics.exponents.terms import summands
from hermite_analytics.foundation.clock import TimeEnded, allowed, check_time, limited, share
from hermite_analytics.gaussian.zero import symmetries
from hermite_analytics.gaussian.zero.certificate import exact_matrix
from hermite_analytics.gaussian.zero.coordinates import coordinate_symmetries

__all__ = ["Bound", "bounds"]

_CLOSED_SHARE = 0.2  # of the time left, for closed forms


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A subspace that contains everything learned after one more step, and why."""

    span: Span
    facts: Facts


def bounds(coefficients: Coefficients, learned: Span, order: int) -> Iterator[Bound]:
    """Upper bounds of U + new_j(U), j = order: by coordinates, of f as a whole, of its terms.

    Parameters
    ----------
    coefficients : Coefficients
    learned : Span
        U.
    order : int >= 1
    """
    yield _by_coordinates(coefficients, learned, order)
    polynomial = coefficients.polynomial.as_expr()
    terms = summands(coefficients.rest, coefficients.variables)
    for parts in _distinct([[polynomial + coefficients.rest], [polynomial, coefficients.rest],
                            [polynomial, *terms]]):  # fmt: skip
        bound = _bound(coefficients, parts, learned, order)
        if bound is not None:
            yield bound


def _by_coordinates(coefficients: Coefficients, learned: Span, order: int) -> Bound:
    variables = coefficients.variables
    own = [i for i, v in enumerate(variables) if coefficients.average.has(v)]
    allowed = of_function(
        coordinate_symmetries(coefficients.average, variables), variables, own, learned, order
    )
    span, decided = extended(coefficients.numbers, learned, allowed.rows)
    return Bound(span=span if decided else whole(learned.width), facts=allowed.facts)


def _distinct(partitions: Sequence[list[Expr]]) -> list[list[Expr]]:
    kept: list[list[Expr]] = []
    for parts in partitions:
        nonzero = [p for p in parts if p != 0]
        if nonzero not in kept:
            kept.append(nonzero)
    return kept


def _bound(coefficients: Coefficients, parts: Sequence[Expr], learned: Span, order: int) -> Bound | None:
    """The sum of the bounds of the parts."""
    span, facts = learned, list[Fact]()
    for part in parts:
        found = _of_part(coefficients, part, learned, order)
        if found is None:
            return None
        span, decided = extended(coefficients.numbers, span, found.span.rows)
        if not decided:
            return None
        if found.facts:
            facts += found.facts if len(parts) == 1 else [OfTerm(term=part, because=found.facts)]
    return Bound(span=span, facts=tuple(dict.fromkeys(facts)))


def _of_part(coefficients: Coefficients, part: Expr, learned: Span, order: int) -> Bound | None:
    """By coefficients for the polynomial; else by symmetries, and closed forms where they leave room."""
    numbers = coefficients.numbers
    if part == coefficients.polynomial.as_expr():
        return _spanned(numbers, learned, _of_polynomial(coefficients, learned, order), ())
    permitted = _allowed(coefficients, part, learned, order)
    symmetric = None if permitted is None else _spanned(numbers, learned, *permitted)
    if symmetric is not None and symmetric.span.dimension == learned.dimension:
        return symmetric
    with allowed(share(_CLOSED_SHARE)):
        vectors = conditional_slots(part, coefficients.variables, coefficients.noise, learned, order)
    if vectors is None:
        return symmetric
    closed = _spanned(numbers, learned, vectors, (ConditionalClosedForms(order=order),))
    if closed is None or (symmetric is not None and symmetric.span.dimension <= closed.span.dimension):
        return symmetric
    return closed


def _spanned(numbers: Numbers, learned: Span, vectors: Sequence[Row], facts: Facts) -> Bound | None:
    span, decided = extended(numbers, learned, vectors)
    return Bound(span=span, facts=facts) if decided else None


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
) -> tuple[list[Row], Facts] | None:
    """(spanning vectors of the slots of all T_j that the symmetries of a part allow, the symmetries)."""
    numbers, variables = coefficients.numbers, coefficients.variables
    own = outside(numbers, learned, directions(part, variables, numbers))
    solutions = tensors_on(own, len(variables), order)
    if solutions is None:
        return None
    if not solutions:
        return [], remark("it depends on learned directions only")
    used: list[Fact] = []
    try:
        with limited():
            for matrix, character in _fixing(part, variables, coefficients.noise, learned):
                conditions = defects(solutions, matrix, character, order)
                fewer = satisfying(numbers, solutions, conditions)
                if len(fewer) < len(solutions):
                    solutions = fewer
                    used.append(symmetry_of(matrix, character, variables))
                if not solutions:
                    break
    except TimeEnded:
        check_time()  # a limit around this one
        return None
    vectors = [row for solution in solutions for row in vectors_of(solution, len(variables))]
    return vectors, tuple(used)


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
        if all(fixes(matrix, row) for row in learned.rows):
            yield matrix, character
