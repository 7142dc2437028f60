"""The first law that takes a problem, of the shapes of labels in their order."""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Symbol

from hermite_analytics.label.cases.found import Found, Law
from hermite_analytics.label.channel.methods import constant
from hermite_analytics.label.reduction.problem import Problem
from hermite_analytics.label.shape import functions_at, shapes

__all__ = ["first_law"]


def first_law(problem: Problem, coordinates: tuple[Symbol, ...], *, along_axes: bool) -> Found | None:
    """By the shapes that are asked in all frames, or by the others; None where none takes it."""
    if not problem.unknown:
        return constant(coordinates)
    for shape in shapes():
        if shape.along_axes == along_axes:
            laws: Iterator[Law] = functions_at(shape.laws)
            found = next((f for law in laws if (f := law(problem)) is not None), None)
            if found is not None:
                return found
    return None
