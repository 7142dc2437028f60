"""Digits of hard integrands: the error estimate covers the true error."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import mpmath
import pytest

from hermite_analytics import Activation, UndefinedQuantity, UnsupportedExpression
from hermite_analytics.errors import ConvergenceError
from hermite_analytics.gaussian import digits
from hermite_analytics.gaussian.digits import expectation_digits
from hermite_analytics.symbols import z

HARD: dict[str, tuple[Callable[[Any], Any], list[Any]]] = {
    # text: the function in mpmath, and panels that suit it
    "tanh(50*z)**2": (lambda x: mpmath.tanh(50 * x) ** 2, [0.1, 0.2, 0.5]),
    "abs(tanh(z) - 1/3)": (lambda x: abs(mpmath.tanh(x) - mpmath.mpf(1) / 3), ["atanh"]),
    "exp(10*z)*tanh(z)": (lambda x: mpmath.exp(10 * x) * mpmath.tanh(x), []),
    "1/(1 + 1000*z**2)": (lambda x: 1 / (1 + 1000 * x * x), [0.01, 0.03, 0.1, 0.3]),
    "max(sin(3*z), z**2 - 1)": (lambda x: max(mpmath.sin(3 * x), x * x - 1), ["cross"]),
    "softplus(z)*relu(z - 1)": (lambda x: mpmath.log1p(mpmath.exp(x)) * max(x - 1, mpmath.mpf(0)), [1]),
    "step(z - 0.3)*tanh(z)": (
        lambda x: mpmath.mpf(x > mpmath.mpf(3) / 10) * mpmath.tanh(x),
        ["0.3"],
    ),
    "exp(-1000*abs(z))*tanh(z)**2": (
        lambda x: mpmath.exp(-1000 * abs(x)) * mpmath.tanh(x) ** 2,
        [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1],
    ),
    "sqrt(1 + z**2)": (lambda x: mpmath.sqrt(1 + x * x), []),
    "exp(z**2/5)*tanh(z)**2": (lambda x: mpmath.exp(x * x / 5) * mpmath.tanh(x) ** 2, []),
    "sin(30*z + 1)*tanh(z)": (lambda x: mpmath.sin(30 * x + 1) * mpmath.tanh(x), []),
    "sign(relu(z))*tanh(z)": (lambda x: mpmath.mpf(x > 0) * mpmath.tanh(x), [0]),
}


def reference(name: str) -> Any:
    function, marks = HARD[name]
    edges = {mpmath.mpf(j) / 2 for j in range(-60, 61)}
    for mark in marks:
        if mark == "atanh":
            edges.add(mpmath.atanh(mpmath.mpf(1) / 3))
        elif mark == "cross":

            def gap(x: Any) -> Any:
                return mpmath.sin(3 * x) - x * x + 1

            grid = [mpmath.mpf(j) / 50 for j in range(-100, 101)]
            brackets = [p for p in itertools.pairwise(grid) if gap(p[0]) * gap(p[1]) < 0]
            edges |= {mpmath.findroot(gap, p, solver="anderson") for p in brackets}
        else:
            edges |= {mpmath.mpf(mark), -mpmath.mpf(mark)}
    inside = sorted(e for e in edges if abs(e) <= 30)
    return mpmath.quad(lambda t: function(t) * mpmath.npdf(t), inside, method="gauss-legendre", maxdegree=6)


@pytest.mark.slow
@pytest.mark.draws(6, spread=True)
@pytest.mark.parametrize("name", HARD)
def test_the_error_estimate_is_honest(name: str) -> None:
    expression = Activation(name).expression
    with mpmath.workdps(45):
        truth = reference(name)
        for prec in (53, 100):
            value, error = expectation_digits(expression, [z], prec)
            assert abs(value - truth) <= error
            assert error <= mpmath.ldexp(1, -prec) * max(1, abs(truth))


@pytest.mark.slow
def test_more_digits() -> None:
    expression = Activation("tanh(z)**2").expression
    short, _ = expectation_digits(expression, [z], 60)
    long, error = expectation_digits(expression, [z], 340)
    assert abs(short - long) < 1e-17
    assert error < 1e-100
    assert mpmath.nstr(long, 17) == "0.39429449039784117"


@pytest.mark.slow
def test_many_features_and_divergence() -> None:
    with pytest.raises(UndefinedQuantity, match="does not decay against the Gaussian"):
        expectation_digits(Activation("exp(z**2/4)*tanh(z)").expression ** 3, [z], 53)
    with pytest.raises(ConvergenceError, match="did not settle: it decays slowly at infinity"):
        expectation_digits(Activation("exp(z**2/4)/(1 + z**2)").expression ** 2, [z], 53)  # it is sqrt(pi/8)
    many = Activation("abs(sin(12*z))*sigmoid(z)").expression
    value, error = expectation_digits(many, [z], 53)
    with mpmath.workdps(30):
        assert abs(value - 1 / mpmath.pi) <= error  # |sin| averages to 2/pi, the sigmoid to 1/2
    with pytest.raises(
        UnsupportedExpression, match=r"sin\(500\*z\) changes sign .* at most 1000 are accepted"
    ):
        expectation_digits(Activation("abs(sin(500*z))*sigmoid(z)").expression, [z], 53)


@pytest.mark.slow
def test_what_does_not_settle_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digits, "_MOST_PANELS", 200)  # of 1500: what is met is the same
    with pytest.raises(ConvergenceError, match=r"did not settle with \d+ panels"):
        expectation_digits(Activation("sin(1e6*z)*tanh(z)").expression, [z], 53)


def test_a_removable_singularity_at_a_point_of_the_rule():
    """E sin(z)/z = int_0^1 e^{-t^2/2} dt: the function is 0/0 at 0, where the rule looks first."""
    sinc = Activation("sin(z)").expression / z
    value, _ = expectation_digits(sinc, (z,), 60)
    with mpmath.workdps(30):
        exact = mpmath.sqrt(mpmath.pi / 2) * mpmath.erf(1 / mpmath.sqrt(2))
        assert abs(value - exact) < mpmath.mpf(10) ** -16


@pytest.mark.parametrize(
    "text", ["log(abs(11*z/10 + 1/2))", "sqrt(abs(11*z/10 + 1/2))", "abs(11*z/10 + 1/2)**(1/3)"]
)
def test_a_logarithm_or_a_root_is_no_noise(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Panels halved towards it show no lack of digits: no higher precision is asked for."""
    monkeypatch.setattr(digits, "_GUARD_BITS", (31,))
    monkeypatch.setattr(digits, "_integrate", functools.partial(_never_last, digits._integrate))
    value, error = expectation_digits(Activation(text).expression, [z], 53)
    with mpmath.workdps(30):
        x: Callable[[Any], Any] = lambda u: abs(mpmath.mpf(11) / 10 * u + mpmath.mpf(1) / 2)  # noqa: E731
        powers = {"log": mpmath.log, "sqrt": mpmath.sqrt, "abs": lambda v: v ** (mpmath.mpf(1) / 3)}
        f = powers[text.split("(")[0]]
        edges = [-14, -5, mpmath.mpf(-5) / 11, 5, 14]
        exact = mpmath.quad(lambda u: f(x(u)) * mpmath.npdf(u), edges)
        assert abs(value - exact) <= error < 1e-17


def _never_last(integrate: Callable[..., Any], *args: Any, **options: Any) -> Any:
    return integrate(*args, **{**options, "last": False})
