"""Functions of signs and steps are polynomials in these, with the values that they have."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import hermite_analytics as ha
from hermite_analytics.gaussian.zero.finite_values import by_values
from hermite_analytics.language.parser import parse, target_names


@pytest.mark.parametrize(
    ("text", "direct"),
    [
        ("cos(sign(z1*z2*z3))", lambda a, b, c: np.cos(np.sign(a * b * c))),
        ("exp(step(z1)*sign(z2)) + z3", lambda a, b, c: np.exp((a > 0) * np.sign(b)) + c),
        (
            "tanh(sin(3*sign(z1)) + step(z2 - 1))*z3",
            lambda a, b, c: np.tanh(np.sin(3 * np.sign(a)) + (b > 1)) * c,
        ),
        ("log(2 + sign(z1) + step(z2*z3))", lambda a, b, c: np.log(2 + np.sign(a) + (b * c > 0))),
    ],
)
def test_values(text: str, direct: object) -> None:
    """Against the functions of numpy; nothing but signs, steps and what stood beside them is left."""
    assert callable(direct)
    z = np.random.default_rng(0).standard_normal((3, 500))
    f = ha.Target(text)
    assert np.abs(f.function()(*z[: f.dimension]) - direct(*z)).max() < 1e-13
    functions = f.expression.atoms(sympy.cos, sympy.exp, sympy.log, sympy.sin, sympy.tanh)
    assert not any(a.free_symbols for a in functions)


IDLE = [
    ("sign(3*sign(z1) + sign(z2) + sign(z3))", "sign(z1)"),
    ("abs(sign(z1)*sign(z2) + 2*sign(z2))", "sign(z1) + 2"),
    ("relu(2*step(z1) - step(z2))", "relu(2*step(z1) - step(z2))"),  # (1, 0), (1, 1), (0, .): 2, 1, 0
    ("sign(step(z2) + 1)*z1", "z1"),
    ("sign(3*sign(sign(z1) + z2) + sign(z1))", "sign(z2 + sign(z1))"),  # the inner one stays within the other
    ("step(sign(z2)*sign(z4) - sign(z1)*sign(z3)*sign(z4) + 3*sign(z1)*sign(z2)*sign(z4))", "no z3"),
    ("sign(sign(z1) + sign(z2) + sign(z3))", "sign(sign(z1) + sign(z2) + sign(z3))"),
]


@pytest.mark.parametrize(("text", "left"), IDLE)
def test_signs_on_which_nothing_depends(text: str, left: str) -> None:
    read = parse(text, target_names, accepted="z1, z2, z3, z4")
    found = by_values(read)
    if left == "no z3":
        assert "z3" not in map(str, found.free_symbols)
    else:
        assert found == parse(left, target_names, accepted="z1, z2, z3, z4")
    names = sorted(read.free_symbols, key=str)
    z = np.random.default_rng(1).standard_normal((len(names), 300))
    direct, short = ha.Target(text).function(), ha.Target(str(found)).function()
    width = ha.Target(text).dimension
    places = np.zeros((width, 300))
    for name, row in zip(names, z, strict=True):
        places[int(str(name)[1:]) - 1] = row
    own = ha.Target(str(found)).dimension
    assert np.abs(direct(*places) - short(*places[:own])).max() < 1e-15


def test_a_label_of_idle_signs_is_decided() -> None:
    found = ha.grand_staircase("sign(3*sign(z1) + sign(z2))")
    assert (found.dimensions, found.orders) == ((0, 1), (1,))
    assert ha.isotropic_leap("abs(sign(z1)*sign(z2) + 2*sign(z2))") == 1


@pytest.mark.parametrize(
    "text", ["cos(sign(z1) + z2)", "exp(sign(relu(z1)))", "tanh(sign(z1) + xi)", "sign(z1)*z2", "sin(z1)"]
)
def test_what_is_left_alone(text: str) -> None:
    """Other symbols, and a sign that is 0 on an open set."""
    expression = parse(text, target_names, accepted="z1, z2, xi")
    assert by_values(expression) == expression


def test_label_that_is_constant() -> None:
    """cos is even: the label says nothing, and that is proved."""
    found = ha.analyze("cos(sign(z1*z2*z3))")
    assert "0 of 3  [exact]" in str(found) and "the label does not depend on" in str(found)
