"""`Target`: dimension, label noise, the single-index form."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sympy import Rational, sin

from hermite_analytics import InputError, ParseError, Target, UndefinedQuantity, UnsupportedExpression
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
    assert repr(target) == "Target(text='sin(z1) + xi/2')"


def test_only_indexed_names() -> None:
    with pytest.raises(ParseError, match=r"unknown name 'y'; accepted here: z1, z2, \.\.\., xi, pi, E"):
        Target("z1 + y")


def test_function() -> None:
    x = np.linspace(-2, 2, 7)
    function = Target("z1*z3 - z3 + xi").function(backend="array")
    np.testing.assert_allclose(function(x, 0 * x, x + 1), x * (x + 1) - (x + 1), rtol=1e-15, atol=1e-15)
    constant = Target("3 + xi").function(backend="array")
    np.testing.assert_array_equal(constant(x), np.full(7, 3.0))
