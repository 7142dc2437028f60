"""Inputs whose single steps took long: they look at the time now, or are refused.

The limits count how often they are asked instead of measuring time; endless work is an endless loop.
"""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest
import sympy

import hermite_analytics as ha
from hermite_analytics import exponents
from hermite_analytics.errors import ConvergenceError, UnsupportedExpression
from hermite_analytics.foundation.account import Account
from hermite_analytics.foundation.clock import TimeEnded, check_time, within
from hermite_analytics.gaussian.closed_form import closed_form
from hermite_analytics.gaussian.coefficients import exact_coefficients
from hermite_analytics.gaussian.digits import expectation_digits
from hermite_analytics.gaussian.integrability import integrability
from hermite_analytics.gaussian.quantities import Evidence
from hermite_analytics.label.cases.space.smooth_cells import orbits
from hermite_analytics.label.exact.pieces import monotone_pieces
from hermite_analytics.label.operator import operator_matrix
from hermite_analytics.label.quadrature import LabelQuadrature
from hermite_analytics.language.functions import hermite_polynomial, silu
from hermite_analytics.symbols import variable
from hermite_analytics.target import Target
from tests.symbolic.ticks import Ticks, let_time_tick

z1 = variable(1)


def endless(*_: Any, **__: Any) -> None:
    while True:
        check_time()


@pytest.mark.slow
def test_pieces_look_at_the_time() -> None:
    waves = Target("sqrt(1 + He5(2*z1/7)**2)").expression
    whole = Ticks(10**9)
    with within(whole):
        assert len(monotone_pieces(waves, z1)) == 10
    assert whole.asked > 50
    for left in (1, whole.asked // 2, whole.asked - 2):
        short = Ticks(left)
        with pytest.raises(TimeEnded), within(short):
            monotone_pieces(waves, z1)
        assert short.left >= -1


def test_classes_of_cells_look_at_the_time() -> None:
    """There were 1800 of norm(z3+xi,z1**2), and each is compared with all others."""
    cells: list[Any] = [object() for _ in range(10)]
    assert [cell for cell, _ in orbits(cells, ())] == cells
    with pytest.raises(TimeEnded), within(Ticks(3)):
        orbits(cells, ())


def test_a_part_cannot_take_more_than_all_that_is_left() -> None:
    account = Account(1e-3, {"mean": 1, "threshold": 3})
    with pytest.raises(TimeEnded), account.part("mean"):
        endless()
    assert account.left == 0
    with pytest.raises(TimeEnded), account.part("threshold"):  # what is left over for it ends too
        endless()


def test_an_endless_part_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exponents, "isotropic_leap", endless)
    let_time_tick(monkeypatch)
    a = ha.analyze("z1", seconds=20_000)
    with pytest.raises(TimeoutError, match="the time ended before an answer"):
        _ = a.isotropic_leap
    document = a.to_dict()
    assert document["isotropic_leap"]["reason"] == "the time ended before an answer"
    assert document["isotropic_leap"]["evidence"] == "undecided"
    assert document["leap_complexity"]["value"] == 1


def test_a_limit_around_an_analysis_is_not_its_own() -> None:
    a = ha.analyze("tanh(z1 + z2)")
    with pytest.raises(TimeEnded), within(Ticks(3)):
        _ = a.leap_complexity
    assert a.leap_complexity.value == 1  # the interruption was not remembered


ALL = (
    exponents.information_exponent,
    exponents.intrinsic_dimension,
    exponents.leap_complexity,
    exponents.isotropic_leap,
    exponents.first_subspace,
    exponents.staircase,
    exponents.leap_decomposition,
)


@pytest.mark.parametrize("ticks", [1, 10, 40])
@pytest.mark.parametrize("function", ALL, ids=lambda f: f.__name__)
def test_what_is_known_when_the_time_ends(function: Any, ticks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (exponents.leaps, exponents.staircases):
        monkeypatch.setattr(module, "limited", lambda: within(Ticks(ticks)))
    text = "tanh(z1 + sqrt(2)*z2)*sin(z3) + tanh(z1*z2*z3) + sin(z2*z3)*z4"
    found = str(function(text, seconds=60).to_dict())
    assert "the time ended before a proof" in found


@pytest.mark.slow
def test_moments_of_a_complex_law_stay_short() -> None:
    value = closed_form(ha.Target("He(30, z1)*cos(z1)*max(z1 - 1, 0)").expression, [z1])
    assert value is not None and len(str(value)) < 300  # was exponential in the degree
    with mpmath.workdps(30):
        polynomial = sympy.lambdify(z1, hermite_polynomial(30, z1), "mpmath")
        edges = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 25]
        wanted = mpmath.quad(lambda t: polynomial(t) * mpmath.cos(t) * (t - 1) * mpmath.npdf(t), edges)
        assert mpmath.almosteq(mpmath.mpf(str(sympy.N(value, 25))), wanted, 1e-18)


def test_a_tiny_integrand_has_an_enclosure() -> None:
    found = ha.hermite("1e-300*sigmoid(z1)", 1)
    assert found[1].evidence is Evidence.PROVED
    assert abs(found[1].value * 1e300 - 0.20662096414) <= found[1].error * 1e300 < 1e3


def test_numbers_of_too_many_digits() -> None:
    with pytest.raises(ConvergenceError, match="meets numbers of too many digits"):
        expectation_digits(silu(sympy.exp(10**300 * z1)), [z1], 60)


def test_a_smooth_step_in_a_hyperbolic_function() -> None:
    f = sympy.log(2 * sympy.cosh(sympy.erf(z1) * z1 + sympy.erf(z1) * sympy.tanh(z1**5)))
    assert integrability(f, [z1]).finite is not False


def test_labels_beyond_double_precision_have_no_threshold() -> None:
    second = np.full((2, 1, 1), 1e200)
    nodes = LabelQuadrature(weights=np.array([0.5, 0.5]), first=np.zeros((2, 1)), second=second)
    with (
        pytest.raises(UnsupportedExpression, match="beyond the range of double precision"),
        np.errstate(over="ignore"),
    ):
        operator_matrix(nodes)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "z1**20*cos((1e300 + 1)*z1)",
        "phi(He(4, 1e300*z1))*max(1e3, z1)*(z1 + 1)",
        "17/(1 + (z2/2 + (1e300 + 1)*z1 + (1e20 + 1)/7*z1 + 1e-3)**2) + min(1e-300, z2)/2",
        "max(z1*sqrt(2), z1)*sqrt(1 + z1**2) + phi(2*z1 + 1e10*z1)**10 + He(5, He(12, z1))",
        "1.5*relu((1/(1 + (-z2 + 0.1*z4)**2))**40) + 0.7*He(5, He(4, -1)*(z2 + z4))",
        "1/(1 + (1e-40*z1 + 2*z1 + E*z1)**2) + leaky_relu(3*z1 + 2, 0.1) + log(1 + z1**2)",
        "2*min(1, 123456789*z1)*cos(z1)*(leaky_relu(z1, 1/3) + He(30, z1))",
    ],
)
def test_hard_targets_end_with_a_document(text: str) -> None:
    document = ha.analyze(text, seconds=1).to_dict()
    assert document["information_exponent"]["evidence"] in ("exact", "proved", "undecided")


def test_zeros_that_are_not_found_are_refused() -> None:
    with pytest.raises(UnsupportedExpression):
        monotone_pieces(ha.Target("z1*cos(z1)").expression, z1)


PRODUCTS = ["-erfc(z2)*(2*z1+2*z2+1)*erf(3*z1/2)", "(-1/2*max(z1-3*z2,-z1/3))**2", "-max(z1,z2)*erf(z1)*z3/2"]


@pytest.mark.slow
@pytest.mark.parametrize("text", PRODUCTS)
def test_coefficients_that_were_finished_are_those_of_the_whole(text: str) -> None:
    """Whenever the time ends: those of a factor were once taken for those of the product."""
    f = ha.Target(text)
    variables = tuple(variable(j + 1) for j in range(f.dimension))
    whole = exact_coefficients(f.expression, variables, 2)
    enough = Ticks(10**6)
    with within(enough):
        exact_coefficients(f.expression, variables, 2)
    finished: list[tuple[tuple[int, ...], sympy.Expr]] = []
    for ticks in range(1, enough.asked + 1, max(1, enough.asked // 60)):
        try:
            with within(Ticks(ticks)):
                exact_coefficients(f.expression, variables, 2)
        except TimeEnded as ended:
            finished += ended.found.items()
    assert finished
    assert all(sympy.simplify(x - whole[index]) == 0 for index, x in finished)
