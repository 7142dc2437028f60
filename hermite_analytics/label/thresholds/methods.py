"""The threshold of a reduced problem: closed forms first, then the shapes of labels in their order."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial

from hermite_analytics.argument import Facts
from hermite_analytics.argument.remarks import remark
from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.clock import TimeEnded
from hermite_analytics.label.cases.found import Law
from hermite_analytics.label.reduction.problem import Problem
from hermite_analytics.label.shape import Shape, functions_at, has_points, shapes
from hermite_analytics.label.thresholds.exact import by_injectivity
from hermite_analytics.label.thresholds.numeric import by_points
from hermite_analytics.label.thresholds.result import Threshold, infinite_threshold, no_threshold

__all__ = ["threshold_of", "threshold_of_floors"]

Method = Callable[[Problem], Threshold | None]


def threshold_of(problem: Problem) -> Threshold:
    """By the first method that applies to a reduced problem, and those after it where its answer is rough.

    Of several answers the one with the least error counts; where time ends, of those that are there.
    """
    if not problem.unknown:
        return infinite_threshold(remark("the label says nothing of the directions that are left"))
    answers: list[Threshold] = []
    refusals: list[Facts] = []
    for method in _methods():
        try:
            found = method(problem)
        except UnsupportedExpression as refused:
            refusals.append(remark(str(refused)))
            continue
        except OverflowError:
            refusals.append(remark("labels of such sizes are beyond the range of double precision"))
            continue
        except TimeEnded:
            if not answers:
                raise
            break
        if found is None:
            continue
        if math.isnan(found.alpha.value):
            refusals.append(found.facts)
            continue
        answers.append(found)
        if not found.is_rough:
            break
    if answers:
        return min(answers, key=lambda t: t.alpha.error).diluted(problem.informative)
    return no_threshold(refusals[-1] if refusals else remark("no method of quadrature takes this label"))


def threshold_of_floors(problem: Problem) -> Threshold | None:
    """By the first shape that takes floors as they stand; None where none does."""
    places = tuple(place for shape in shapes() if shape.takes_floors for place in shape.thresholds)
    methods: Iterator[Method] = functions_at(places)
    found = next((t for method in methods if (t := method(problem)) is not None), None)
    return None if found is None else found.diluted(problem.informative)


def _methods() -> Iterator[Method]:
    yield by_injectivity
    for shape in shapes():
        if shape.thresholds:
            yield from functions_at(shape.thresholds)
        else:
            yield partial(_by_nodes, shape)


def _by_nodes(shape: Shape, problem: Problem) -> Threshold | None:
    """The operator of the points of each label, of a shape with laws alone."""
    if problem.known:
        return None
    laws: Iterator[Law] = functions_at(shape.laws)
    for law in laws:
        found = law(problem)
        if found is not None and has_points(found.kind) and set(found.seen) == {*problem.unknown}:
            return by_points(found.kind, remark(shape.summary))
    return None
