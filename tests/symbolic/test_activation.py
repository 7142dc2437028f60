"""`Activation`: text, symmetry, jumps, derivative."""

from __future__ import annotations

import dataclasses
import pickle

import pytest
import sympy
from sympy import Rational

from hermite_analytics import Activation, ParseError, Target
from hermite_analytics.conditional import square_integrable_derivative
from hermite_analytics.language.table import FUNCTIONS
from hermite_analytics.symbols import z

BARE = [n for n, f in FUNCTIONS.items() if f.arity[0] == 1 and n not in {"log", "sqrt"}]


@pytest.mark.parametrize("name", BARE)
def test_a_bare_name_is_the_function_of_z(name: str) -> None:
    assert Activation(name).expression == Activation(f"{name}(z)").expression
    assert Activation(f" {name} ").expression == Activation(name).expression
    with pytest.raises(ParseError, match="is a function: give its argument"):
        Target(name)


def test_bare_hermite_polynomials() -> None:
    assert Activation("He3").expression == Activation("He(3, z)").expression


@pytest.mark.parametrize("name", ["max", "leaky_relu", "He", "Rational", "log", "sqrt"])
def test_names_that_need_more(name: str) -> None:
    with pytest.raises(ParseError):
        Activation(name)


def test_only_z_is_a_variable() -> None:
    for name in ("z1", "x", "xi", "kappa"):
        with pytest.raises(ParseError, match="accepted here: z, pi, E"):
            Activation(f"tanh({name})")


def test_identity() -> None:
    tanh = Activation("tanh(z)")
    assert (str(tanh), repr(tanh)) == ("tanh(z)", "Activation(text='tanh(z)')")
    assert tanh.variable == z
    assert tanh == Activation("tanh(z)")
    assert hash(tanh) == hash(Activation("tanh(z)"))
    again = pickle.loads(pickle.dumps(tanh))
    assert (again, again.expression) == (tanh, tanh.expression)
    with pytest.raises(dataclasses.FrozenInstanceError):
        tanh.text = "relu(z)"  # type: ignore[misc]


ODD = [
    "tanh",
    "sin",
    "erf",
    "z",
    "z**3 - z",
    "sign",
    "He(5, z)",
    "z*abs(z)",
    "z*exp(-z**2/2)",
    "sinh",
    "z/(1 + z**2)",
]
ODD += ["sigmoid(z) - sigmoid(-z)", "2*Phi(z) - 2*Phi(-z)", "max(z, 0) + min(z, 0)", "He(3, tanh(z))"]
NOT_ODD = [
    "relu",
    "z**2",
    "tanh(z) + 1",
    "cos",
    "exp",
    "gelu",
    "step",
    "leaky_relu(z, 1/10)",
    "He(2, z)",
    "sin(z + 1)",
]


@pytest.mark.parametrize("text", ODD)
def test_odd(text: str) -> None:
    assert Activation(text).is_odd


@pytest.mark.parametrize("text", NOT_ODD)
def test_not_odd(text: str) -> None:
    assert not Activation(text).is_odd


JUMPS = {
    **dict.fromkeys(["sign", "step", "z*step(z - 1)", "tanh(z)*sign(z + 1)", "sign(z)*relu(z + 1)"], True),
    **dict.fromkeys(["tanh", "relu", "abs", "max(z, 1)", "z**2", "leaky_relu(z, 1/10)"], False),
    # a sign or step whose jump is multiplied by zero
    **dict.fromkeys(
        ["z*sign(z)", "z*step(z)", "(z - 1)*step(z - 1)", "sin(z)*sign(2*z)", "z**2*sign(z) + abs(z)"], False
    ),
}


@pytest.mark.parametrize("text", JUMPS)
def test_jumps(text: str) -> None:
    assert Activation(text).has_jumps is JUMPS[text]


def test_jumps_at_points_without_a_formula_are_left_open() -> None:
    assert Activation("step(sin(z))").has_jumps is not False
    assert Activation("sign(sign(z) - z)").has_jumps is not False


DERIVATIVES = {
    "relu": lambda x: float(x > 0),
    "abs": lambda x: 1.0 if x > 0 else -1.0,
    "leaky_relu(z, 1/4)": lambda x: 1.0 if x > 0 else 0.25,
    "sign": lambda x: 0.0,
    "step": lambda x: 0.0,
    "z*sign(z)": lambda x: 1.0 if x > 0 else -1.0,
    "max(z, z**2)": lambda x: 1.0 if 0 < x < 1 else 2.0 * x,
    "min(max(z, -1), 1)": lambda x: float(-1 < x < 1),
    "max(z, 2*z, -1)": lambda x: 0.0 if x < -1 else (1.0 if x < 0 else 2.0),
    "z**3": lambda x: 3.0 * x * x,
    "abs(z**2 - 1)": lambda x: 2.0 * x if abs(x) > 1 else -2.0 * x,
}


@pytest.mark.parametrize("text", DERIVATIVES)
def test_derivatives_almost_everywhere(text: str) -> None:
    derivative = Activation(text).derivative
    assert not derivative.has(sympy.DiracDelta, sympy.Heaviside, sympy.Derivative)
    for point in (Rational(-5, 2), Rational(-1, 3), Rational(2, 7), Rational(7, 4)):
        assert float(derivative.subs(z, point).evalf(20)) == pytest.approx(DERIVATIVES[text](float(point)))


@pytest.mark.parametrize("text", ["tanh", "relu", "z**3", "exp(z**2/5)", "abs"])
def test_derivatives_in_l2(text: str) -> None:
    assert square_integrable_derivative(Activation(text))


@pytest.mark.parametrize("text", ["sign", "step", "tanh(z) + step(z)/2", "exp(z**2/4)"])
def test_derivatives_not_in_l2(text: str) -> None:
    assert not square_integrable_derivative(Activation(text))
