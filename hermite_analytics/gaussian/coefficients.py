"""Exact Hermite coefficients of the part of a function that the rules cover."""

from __future__ import annotations

import functools
import math
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress

import sympy
from sympy import Expr, Integer, S, Symbol

from hermite_analytics.foundation.clock import TimeEnded
from hermite_analytics.gaussian.expectation import Expectation
from hermite_analytics.gaussian.products import mean_of_product, products, renamed, separate_factors
from hermite_analytics.gaussian.reals import NoClosedForm
from hermite_analytics.gaussian.rewriting import normal_form
from hermite_analytics.gaussian.sequence import hermite_sequence
from hermite_analytics.gaussian.simplify import tidy
from hermite_analytics.gaussian.terms import NotInNormalForm, Term, poly_product
from hermite_analytics.language.functions import He, hermite_coefficients

__all__ = [
    "closed_coefficients",
    "count",
    "exact_coefficients",
    "expected",
    "expected_sum",
    "indices",
    "split_exact",
]

Index = tuple[int, ...]


def split_exact(expression: Expr, variables: Sequence[Symbol]) -> tuple[Expr, Expr]:
    """(part whose expectations have closed forms, the rest)."""
    if _is_closed(expression, variables):
        return expression, S.Zero
    closed: list[Expr] = []
    left: list[Expr] = []
    for part in products(expression, variables):
        (closed if _is_closed(part, variables) else left).append(part)
    return sympy.Add(*closed), sympy.Add(*left)


def _is_closed(expression: Expr, variables: Sequence[Symbol]) -> bool:
    try:
        expected(expression, variables)
    except (NotInNormalForm, NoClosedForm):
        return False
    return True


def expected_sum(expression: Expr, variables: Sequence[Symbol]) -> Expr:
    """E of what `split_exact` found to be closed: as a whole, or term by term where only that has rules.

    Each sign of |z| - c alone is a finite list of cases; their products together may have too many.
    """
    try:
        return expected(expression, variables)
    except (NotInNormalForm, NoClosedForm):
        parts = products(expression, variables)
        if len(parts) == 1:
            raise
    return tidy(sympy.Add(*(_mean(part, tuple(variables)) for part in parts)))


def expected(expression: Expr, variables: Sequence[Symbol]) -> Expr:
    """E of an expression by the rules.

    Raises
    ------
    NotInNormalForm, NoClosedForm
        Where there is no closed form.
    """
    return tidy(_mean(expression, tuple(variables)))


@functools.lru_cache(maxsize=256)
def _mean(expression: Expr, variables: tuple[Symbol, ...]) -> Expr:
    blocks = separate_factors(expression.args, variables) if expression.is_Add else []
    if len(blocks) > 1:
        return sympy.Add(*(_mean(*renamed(sympy.Add(*members), variables)) for members in blocks))
    apart = _signs_apart(expression)
    if apart.is_Mul and len(separate_factors(apart.args, variables)) > 1:
        product = mean_of_product(apart, variables)  # a normal form opens all its signs at once
        if product is not None:
            return product
    try:
        return Expectation(len(variables)).of(normal_form(expression, variables))
    except (NotInNormalForm, NoClosedForm):
        mean = mean_of_product(expression, variables)
        if mean is None:
            raise
    return mean


def _signs_apart(expression: Expr) -> Expr:
    """sign(a b) = sign(a) sign(b)."""
    if isinstance(expression, sympy.sign) and expression.args[0].is_Mul:
        return sympy.Mul(*(sympy.sign(a) for a in expression.args[0].args))
    return expression


def exact_coefficients(
    expression: Expr,
    variables: Sequence[Symbol],
    degree: int,
    *,
    wanted: Collection[Index] | None = None,
) -> dict[Index, Expr]:
    """E[He_S f] for all |S| <= degree or the S wanted, f a function whose expectation has a closed form.

    Raises
    ------
    NoClosedForm
        If a coefficient has none.
    TimeEnded
        If a clock was set and has run out, with the coefficients that were finished.
    """
    chosen = list(indices(len(variables), degree)) if wanted is None else list(wanted)
    apart = _signs_apart(expression)
    blocks = separate_factors(apart.args, variables) if apart.is_Mul else []
    if len(blocks) > 1:  # a normal form opens all their kinks at once
        return _coefficients_of_product([sympy.Mul(*members) for members in blocks], variables, chosen)
    try:
        terms = normal_form(expression, variables)
    except NotInNormalForm:
        return _coefficients_of_parts(expression, variables, chosen)
    if len(variables) == 1:
        try:
            values: dict[Index, Expr] = {
                (k,): tidy(value) for k, value in enumerate(hermite_sequence(terms, degree))
            }
            return {index: values[index] for index in chosen}
        except NoClosedForm:
            pass  # irrational numbers, or an oscillation times a step: one order at a time
    rules = Expectation(len(variables))
    found: dict[Index, Expr] = {}
    try:
        for index in chosen:
            found[index] = tidy(rules.of(_times(terms, index)))
    except TimeEnded:
        raise TimeEnded(found) from None
    return found


def _coefficients_of_product(
    blocks: Sequence[Expr], variables: Sequence[Symbol], wanted: Sequence[Index]
) -> dict[Index, Expr]:
    """The products of the coefficients of functions without a common variable."""
    found = dict.fromkeys(wanted, S.One)
    ended = False
    for block in blocks:
        own = [i for i, v in enumerate(variables) if block.has(v)]
        parts = {index: tuple(index[i] for i in own) for index in wanted}
        asked = sorted(set(parts.values()))
        try:
            some = exact_coefficients(block, [variables[i] for i in own], max(map(sum, asked)), wanted=asked)
        except TimeEnded as late:  # what it has finished are coefficients of one block, not of the product
            some, ended = late.found, True
        found = {index: x * some[parts[index]] for index, x in found.items() if parts[index] in some}
    free = [i for i, v in enumerate(variables) if not any(block.has(v) for block in blocks)]
    whole = {index: S.Zero if any(index[i] for i in free) else x for index, x in found.items()}
    if ended:
        raise TimeEnded(whole)
    return {index: tidy(x) for index, x in whole.items()}


def _coefficients_of_parts(
    expression: Expr, variables: Sequence[Symbol], wanted: Collection[Index]
) -> dict[Index, Expr]:
    """As `exact_coefficients`, addend by addend: some have a normal form, others are powers of a radius."""
    parts = products(expression, variables)
    found: dict[Index, Expr] = {}
    try:
        for index in wanted:
            factor = sympy.Mul(*(He(k, v) for k, v in zip(index, variables, strict=True)))
            found[index] = tidy(sympy.Add(*(_mean(factor * part, tuple(variables)) for part in parts)))
    except NotInNormalForm as missing:
        raise NoClosedForm(str(missing)) from missing
    except TimeEnded:
        raise TimeEnded(found) from None
    return found


def closed_coefficients(
    expression: Expr,
    variables: Sequence[Symbol],
    degree: int,
    *,
    wanted: Collection[Index] | None = None,
) -> dict[Index, Expr]:
    """Those of E[He_S f], |S| <= degree or S wanted, that have a closed form (rule C1); E f may have none.

    Raises
    ------
    TimeEnded
        If a clock was set and has run out, with the coefficients that were finished.
    """
    found: dict[Index, Expr] = {}
    rules = Expectation(len(variables))
    try:
        terms = normal_form(expression, variables)
        for index in indices(len(variables), degree) if wanted is None else wanted:
            with suppress(NoClosedForm):
                found[index] = tidy(rules.of(_times(terms, index)))
    except NotInNormalForm:
        return found
    except TimeEnded:
        raise TimeEnded(found) from None
    return found


def _times(terms: Sequence[Term], index: Index) -> list[Term]:
    """He_index times the terms."""
    product = {(0,) * len(index): S.One}
    for axis, order in enumerate(index):
        factor = {
            tuple(power if i == axis else 0 for i in range(len(index))): Integer(a)
            for power, a in enumerate(hermite_coefficients(order))
            if a
        }
        product = poly_product(product, factor)
    return [
        Term(
            poly=poly_product(product, t.poly),
            exponent=t.exponent,
            wave=t.wave,
            phase=t.phase,
            oscillates=t.oscillates,
            atoms=t.atoms,
        )
        for t in terms
    ]


def indices(r: int, degree: int) -> Iterator[Index]:
    """All indices |S| <= degree, by degree, then in reverse lexicographic order."""
    for total in range(degree + 1):
        yield from _compositions(r, total)


def _compositions(r: int, total: int) -> Iterator[Index]:
    if r == 1:
        yield (total,)
        return
    for first in range(total, -1, -1):
        for rest in _compositions(r - 1, total - first):
            yield (first, *rest)


def count(r: int, degree: int) -> int:
    """Number of indices |S| <= degree."""
    return math.comb(degree + r, r)
