"""`Target`: dimension, label noise, the single-index form."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pytest
import sympy
from sympy import Rational, sin

from hermite_analytics import (
    InputError,
    ParseError,
    RoundedNumbers,
    Target,
    UndefinedQuantity,
    UnsupportedExpression,
    hermite,
)
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


def test_floats_are_decimals_unless_the_user_says_so() -> None:
    root = 2**-0.5
    rows = np.array([[root, root], [root, -root]])
    found = Target("z1*z2", directions=rows, exact=True)
    assert (
        found.directions
        == Target("z1*z2", directions=[["sqrt(1/2)"] * 2, ["sqrt(1/2)", "-sqrt(1/2)"]]).directions
    )
    assert pickle.loads(pickle.dumps(found)) == found
    assert Target("z1*z2").rotate([[root, root], [-root, root]], exact=True).dimension == 2
    with pytest.warns(RoundedNumbers, match=r"decimals 0\.7071067811865476, .*exact=True takes each") as told:
        kept = Target("z1*z2", directions=rows)
    assert told[0].filename == __file__ and len(told) == 1
    assert kept.directions[0][0] == Rational("0.7071067811865476")
    texts = [repr(kept), str(hermite(kept, 2)), hermite(kept, 2)._repr_latex_(), str(hermite(kept, 2)[2, 0])]
    assert "0.7071067811865476" in texts[0] and not re.search(r"\d{18}", " ".join(texts))
    with pytest.warns(
        RoundedNumbers, match="none is near a fraction of denominator 1000 at most or the root"
    ):
        assert Target("z1", directions=[[2**0.25]], exact=True).directions[0][0] == Rational(str(2**0.25))


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
        (
            [[1, 2]],
            r"directions has shape \(1, 2\); z1\*z2 has indices up to 2, and as many rows are accepted",
        ),
        (np.ones((3, 2)), r"directions has shape \(3, 2\); z1\*z2 has indices up to 2"),
        (np.ones((2, 2, 2)), "directions is not a matrix"),
        (["12", "34"], "directions is not a matrix"),
        ([[], []], r"directions has 2 rows of lengths \[0\]"),
        ([[1, 2], [1]], r"directions has 2 rows of lengths \[1, 2\]; rows of one length are accepted"),
        ([[1, 2], [1, "x"]], "an entry of directions is 'x'"),
        ([[1, float("nan")], [0, 1]], "an entry of directions is 'nan'"),
    ],
)
def test_directions_that_do_not_fit(directions: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Target("z1*z2", directions=directions)


R = [["3/5", "4/5"], ["-4/5", "3/5"]]


def test_rotation_is_f_of_rz() -> None:
    target = Target("relu(z1)*z2")
    turned = target.rotate(R)
    assert turned.expression == relu(Rational(3, 5) * z1 + Rational(4, 5) * z2) * (
        -Rational(4, 5) * z1 + Rational(3, 5) * z2
    )
    x = np.random.default_rng(1).normal(size=(2, 50))
    matrix = np.array([[0.6, 0.8], [-0.8, 0.6]])
    f, g = (t.function(backend="array") for t in (target, turned))
    np.testing.assert_allclose(g(*x), f(*(matrix @ x)), rtol=1e-13, atol=1e-13)
    assert pickle.loads(pickle.dumps(turned)) == turned


def test_rotations_compose_and_invert() -> None:
    target = Target("He3(z1) + z2", directions=[[1, 1], [0, 1]])
    back = [list(column) for column in zip(*R, strict=True)]
    assert sympy.expand(target.rotate(R).rotate(back).expression) == sympy.expand(target.expression)
    swapped = Target("z1 + 2*z2").rotate([[0, 1], [1, 0]])
    assert swapped.expression == z2 + 2 * z1
    half = "sqrt(2)/2"
    assert Target("z1").rotate([[half, half], [f"-{half}", half]]).dimension == 2
    assert Target("z1").rotate([[0, 0, 1], [0, 1, 0], [1, 0, 0]]).expression == z3


def test_directions_of_fewer_columns_are_widened() -> None:
    target = Target("z1", directions=[[2]])
    assert target.rotate([[0, 1], [1, 0]]).expression == 2 * z2


@pytest.mark.parametrize(
    ("rotation", "message"),
    [
        ([[1, 1], [0, 1]], "not shown to be orthogonal: row 1 times row 1 is 2; an exact matrix with R R"),
        ([[0.6, 0.8], [-0.8, 0.61]], "row 1 times row 2 is 1/125"),
        ([["sqrt(2)/2", 0.7071], [0, 1]], "row 1 times row 1"),
        ([[1, 0]], r"the rotation has shape \(1, 2\); a square matrix of 2 rows at least is accepted"),
        ([[1]], r"the rotation has shape \(1, 1\); a square matrix of 2 rows at least is accepted"),
        ([[1, "x"], [0, 1]], "an entry of the rotation is 'x'; a finite number is accepted"),
        (7, "the rotation is not a matrix; a list of rows of numbers is accepted"),
    ],
)
def test_rotations_that_are_refused(rotation: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Target("z1*z2").rotate(rotation)


def test_sum() -> None:
    total = Target("z1 + xi/2") + Target("-z3")
    assert total.expression == z1 + sympy.Symbol("xi", real=True) / 2 - z3
    assert total.dimension == 3
    same = Target("z1", directions=[[1, 2]]) + Target("z1**2", directions=[[1, 2]])
    assert same.directions == ((1, 2),) and same.expression == (z1 + 2 * z2) ** 2 + z1 + 2 * z2
    with pytest.raises(TypeError):
        Target("z1") + 3  # type: ignore[operator]


@pytest.mark.parametrize("order", [1, -1])
def test_sum_of_different_directions(order: int) -> None:
    turned = Target("relu(z1)*z2").rotate(R)
    plain = Target("z + z4")
    first, second = (turned, plain)[::order]
    total = first + second
    assert total.dimension == 4
    assert sympy.expand(total.expression - turned.expression - plain.expression) == 0
    assert pickle.loads(pickle.dumps(total)) == total


def test_a_sum_has_the_limits_of_a_target() -> None:
    with pytest.raises(ParseError, match="characters"):
        Target("z1" + "+z1" * 1500) + Target("z2" + "+z2" * 1500)


@pytest.mark.parametrize(
    ("text", "variance", "expected"),
    [
        ("sin(z1)", "1/4", Rational(1, 4)),
        ("sin(z1) - xi", 3, 4),
        ("xi/2 + z1", "0.75", 1),
        ("z1", "sqrt(2)", sympy.sqrt(2)),
    ],
)
def test_noise_is_added(text: str, variance: object, expected: object) -> None:
    noisy = Target(text).with_noise(variance)
    assert sympy.expand(noisy.noise_variance - expected) == 0
    assert noisy.noiseless == Target(text).noiseless


def test_no_noise_is_nothing_new() -> None:
    target = Target("z1*xi")
    assert target.with_noise(0) is target


@pytest.mark.parametrize(
    ("variance", "message"),
    [
        (-1, "the variance of the noise is -1; a number >= 0 is accepted"),
        ("1 - sqrt(2)", "a number >= 0 is accepted"),
        ("much", "the variance of the noise is 'much'; a finite number is accepted"),
        (float("inf"), "a finite number is accepted"),
    ],
)
def test_noise_that_is_refused(variance: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Target("z1").with_noise(variance)


def test_noise_on_noise_that_is_not_additive_is_refused() -> None:
    with pytest.raises(UnsupportedExpression, match="is not additive"):
        Target("sign(z1 + xi)").with_noise(1)
