"""`Target`: dimension, label noise, the single-index form."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import sympy
from sympy import Rational, sin

from hermite_analytics import InputError, ParseError, Target, UndefinedQuantity, UnsupportedExpression
from hermite_analytics.language.functions import relu
from hermite_analytics.symbols import variable

z1, z2, z3 = (variable(j) for j in (1, 2, 3))


@pytest.mark.parametrize(
    ("text", "dimension"), [("sin(z)", 1), ("z1*z3", 3), ("z2", 2), ("3", 1), ("xi", 1), ("z64 + xi", 64)]
)
def test_dimension(text: str, dimension: int) -> None:
    assert Target(text).dimension == dimension


def test_z_alone_means_z1() -> None:
    assert Target("sin(z) + z2").expression == sin(z1) + z2


@pytest.mark.parametrize(
    ("text", "noiseless", "variance"),
    [
        ("sin(z1)", sin(z1), 0),
        ("sin(z1) + 0.1*xi", sin(z1), Rational(1, 100)),
        ("z1*z2 - xi/2 + 1", z1 * z2 + 1, Rational(1, 4)),
        ("xi", 0, 1),
        ("(z1 + xi)*2", 2 * z1, 4),
    ],
)
def test_additive_noise(text: str, noiseless: object, variance: object) -> None:
    target = Target(text)
    assert target.noiseless == noiseless
    assert target.noise_variance == variance


@pytest.mark.parametrize("text", ["sign(z1 + xi/2)", "z1*xi", "xi**2", "sin(xi)"])
def test_other_noise_is_refused_by_what_needs_it_additive(text: str) -> None:
    target = Target(text)
    with pytest.raises(
        UnsupportedExpression, match=r"is not additive; solvers accept a\*xi with a constant a"
    ):
        _ = target.noise_variance
    with pytest.raises(UnsupportedExpression, match="not additive"):
        _ = target.noiseless


def test_single_index() -> None:
    assert Target("sin(z) + xi").single_index() == (sin(z1), z1)
    assert Target("2").single_index() == (2, z1)
    for text, names in (("z1*z2", "z1, z2"), ("sin(z2)", "z2")):
        with pytest.raises(InputError, match=f"uses {names}; this solver takes a target of z1 alone"):
            Target(text).single_index()
    with pytest.raises(UndefinedQuantity, match="no second moment"):
        Target("exp(z1**2/3)").single_index()


def test_jumps() -> None:
    assert Target("sign(z1)").has_jumps
    assert not Target("abs(z1)").has_jumps
    assert not Target("z1*sign(z1)").has_jumps


def test_identity() -> None:
    target = Target("sin(z1) + xi/2")
    again = pickle.loads(pickle.dumps(target))
    assert again == target
    assert hash(again) == hash(target)
    assert again.expression == target.expression
    assert str(target) == "sin(z1) + xi/2"
    assert repr(target) == "Target(text='sin(z1) + xi/2', directions=None)"


def test_only_indexed_names() -> None:
    with pytest.raises(ParseError, match=r"unknown name 'y'; accepted here: z1, z2, \.\.\., xi, pi, E"):
        Target("z1 + y")


def test_function() -> None:
    x = np.linspace(-2, 2, 7)
    function = Target("z1*z3 - z3 + xi").function(backend="array")
    np.testing.assert_allclose(function(x, 0 * x, x + 1), x * (x + 1) - (x + 1), rtol=1e-15, atol=1e-15)
    constant = Target("3 + xi").function(backend="array")
    np.testing.assert_array_equal(constant(x), np.full(7, 3.0))


def test_directions() -> None:
    target = Target("relu(z1)*z2", directions=[[3, 4, 0], [0, "1/2", sympy.sqrt(2)]])
    assert target.dimension == 3
    assert target.expression == relu(3 * z1 + 4 * z2) * (z2 / 2 + sympy.sqrt(2) * z3)
    assert pickle.loads(pickle.dumps(target)) == target
    assert target != Target("relu(z1)*z2", directions=[[3, 4, 0], [0, 1, 1]])
    floats = Target("z1", directions=np.array([[0.1, 0.5]]))
    assert floats.expression == z1 / 10 + z2 / 2  # read as the decimals that they print


def test_from_sympy() -> None:
    x, y = sympy.symbols("z1 z2")  # without assumptions: they are read as our variables
    target = Target(sympy.Max(x, 0) * sympy.Heaviside(y) + sympy.erf(x) / 3)
    assert target.expression == Target("max(z1, 0)*step(z2) + erf(z1)/3").expression
    with pytest.raises(InputError, match="holds floats; write them as rational numbers"):
        Target(0.5 * x)
    with pytest.raises(ParseError, match="unknown function 'gamma'"):
        Target(sympy.gamma(x))


@pytest.mark.parametrize(
    ("directions", "message"),
    [
        (3, "directions is not a matrix"),
        ([[1, 2]], r"has 1 rows of lengths \[2\]; at least 2 of one length"),
        ([[1, 2], [1]], "of one length"),
        ([[1, 2], [1, "x"]], "an entry of directions is 'x'"),
        ([[1, float("nan")], [0, 1]], "an entry of directions is 'nan'"),
    ],
)
def test_directions_that_do_not_fit(directions: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Target("z1*z2", directions=directions)
