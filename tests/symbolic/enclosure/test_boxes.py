"""Coefficients of functions that jump and bend along curves: balls from boxes against values by hand."""

from __future__ import annotations

import math

import pytest
import sympy
from scipy import integrate, stats

from hermite_analytics.foundation.clock import TimeEnded, allowed, limited
from hermite_analytics.gaussian.enclosure import nonzero_coefficients
from hermite_analytics.language.parser import parse, target_names
from hermite_analytics.symbols import variable, xi

Z = tuple(variable(i + 1) for i in range(3))


def read(text: str) -> sympy.Expr:
    return parse(text, target_names, accepted="z1, z2, ..., xi")


def _mean(function) -> float:
    """E of a function of one coordinate."""
    return integrate.quad(lambda t: function(t) * stats.norm.pdf(t), -9, 9, limit=400)[0]


def _size(power: float) -> float:
    """E|z|^p."""
    return 2 ** (power / 2) * math.gamma((power + 1) / 2) / math.sqrt(math.pi)


CASES = {
    "step(z1 - z2**2)": ((1, 0), _mean(lambda y: stats.norm.pdf(y**2))),
    "step(1 - z1**2 - z2**2)*z1": ((1, 0), (1 - 1.5 * math.exp(-0.5))),
    "norm(z1, z2)*sign(z1)": ((1, 0), 4 / math.pi),
    "norm(z1, z2)": ((2, 0), math.sqrt(math.pi / 2) / 2),
    "exp(z1*z2/4)*sign(z1*z2)": (
        (0, 0),
        _mean(lambda t: math.exp(t * t / 32) * (2 * stats.norm.cdf(abs(t) / 4) - 1)),
    ),
    "sqrt(abs(z1*z2))": ((0, 2), _size(0.5) * (_size(2.5) - _size(0.5))),
}


@pytest.mark.parametrize("text", CASES)
def test_balls_hold_the_coefficient(text):
    index, value = CASES[text]
    found = nonzero_coefficients(read(text), Z[:2], [index])
    assert list(found) == [index]
    ball = found[index]
    assert not ball.contains(0)
    assert abs(float(ball.mid()) - value) <= float(ball.rad())


def test_coefficients_that_vanish_are_left_out():
    wanted = [(1, 0), (0, 1), (1, 1), (2, 0), (0, 2)]
    assert list(nonzero_coefficients(read("step(1 - z1**2 - z2**2)"), Z[:2], wanted)) == [(2, 0), (0, 2)]


def test_noise_is_one_more_variable():
    found = nonzero_coefficients(read("step(z1*z2 + xi**2 - 1)"), (*Z[:2], xi), [(1, 1, 0), (1, 0, 0)])
    assert list(found) == [(1, 1, 0)]
    assert found[1, 1, 0] > 0


@pytest.mark.parametrize("text", ["exp(z1**2/2)*sign(z1*z2 - 1)", "log(abs(z1*z2))"])
def test_what_has_no_bound_is_left_out(text):
    assert nonzero_coefficients(read(text), Z[:2], [(2, 0), (1, 1)]) == {}


def test_time():
    with limited(1e-9), pytest.raises(TimeEnded):
        nonzero_coefficients(read("step(z1 - z2**2)"), Z[:2], [(1, 0)])
    with allowed(1e-9):
        assert nonzero_coefficients(read("step(z1 - z2**2)"), Z[:2], [(1, 0)]) == {}
