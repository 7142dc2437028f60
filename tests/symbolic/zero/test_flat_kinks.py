"""Kinks of what is 0 on an open set by cancellation: the same function almost surely, exact in floats."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import sympy

import hermite_analytics as ha
from hermite_analytics.gaussian.zero.flat_kinks import with_exact_zeros
from hermite_analytics.language.parser import parse, target_names
from hermite_analytics.numeric import StateEvolution

FLAT = "abs(z1) + abs(z2) - abs(z1 + z2)"  # 0 where z1 and z2 have one sign, else positive
TEXTS = (
    f"sign({FLAT})",
    f"step({FLAT}) + z1",
    f"relu(-({FLAT}))",
    f"abs({FLAT})",
    f"leaky_relu({FLAT} - relu(z1), 1/4)",
    f"max({FLAT}, 0)",
    "min(z1 - abs(z1) - relu(z2), z1 - abs(z1) - (z2 + abs(z2))/2)",
    "step(abs(z1 + 1/3) + abs(z1 - 1/3) - 2/3)",
    "step(sign(z1)/10 + step(z1)/5 - 3/10)",
    f"sign(sign({FLAT})*z1)",
)


def _exact(text: str, point: tuple[Fraction, Fraction]) -> sympy.Expr:
    """In rational numbers."""
    expr = parse(text, target_names, accepted="z1, z2")
    values = {
        s: sympy.Rational(x.numerator, x.denominator)
        for s, x in zip(sympy.symbols("z1 z2", real=True), point, strict=True)
    }
    return expr.subs(values).doit()


@pytest.mark.cases(1)
@pytest.mark.parametrize("text", TEXTS)
def test_the_same_function(text: str) -> None:
    written = with_exact_zeros(parse(text, target_names, accepted="z1, z2"))
    rng = np.random.default_rng(5)
    z1, z2 = sympy.symbols("z1 z2", real=True)
    for a, b in rng.integers(-300, 300, size=(40, 2)):
        point = (Fraction(int(a), 101) + Fraction(1, 7), Fraction(int(b), 103) + Fraction(1, 11))
        here = {
            z1: sympy.Rational(*point[0].as_integer_ratio()),
            z2: sympy.Rational(*point[1].as_integer_ratio()),
        }
        assert abs(sympy.N(written.subs(here).doit() - _exact(text, point), 30)) < 1e-25


@pytest.mark.slow
@pytest.mark.parametrize("text", [TEXTS[0], TEXTS[7]])
def test_kernels_find_the_zero(text: str) -> None:
    """As it was, one point of two had the sign of 1e-17."""
    z = np.abs(np.random.default_rng(0).standard_normal((2, 1000)))
    f = ha.Target(text)
    values = f.function()(*(z[: f.dimension] if "z2" in text else z[:1] / z.max() / 3.01))
    assert set(np.asarray(values)) == {0.0}


@pytest.mark.slow
@pytest.mark.parametrize("other", ["z1*z2", "z1**2 + z2**2"])
def test_threshold_of_an_equal_label(other: str) -> None:
    """The sign is step(-z1 z2) almost surely."""
    one = ha.weak_recovery(f"sign({FLAT}) + {other}").alpha_c
    same = ha.weak_recovery(f"step(-z1*z2) + {other}").alpha_c
    assert abs(float(one) - float(same)) < 1e-6


def test_map_of_an_equal_label() -> None:
    half = np.eye(2) / 2
    found = StateEvolution(f"sign({FLAT})").overlap_map(half)
    assert np.abs(found - StateEvolution("sign(z1*z2)").overlap_map(half)).max() < 1e-9


def test_what_is_exact_stays() -> None:
    for text in ("sign(relu(z1))", "max(abs(z1), z1)", "step(sign(z1) - sign(z1 - 1))", "relu(abs(z1) - 1)"):
        expr = parse(text, target_names, accepted="z1")
        assert with_exact_zeros(expr) == expr
