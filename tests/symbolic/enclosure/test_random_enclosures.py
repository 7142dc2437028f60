"""Enclosures of random expressions in two and three variables against panels that end at the kinks."""

from __future__ import annotations

import pytest
import sympy
from flint import arb

from hermite_analytics.errors import BudgetExhausted, UndefinedQuantity, UnsupportedExpression
from hermite_analytics.foundation.clock import allowed
from hermite_analytics.gaussian.enclosure import enclose
from hermite_analytics.language.parser import expectation_names, is_parameter, parse
from hermite_analytics.symbols import variable
from tests.symbolic.random_trees import EVERY, TAME, Grammar, Tree, text_of, variables_of
from tests.symbolic.tree_quadrature import moments

_SECONDS = 1.0


def enclosed(tree: Tree, dimension: int, digits: int) -> arb | None:
    """The ball, or the best one where the time ended; None where there is none."""
    text = text_of(tree)
    expr: sympy.Expr = parse(text, expectation_names, accepted="z1, z2, ...", is_constant=is_parameter)
    variables = tuple(variable(i + 1) for i in range(dimension))
    try:
        with allowed(_SECONDS):
            return enclose(expr, variables, digits=digits)
    except BudgetExhausted as stopped:
        return stopped.ball if isinstance(stopped.ball, arb) else None
    except (UnsupportedExpression, UndefinedQuantity):
        return None


def distance(ball: arb, tree: Tree, dimension: int) -> tuple[float, float]:
    """(distance of the reference from the ball, tolerance of the reference)."""
    found = moments(tree, [(0,) * dimension])
    apart = abs(ball - arb(float(found.values[0]))).lower()
    return max(float(apart), 0.0), float(found.tolerance()[0])


def check(dimension: int, seeds: range, names: tuple[str, ...], digits: int) -> int:
    """How many balls were compared, each with a reference good to 1e-8."""
    count = 0
    for seed in seeds:
        tree = Grammar(77_000 + seed, dimension, names).expression(1)
        if len(variables_of(tree)) != dimension:
            continue
        ball = enclosed(tree, dimension, digits)
        if ball is None or ball.rad() > 1e-4:
            continue
        apart, tolerance = distance(ball, tree, dimension)
        assert apart <= tolerance, (text_of(tree), ball, apart)
        count += tolerance < 1e-8
    return count


@pytest.mark.slow
def test_two_variables() -> None:
    assert check(2, range(16), TAME, 9) >= 6


@pytest.mark.slow
@pytest.mark.draws(1)
@pytest.mark.parametrize("first", [100, 110, 120, 130, 140])
def test_more_in_two_variables(first: int) -> None:
    assert check(2, range(first, first + 10), EVERY, 10) >= 3


@pytest.mark.slow
@pytest.mark.draws(1)
@pytest.mark.parametrize("first", [200, 230])
def test_three_variables(first: int) -> None:
    assert check(3, range(first, first + 30), TAME, 8) >= 4


SMOOTH = ("tanh", "erf", "Phi", "sin", "cos", "sigmoid", "phi", "He")


@pytest.mark.slow
def test_three_smooth_variables() -> None:
    assert check(3, range(300, 330), SMOOTH, 6) >= 5
