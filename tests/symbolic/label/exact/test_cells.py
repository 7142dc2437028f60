"""Targets with finitely many values."""

from __future__ import annotations

import pytest
import sympy
from sympy import Rational

from hermite_analytics import Target, UnsupportedExpression
from hermite_analytics.evidence import Evidence
from hermite_analytics.label.exact import cells as exact_cells
from hermite_analytics.label.exact.cells import finite_cells
from hermite_analytics.symbols import variable


def cells(text):
    f = Target(text)
    variables = [variable(j + 1) for j in range(f.dimension)]
    return finite_cells(f.expression, variables)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sign(z1*z2*z3)", {-1: "1/2", 1: "1/2"}),
        ("step(z1)*step(z2)", {0: "3/4", 1: "1/4"}),
        ("sign(z1)*sign(z2) + sign(z1 + z2)", {-2: "1/4", 0: "1/2", 2: "1/4"}),
        ("sign(max(z1, z2) - z3)", {-1: "1/3", 1: "2/3"}),
        ("max(sign(z1), sign(z2))", {-1: "1/4", 1: "3/4"}),
        ("abs(sign(z1) + 1/2)", {Rational(1, 2): "1/2", Rational(3, 2): "1/2"}),
        ("relu(z1) - relu(-z1) - z1", {0: "1"}),
        ("exp(sign(z1))", {sympy.exp(-1): "1/2", sympy.E: "1/2"}),
    ],
)
def test_values_and_probabilities(text, expected):
    assert {c.label: str(c.probability.exact) for c in cells(text)} == expected


def test_probabilities_sum_to_one():
    found = cells("step(abs(z1) - 1) + step(abs(z1) - 2)")
    assert [c.label for c in found] == [0, 1, 2]
    assert sum(c.probability.value for c in found) == pytest.approx(1, abs=1e-15)


def test_indicators_are_indicators():
    variables = [variable(j + 1) for j in range(2)]
    found = cells("sign(z1)*sign(z2) + sign(z1 + z2)")
    for x, y in [(1, 2), (-1, 3), (2, -1), (-2, 1), (-1, -1)]:
        values = [c.indicator.subs(dict(zip(variables, (x, y), strict=True))) for c in found]
        assert sorted(values) == [0, 0, 1]


@pytest.mark.parametrize("text", ["z1", "abs(z1)*sign(z1)", "relu(z1)", "sign(z1) + z2"])
def test_other_targets_have_no_cells(text):
    assert cells(text) is None


def test_cells_beside_a_circle_are_exact():
    found = cells("sign(z1**2 + z2**2 - 1)")
    assert {c.label: str(c.probability.exact) for c in found} == {-1: "1 - exp(-1/2)", 1: "exp(-1/2)"}


def test_a_value_without_a_closed_probability_is_shown_to_be_taken():
    found = cells("sign(z1**4 + z2**4 - 1)")
    assert [c.label for c in found] == [-1, 1]
    assert all(c.probability.evidence is not Evidence.EXACT for c in found)


def test_probabilities_are_computed_when_they_are_asked_for(monkeypatch):
    """A value that is taken at a point, and so around it, needs none to be found."""
    asked = []
    compute = exact_cells._probability
    monkeypatch.setattr(exact_cells, "_probability", lambda *given: asked.append(given) or compute(*given))
    found = cells("sign(z1**4 + z2**4 - 1)")
    assert [c.label for c in found] == [-1, 1]
    assert not asked
    assert found[0].probability is found[0].probability
    assert len(asked) == 1
    assert [c.label for c in cells("sign(z1) + 3*step(z1 - 1)")] == [-1, 1, 4]
    assert len(asked) == 1 + 1  # that of 2, for z1 < 0 and z1 > 1: no point has such signs


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sign(relu(z1))", {0: "1/2", 1: "1/2"}),
        ("sign(relu(z1))*sign(z2)", {-1: "1/4", 0: "1/2", 1: "1/4"}),
        ("step(relu(z1)*z2)", {0: "3/4", 1: "1/4"}),
        ("sign(abs(z1) - z1)*sign(z2) + step(z1)", {-1: "1/4", 1: "3/4"}),
        ("sign(sign(z1) + sign(z2))", {-1: "1/4", 0: "1/2", 1: "1/4"}),
    ],
)
def test_signs_that_vanish_on_an_open_set(text, expected):
    assert {c.label: str(c.probability.exact) for c in cells(text)} == expected


def test_a_sign_of_which_it_is_not_known_where_it_vanishes_is_refused():
    with pytest.raises(UnsupportedExpression, match="is 0 on a part of the space, or may be"):
        cells("sign(relu(z1) + sin(z1)**2 + cos(z1)**2 - 1)")


def test_too_many_signs_are_refused():
    with pytest.raises(UnsupportedExpression, match="depends on 9 signs; at most 8"):
        cells(" + ".join(f"sign(z1 - {k})" for k in range(9)))
