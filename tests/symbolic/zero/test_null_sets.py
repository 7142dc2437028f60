"""Where functions of normal variables are not 0."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

from hermite_analytics import Target
from hermite_analytics.gaussian.zero.null_sets import is_nonzero, nonzero_set
from hermite_analytics.symbols import variable, xi

NAMES = (variable(1), variable(2), xi)


def signal(text):
    return Target(text).expression


@pytest.mark.parametrize(
    "text",
    [
        *("z1", "z1**2*sign(z1*z2)", "exp(z1) - 1", "relu(z1) + 1", "2 + sign(z1)", "tanh(z1*xi)"),
        *(
            "abs(z1) + relu(-z2)",
            "max(z1**2, sign(z2))",
            "He3(z1)*step(xi) + 5*sign(z2)",
            "erf(z1) + step(xi)",
        ),
        *("sigmoid(z1) + step(xi)", "log(1 + z1**2)", "relu(z1) - z2", "silu(z1)"),
        *("z1 + z2/10**40", "sin(z1) - z1", "step(z1) + step(-z1)"),
    ],
)
def test_almost_surely_not_zero(text):
    assert is_nonzero(signal(text))


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("relu(z1)", lambda x, y, w: x > 0),
        ("1 + sign(z1)", lambda x, y, w: x > 0),
        ("z2*step(xi - 1)", lambda x, y, w: w > 1),
        ("sign(z1) - sign(z1 - 1)", lambda x, y, w: (x > 0) & (x < 1)),
        ("tanh(relu(z1))*abs(relu(z2))", lambda x, y, w: (x > 0) & (y > 0)),
        ("relu(z1) + relu(-z1 - 1)", lambda x, y, w: (x > 0) | (x < -1)),
        ("abs(z1*z2) - z1*z2", lambda x, y, w: x * y < 0),
        ("abs(z1**2 - z2**2) - (z1 - z2)*(z1 + z2)", lambda x, y, w: x**2 < y**2),
        ("max(z1, z2) - z1", lambda x, y, w: y > x),
        ("sign(relu(z1) + relu(-z1 - 1))**3*step(xi)", lambda x, y, w: ((x > 0) | (x < -1)) & (w > 0)),
        ("abs(1 + z1) + abs(z1) - 1", lambda x, y, w: (x > 0) | (x < -1)),
        ("step(sign(z1)) + relu(z1*z2)", lambda x, y, w: (x > 0) | (x * y > 0)),
    ],
)
def test_the_set(text, where):
    found = nonzero_set(signal(text))
    assert found not in (None, 1)
    points = np.random.default_rng(0).standard_normal((3, 4000))
    value = sympy.lambdify(NAMES, found.replace(sympy.Function("step"), sympy.Heaviside), _NUMPY)(*points)
    assert np.array_equal(np.broadcast_to(value, 4000) > 0.5, where(*points))


_NUMPY = [{"step": lambda x: np.heaviside(x, 0.0), "relu": lambda x: np.maximum(x, 0)}, "numpy"]


@pytest.mark.parametrize(
    "text", ["sin(z1)**2 + cos(z1)**2 - 1 + relu(z2)", "sqrt(4 + abs(z1)) - 2 - relu(z1)"]
)
def test_what_is_not_known_is_not_said(text):
    """A disguised 0; a root of a function with kinks, which may differ from part to part of a cell."""
    assert nonzero_set(signal(text)) is None


def test_the_function_0():
    z1 = variable(1)
    assert nonzero_set(sympy.expand((z1 + 1) ** 2) - z1**2 - 2 * z1 - 1) == 0
    assert nonzero_set(sympy.Abs(z1) * (sympy.sqrt(2) * sympy.sqrt(3) - sympy.sqrt(6))) == 0
