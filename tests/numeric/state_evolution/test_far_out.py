"""Cells far out on both sides, even labels with steep ends, logarithms at 0 inside maxima."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
import sympy

import hermite_analytics as ha
from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.label.channel import channel_of
from hermite_analytics.label.channel.methods import one_coordinate as sheet_channel
from hermite_analytics.label.operator import top_eigenvalue
from hermite_analytics.label.reduction.problem import Problem
from hermite_analytics.label.thresholds.numeric import one_coordinate as by_preimages
from hermite_analytics.numeric import StateEvolution
from hermite_analytics.numeric.bayes.state_evolution.posterior_mean import regression_error
from hermite_analytics.symbols import variable


def by_cells(ends: list[float], values: list[int]) -> float:
    """alpha_c of a label of |z1| with these values between: 1/sum of E[(z^2 - 1) 1{y = v}]^2/P(y = v)."""
    with mpmath.workdps(40):
        ends = [mpmath.mpf(a) for a in ends] + [mpmath.inf]
        moment: dict[int, mpmath.mpf] = {}
        chance: dict[int, mpmath.mpf] = {}
        for a, b, v in zip(ends[:-1], ends[1:], values, strict=True):
            inner = 0 if b == mpmath.inf else b * mpmath.npdf(b)
            moment[v] = moment.get(v, 0) + 2 * (a * mpmath.npdf(a) - inner)
            upper = 0 if b == mpmath.inf else mpmath.erfc(b / mpmath.sqrt(2))
            chance[v] = chance.get(v, 0) + mpmath.erfc(a / mpmath.sqrt(2)) - upper
        return float(1 / sum(moment[v] ** 2 / chance[v] for v in moment))


@pytest.mark.arrays
@pytest.mark.parametrize(
    ("text", "ends", "values"),
    [
        ("step(abs(z1) - 8)", [0, 8], [0, 1]),
        ("step(abs(z1) - 9) + step(abs(z1) - 1)", [0, 1, 9], [0, 1, 2]),
        ("step(abs(z1) - 5) - step(abs(z1) - 7)", [0, 5, 7], [0, 1, 0]),
    ],
)
def test_cells_far_out(text, ends, values):
    """Edges from the probability below lost their digits on the right: infinite thresholds, or refusals."""
    assert StateEvolution(text).weak_recovery() == pytest.approx(by_cells(ends, values), rel=1e-12)


@pytest.mark.slow
@pytest.mark.arrays
def test_floors_of_a_cosine():
    ends, values = [0.0], []
    steps = sorted(
        (mpmath.acos(mpmath.mpf(k) / 3 - mpmath.mpf(1) / 9) * s + 2 * mpmath.pi * n)
        for k in range(-2, 4)
        for s in (1, -1)
        for n in range(4)
    )
    ends += [float(a) for a in steps if 0 < a < 12]
    for a, b in zip(ends, [*ends[1:], 13.0], strict=True):
        values.append(int(mpmath.floor(3 * mpmath.cos((a + b) / 2) + mpmath.mpf(1) / 3)))
    expected = by_cells(ends, values)
    assert StateEvolution("floor(3*cos(z1) + 1/3)").weak_recovery() == pytest.approx(expected, rel=1e-10)


@pytest.mark.slow
@pytest.mark.arrays
def test_an_even_label_with_logarithmic_ends_has_no_first_order():
    """Its preimages are e^y and e^(-2 y); rounding of the ends made E[z | y] visible, and the threshold 0."""
    found = StateEvolution("max(log(abs(z1)), -log(abs(z1))/2)").weak_recovery()
    assert found == pytest.approx(7.85827324888, rel=1e-4)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("max(log(abs(z1)), -1)", 0.500115329049201), ("clip(log(abs(z1)), -1, 1)", 0.505792300161421)],
)
def test_logarithms_at_zero_inside_maxima(text, expected):
    """They ended in an error of sympy, which compares no infinity without a sign."""
    assert float(ha.weak_recovery(text).alpha_c) == pytest.approx(expected, rel=1e-12)


@pytest.mark.arrays
def test_what_is_too_rare_to_be_seen_is_not_taken_for_nothing():
    """Both thresholds are finite, 1e293 and 7e14: they were infinite, and the overlap 0 for any alpha."""
    assert math.isnan(StateEvolution("step(abs(z1) - 37)").weak_recovery())
    with pytest.raises(UnsupportedExpression, match="which is not seen"):
        StateEvolution("floor(abs(z1)/9)")


@pytest.mark.arrays
@pytest.mark.cases(2)
@pytest.mark.parametrize("m", [0.0, 0.3, 0.8, 0.999])
@pytest.mark.parametrize(
    ("text", "error"),
    [
        # Cov(log|z|, log|z'|) = arcsin(m)^2/2 for a correlation m
        ("log(abs(z1))", lambda m: math.pi**2 / 8 - math.asin(m) ** 2 / 2),
        ("log(abs(z1*z2))", lambda m: math.pi**2 / 4 - math.asin(m) ** 2),
        ("log(abs(z1))*z2", lambda m: _E_LOG_SQUARE - m * (_E_LOG**2 + math.asin(m) ** 2 / 2)),
        ("log(abs(z1)) + xi**2/5", lambda m: math.pi**2 / 8 - math.asin(m) ** 2 / 2),
    ],
)
def test_errors_of_logarithms(text, error, m):
    """E[y | z] is infinite at 0: the error was off by a hundredth."""
    channel = channel_of(text)
    found = regression_error(channel.regression, m * np.eye(len(channel.rows)))
    assert found == pytest.approx(error(m), abs=1e-10)


_E_LOG = -(math.log(2) + float(mpmath.euler)) / 2
_E_LOG_SQUARE = math.pi**2 / 8 + _E_LOG**2


def test_errors_of_roots():
    """E |z|^(2a) - (E |z|^a)^2."""

    def mean(a: float) -> float:
        return 2 ** (a / 2) * math.gamma((a + 1) / 2) / math.sqrt(math.pi)

    for text, a in (("sqrt(abs(z1))", 0.5), ("abs(z1)**(1/3)", 1 / 3)):
        channel = channel_of(text)
        found = regression_error(channel.regression, np.zeros((1, 1)))
        assert found == pytest.approx(mean(2 * a) - mean(a) ** 2, rel=1e-13)


@pytest.mark.parametrize(
    ("text", "alpha_c"),
    [("max(log(abs(z1)), -log(abs(z1))/2)", 7.85827324888218), ("sqrt(abs(log(abs(z1))))", 3.11905265472241)],
)
def test_labels_with_roots_at_a_zero_of_a_logarithm(text, alpha_c):
    """Two preimages that take turns within a tenth: panels are halved until the law is seen.

    The references are integrals by mpmath over y with both preimages in closed form.
    """
    w = sympy.Symbol("w1", real=True)
    signal = ha.Target(text).expression.xreplace({variable(1): w})
    problem = Problem(signal=signal, unknown=(w,), known=()).with_signal(signal)
    found = by_preimages(problem).alpha
    assert found.value == pytest.approx(alpha_c, rel=2e-12) and found.error < 1e-9
    seen = sheet_channel(problem).kind.quadrature()  # of state evolution
    assert 1 / top_eigenvalue(seen) == pytest.approx(alpha_c, rel=2e-12)
