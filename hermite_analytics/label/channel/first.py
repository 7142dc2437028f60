"""The first law that takes a problem, of shapes of labels in their order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sympy import Symbol

from hermite_analytics.label.cases.found import Found, Law
from hermite_analytics.label.channel.methods import constant
from hermite_analytics.label.reduction.problem import Problem
from hermite_analytics.label.shape import Shape, functions_at

__all__ = ["first_law"]


def first_law(problem: Problem, coordinates: tuple[Symbol, ...], *, asked: Sequence[Shape]) -> Found | None:
    """By the first of some shapes that takes it; None where none does."""
    if not problem.unknown:
        return constant(coordinates)
    for shape in asked:
        laws: Iterator[Law] = functions_at(shape.laws)
        found = next((f for law in laws if (f := law(problem)) is not None), None)
        if found is not None:
            return found
    return None
