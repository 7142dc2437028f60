"""Random expressions: closed forms, enclosures, Hermite coefficients and zeros against quadrature."""

from __future__ import annotations

import itertools
import math
import time
from fractions import Fraction

import numpy as np
import pytest
import sympy

import hermite_analytics as ha
from hermite_analytics.errors import UndefinedQuantity
from hermite_analytics.evidence import Evidence
from tests.symbolic.random_trees import CLOSED, EVERY, TAME, Grammar, Tree, text_of, variables_of
from tests.symbolic.tree_quadrature import Moments, moments

_CHUNK = 5
_SECONDS = 0.15  # of each call
_HANGS = 60.0  # seconds of the processor: only a call without end gets there, and no speed is measured
_RIGOROUS = (Evidence.EXACT, Evidence.PROVED)


def indices(dimension: int, degree: int) -> list[tuple[int, ...]]:
    every = itertools.product(range(degree + 1), repeat=dimension)
    return sorted((s for s in every if sum(s) <= degree), key=sum)


def trees(dimension: int, first: int, names: tuple[str, ...], count: int = _CHUNK):
    """(text, tree) of the next seeds whose expression uses all variables."""
    found = 0
    for seed in itertools.count(first * 50):
        tree = Grammar(seed * 7 + dimension, dimension, names).expression(1)
        if len(variables_of(tree)) == dimension:
            yield text_of(tree), tree
            found += 1
        if found == count:
            return


def agree(text: str, quantity: ha.Quantity, value: float, tolerance: float) -> None:
    """The value with its stated error, and the claim about zero, against a quadrature."""
    shown = (text, quantity, value, tolerance)
    if quantity.evidence is Evidence.UNDECIDED:
        assert math.isnan(quantity.value) and quantity.error == math.inf, shown
        assert quantity.zero is None, shown
        assert quantity.reason, shown
        return
    assert abs(quantity.value - value) <= tolerance + quantity.error, shown
    if quantity.exact is not None:
        number = float(sympy.re(sympy.N(quantity.exact, 20)))
        assert abs(number - value) <= tolerance, shown
    if quantity.zero:
        assert quantity.value == quantity.error == 0 and abs(value) <= tolerance, shown
    if quantity.zero is False:
        assert quantity.value != 0 and quantity.evidence in _RIGOROUS, shown
    if quantity.evidence is Evidence.ESTIMATED:
        assert quantity.zero is None, shown


def timed(call):
    """The result; a call that does not end fails."""
    start = time.process_time()
    result = call()
    spent = time.process_time() - start
    assert spent < _HANGS, f"{spent} s"
    return result


def compare(text: str, tree: Tree, dimension: int, degree: int, seconds: float = _SECONDS) -> None:
    wanted = indices(dimension, degree)
    found = moments(tree, wanted)
    try:
        expected = timed(lambda: ha.expectation(text))
    except UndefinedQuantity:
        assert found.cut[0] > 1e-6, (text, "has a finite expectation")
        return
    agree(text, timed(lambda: expected.at(seconds=seconds)), found.values[0], found.tolerance()[0])
    expansion = expanded(text, degree, seconds)
    if expansion is None:
        return
    used = len(expansion.variables)
    for index, value, tolerance in zip(wanted, found.values, found.tolerance(), strict=False):
        if not any(index[used:]):
            agree(text, expansion[index[:used]], value, tolerance)
    agree_square(text, expansion.second_moment, found)


def expanded(text: str, degree: int, seconds: float) -> ha.HermiteExpansion | None:
    """The expansion; None where the target is refused because its mean is not shown to be finite."""
    try:
        return timed(lambda: ha.hermite(text, degree, seconds=seconds))
    except UndefinedQuantity as refused:
        if "cannot be shown to be finite" in str(refused):
            return None
        raise


def agree_square(text: str, square: ha.Quantity, found: Moments) -> None:
    if math.isinf(square.value):
        assert found.cut[-1] > 1e-6 * found.values[-1], (text, "has a finite second moment")
    else:
        agree(f"E f^2 of {text}", square, found.values[-1], found.tolerance()[-1])


@pytest.mark.slow
@pytest.mark.draws(4)
@pytest.mark.parametrize("first", range(0, 90, _CHUNK))
def test_one_variable(first):
    for text, tree in trees(1, first, CLOSED):
        compare(text, tree, 1, 3)


@pytest.mark.slow
@pytest.mark.draws(2)
@pytest.mark.parametrize("first", range(0, 40, _CHUNK))
def test_one_variable_without_closed_form(first):
    for text, tree in trees(1, first, EVERY):
        compare(text, tree, 1, 2)


@pytest.mark.slow
@pytest.mark.draws(1)
@pytest.mark.parametrize("first", range(0, 30, _CHUNK))
def test_two_variables(first):
    for text, tree in trees(2, first, TAME):
        compare(text, tree, 2, 1)


@pytest.mark.slow
@pytest.mark.draws(1)
@pytest.mark.parametrize("first", [1000, 1004])
def test_three_variables(first):
    for text, tree in trees(3, first, TAME, 3):
        compare(text, tree, 3, 1)


@pytest.mark.slow
@pytest.mark.draws(2)
@pytest.mark.parametrize("first", range(2000, 2200, _CHUNK))
def test_more_in_one_variable(first):
    for text, tree in trees(1, first, EVERY):
        compare(text, tree, 1, 4)


@pytest.mark.slow
@pytest.mark.draws(1)
@pytest.mark.parametrize("first", range(3000, 3100, _CHUNK))
def test_more_in_two_variables(first):
    for text, tree in trees(2, first, CLOSED):
        compare(text, tree, 2, 2)


@pytest.mark.slow
@pytest.mark.draws(1)
@pytest.mark.parametrize("first", range(4000, 4070, _CHUNK))
def test_two_variables_without_closed_form(first):
    for text, tree in trees(2, first, EVERY):
        compare(text, tree, 2, 1)


@pytest.mark.slow
@pytest.mark.draws(0)  # the path of `test_three_variables`
@pytest.mark.parametrize("first", range(5000, 5030, _CHUNK))
def test_more_in_three_variables(first):
    for text, tree in trees(3, first, TAME):
        compare(text, tree, 3, 1)


REFERENCES = [  # the quadrature itself, where the answer is known by hand
    (("sign", ("*", ("z", 1), ("z", 2))), 2, (1, 1), 2 / math.pi),
    (("relu", ("+", ("z", 1), ("z", 2))), 2, (0, 0), 1 / math.sqrt(math.pi)),
    (("step", ("+", ("**", ("z", 1), 2), ("**", ("z", 2), 2), Fraction(-1))), 2, (0, 0), math.exp(-0.5)),
    (("abs", ("+", ("**", ("z", 1), 2), Fraction(-1))), 1, (0,), 4 * math.exp(-0.5) / math.sqrt(2 * math.pi)),
    (("max", ("z", 1), ("z", 2), ("z", 3)), 3, (0, 0, 0), 1.5 / math.sqrt(math.pi)),
    (("*", *(("step", ("z", i)) for i in (1, 2, 3))), 3, (1, 1, 1), (2 * math.pi) ** -1.5),
    (("exp", ("*", Fraction(1, 2), ("z", 1), ("z", 2))), 2, (0, 0), 2 / math.sqrt(3)),
    (("step", ("+", ("z", 1), ("*", Fraction(-1), ("**", ("z", 2), 2)))), 2, (0, 0), 0.280985216925393),
]


@pytest.mark.cases(1)
@pytest.mark.parametrize(("tree", "dimension", "index", "value"), REFERENCES, ids=lambda v: str(v)[:30])
def test_the_quadrature(tree, dimension, index, value):
    found = moments(tree, [index])
    assert abs(found.values[0] - value) <= found.tolerance()[0] + 1e-15
    assert found.tolerance()[0] < 2e-7


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
