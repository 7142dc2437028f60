"""Random expressions: closed forms, enclosures, Hermite coefficients and zeros against quadrature."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import sympy

import hermite_analytics as ha
from hermite_analytics.errors import UndefinedQuantity
from tests.symbolic.random_trees import (
    COMMON,
    OPEN,
    Grammar,
    quadrature,
    text_of,
    variables_of,
)

_CHUNK = 10
_WILD = ("exp", "cos", "sin")


def indices(dimension: int, degree: int) -> list[tuple[int, ...]]:
    every = itertools.product(range(degree + 1), repeat=dimension)
    return sorted((s for s in every if sum(s) <= degree), key=sum)


def trees(dimension: int, first: int, names: tuple[str, ...]):
    """(text, tree) of a chunk of seeds, those that use all variables."""
    for seed in range(first, first + _CHUNK):
        tree = Grammar(seed * 7 + dimension, dimension, names).expression(1)
        if max(variables_of(tree), default=0) == dimension:
            yield text_of(tree), tree


def agree(text: str, quantity: ha.Quantity, value: float, tolerance: float) -> None:
    """The value, and the claim about zero, against a quadrature."""
    if not math.isnan(quantity.value):
        assert abs(quantity.value - value) <= tolerance + quantity.error, (text, quantity, value)
    if quantity.zero:
        assert abs(value) <= tolerance, (text, quantity.reason, value)
    if quantity.zero is False:
        assert quantity.value != 0, (text, quantity.reason)


def compare(text: str, tree: object, dimension: int, degree: int, seconds: float) -> None:
    wanted = indices(dimension, degree)
    try:
        expected = ha.expectation(text)
    except UndefinedQuantity:
        return
    values, tolerances = quadrature(tree, wanted)
    if expected.exact is not None:
        number = float(sympy.re(sympy.N(expected.exact, 20)))
        assert abs(number - values[0]) <= tolerances[0], (text, expected.exact, values[0])
    agree(text, expected.at(seconds=seconds), values[0], tolerances[0])
    expansion = ha.hermite(text, degree, seconds=seconds)
    used = len(expansion.variables)
    for index, value, tolerance in zip(wanted, values, tolerances, strict=True):
        if not any(index[used:]):
            agree(text, expansion[index[:used]], value, tolerance)


@pytest.mark.parametrize("first", range(0, 60, _CHUNK))
def test_one_variable(first):
    for text, tree in trees(1, first, COMMON):
        compare(text, tree, 1, 2, 0.2)


@pytest.mark.parametrize("first", range(0, 20, _CHUNK))
def test_one_variable_without_closed_form(first):
    for text, tree in trees(1, first, COMMON + OPEN):
        compare(text, tree, 1, 1, 0.2)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 20, _CHUNK))
def test_three_variables(first):
    for text, tree in trees(3, first, tuple(n for n in COMMON if n not in _WILD)):
        compare(text, tree, 3, 1, 0.1)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(200, 220, _CHUNK))
def test_two_variables(first):
    for text, tree in trees(2, first, tuple(n for n in COMMON if n not in _WILD)):
        compare(text, tree, 2, 2, 0.3)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 1150, _CHUNK))
def test_more_in_one_variable(first):
    for text, tree in trees(1, first, COMMON):
        compare(text, tree, 1, 2, 0.3)


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        ("max(z1, -2*z1, -2*z1/3)", 3 / sympy.sqrt(2 * sympy.pi)),
        ("z1*step(z1)*step(3*z1)", 1 / sympy.sqrt(2 * sympy.pi)),
        ("z1*z2*step(z1 - z2)*step(z1 - z3)*step(z2 - z3)", sympy.sqrt(3) / (12 * sympy.pi)),
        ("sign(relu(z1))**2", sympy.S.Half),
        ("sign((z1 + 1)**2 - z1**2 - 2*z1 - 1)", sympy.S.Zero),
        ("step(relu(z1)*z2**2)", sympy.S.Half),
    ],
)
def test_coincident_thresholds_and_flat_arguments(text, exact):
    """Two steps at one place have one density; a sign is 0 where its argument is."""
    assert sympy.simplify(ha.expectation(text).exact - exact) == 0


@pytest.mark.parametrize(
    ("text", "point"),
    [
        ("relu(z1 - k)*step(z1 - c)", {"k": 1, "c": 1}),
        ("z1*step(z1 + k)*step(z1)", {"k": 0}),
        ("z1*step(z1 - k)*step(c - z1)", {"k": 1, "c": 1}),
        ("z1*max(z1, k, c)", {"k": 1, "c": 1}),
        ("step(k*z1*z2)", {"k": 0}),
    ],
)
def test_parameters_that_make_thresholds_coincide(text, point):
    general = ha.expectation(text)
    there = general.expression.subs({p: point[p.name] for p in general.parameters})
    assert np.isclose(general.at(point).value, ha.expectation(there).at().value, rtol=1e-14)
