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
