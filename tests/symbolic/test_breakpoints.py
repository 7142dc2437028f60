"""Kinks, jumps and strips of analyticity, read off expressions."""

from __future__ import annotations

import mpmath
import pytest
import sympy
from sympy import S, Symbol, pi, sqrt

from hermite_analytics import Activation, UnsupportedExpression
from hermite_analytics.gaussian.breakpoints import (
    breakpoints,
    kink_arguments,
    real_breakpoints,
    real_sharp_points,
    sharp_points,
    strip_half_width,
)
from hermite_analytics.symbols import c, kappa, r, z

KINKS: dict[str, list[float]] = {
    "tanh(z)": [],
    "relu(z - 1/4)": [0.25],
    "abs(z)*sign(2*z + 3)": [-1.5, 0],
    "max(z, 1, z**2)": [-1, 0, 1],
    "abs(z**2 - 2)": [-(2**0.5), 2**0.5],
    "sign(z**3 - z)": [-1, 0, 1],
    "abs(z**2 + 1)*relu(z)": [0],
    "leaky_relu(z + 2, 1/10)": [-2],
    "step(exp(z) - 2)": [float(mpmath.log(2))],
    "abs(tanh(z) - 1/2)": [float(mpmath.atanh(0.5))],
    "relu(relu(z) - 1)": [0, 1],
    "step(relu(z))": [0],
    "sign((z - 1)**2)": [1],
    "abs(z**3 - z - 1)": [1.324717957244746],
    "sign(sqrt(2)*z - 1)": [0.7071067811865476],
}


@pytest.mark.cases(10)
@pytest.mark.parametrize("text", KINKS)
def test_real_breakpoints(text: str) -> None:
    found = real_breakpoints(Activation(text).expression, z)
    needed = KINKS[text]
    # a point too many costs a panel and no more; a missing one costs digits
    for point in needed:
        assert min(abs(float(b) - point) for b in found) < 1e-15
    assert len(found) <= len(needed) + 2


def test_breakpoints_have_all_digits() -> None:
    with mpmath.workdps(50):
        found = real_breakpoints(Activation("abs(z**3 - z - 1)*relu(exp(z) - 2)").expression, z)
        assert min(abs(b**3 - b - 1) for b in found) < 1e-48
        assert min(abs(b - mpmath.log(2)) for b in found) < 1e-48


def test_breakpoints_of_a_periodic_function() -> None:
    found = [float(b) for b in real_breakpoints(Activation("sign(sin(3*z))").expression, z)]
    assert len(found) == 2 * int(40 * 3 / float(pi)) + 1
    assert min(abs(b - float(pi) / 3) for b in found) < 1e-15


def test_breakpoints_move_with_the_parameters() -> None:
    x = r * kappa + sqrt(c) * z
    assert breakpoints(sympy.Abs(x), z) == [-kappa * r / sqrt(c)]
    moved = breakpoints(Activation("abs(tanh(z) - 1/2)").expression.subs(z, x), z)
    assert len(moved) == 1
    at = {kappa: 2, r: 3, c: 4}
    assert float(moved[0].subs(at)) == pytest.approx((0.5493061443340549 - 6) / 2, abs=1e-15)
    assert len(breakpoints(Activation("abs(z**2 - 2)").expression.subs(z, x), z)) == 2


def test_breakpoints_without_a_formula_are_refused() -> None:
    a = Symbol("a", real=True)
    with pytest.raises(UnsupportedExpression, match="one affine form"):
        breakpoints(sympy.Abs(sympy.tanh(z) + a * z), z)


def test_kink_arguments_are_listed_once() -> None:
    expr = sympy.Abs(z - 1) + sympy.sign(z - 1) * sympy.Max(z, 1, kappa)
    assert set(kink_arguments(expr, z)) <= {z - 1, 1 - z, z - kappa, kappa - z}
    assert len(kink_arguments(expr, z)) <= 3


STRIPS = {
    "tanh(z)": pi / 2,
    "tanh(3*z)": pi / 6,
    "sigmoid(z)*tanh(z)": pi / 2,
    "softplus(z)**2": pi,
    "silu(2*z)": pi / 2,
    "exp(-z**2/2)*sin(z)": S.Infinity,
    "erf(z)*He(3, z)": S.Infinity,
    "abs(z)*tanh(z)": pi / 2,
    "max(tanh(z), z/2)": pi / 2,
    "1/(1 + z**2)": None,
    "tanh(z**2)": None,
}


@pytest.mark.parametrize("text", STRIPS)
def test_strips(text: str) -> None:
    assert strip_half_width(Activation(text).expression, z) == STRIPS[text]


def test_strips_scale_with_the_width() -> None:
    assert strip_half_width(sympy.tanh(kappa + sqrt(c) * z), z) == pi / (2 * sqrt(c))
    assert strip_half_width(sympy.tanh(kappa), z) is S.Infinity


def test_sharp_points_of_logarithms_and_roots() -> None:
    a = r * kappa + sqrt(c) * z
    at = [-kappa * r / sqrt(c)]
    size = sympy.Abs(a)
    for sharp in (sympy.log(size), sqrt(size), z * sympy.log(a**2) ** 2, sqrt(size) * sympy.erf(sqrt(size))):
        assert sharp_points(sharp, z) == at
    for other in (
        1 / sqrt(size),
        1 / sympy.log(size),
        sympy.exp(sympy.log(size) * kappa),
        sympy.log(1 + size),
    ):
        assert sharp_points(other, z) == []
    assert breakpoints(sympy.log(a**2), z) == at
    assert sharp_points(sqrt(sympy.Abs(z)) / (1 + z**2), z) == [0]
    assert sharp_points(sqrt(sympy.Abs(z)) / sympy.tanh(z), z) == []  # like |z|^(-1/2)
    assert real_sharp_points(sympy.log((z**2 - 1) ** 2), z) == [-1, 1]
    assert real_sharp_points(sqrt(1 + z**2) + sympy.Abs(z), z) == []
