"""Proximal operators against independent minimisation with 40 digits, and against their own equations."""

from __future__ import annotations

import pickle

import mpmath as mp
import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from hermite_analytics.errors import InputError, ParseError
from hermite_analytics.losses.expression import LossExpression, NonConvexLoss
from hermite_analytics.losses.registry import FORMS
from hermite_analytics.numeric.losses.loss import Loss

CLASSES = ["logistic", "hinge", "softplus(-y*x)", "max(0, 1 - y*x)", "max(0, 1 - y*x)**2", "exp(-y*x)"]
RESIDUALS = [
    "square", "huber:0.7", "quantile:0.9", "abs(y - x)", "log(cosh(y - x))", "sqrt(1 + (y - x)**2)",
    "(y-x)**4",
]  # fmt: skip
VALUES = {
    "square": lambda y, x: (y - x) ** 2 / 2,
    "huber:0.7": lambda y, x: (y - x) ** 2 / 2 if abs(y - x) <= 0.7 else 0.7 * abs(y - x) - 0.7**2 / 2,
    "quantile:0.9": lambda y, x: max(mp.mpf(0.9) * (y - x), (mp.mpf(0.9) - 1) * (y - x)),
    "logistic": lambda y, x: mp.log1p(mp.exp(-y * x)),
    "hinge": lambda y, x: max(0, 1 - y * x),
    "softplus(-y*x)": lambda y, x: mp.log1p(mp.exp(-y * x)),
    "max(0, 1 - y*x)": lambda y, x: max(0, 1 - y * x),
    "max(0, 1 - y*x)**2": lambda y, x: max(0, 1 - y * x) ** 2,
    "exp(-y*x)": lambda y, x: mp.exp(-y * x),
    "abs(y - x)": lambda y, x: abs(y - x),
    "log(cosh(y - x))": lambda y, x: mp.log(mp.cosh(y - x)),
    "sqrt(1 + (y - x)**2)": lambda y, x: mp.sqrt(1 + (y - x) ** 2),
    "(y-x)**4": lambda y, x: (y - x) ** 4,
}


def golden_minimum(function, low, high, digits=18):
    """Ternary search of a strictly convex function, on values alone."""
    while high - low > mp.mpf(10) ** (-digits):
        third = (high - low) / 3
        if function(low + third) < function(high - third):
            high -= third
        else:
            low += third
    return (low + high) / 2


@pytest.mark.cases(4)
@pytest.mark.parametrize("text", VALUES)
@pytest.mark.parametrize("variance", [1e-3, 0.8, 12.0])
def test_prox_minimises(text, variance):
    loss, value = Loss(text), VALUES[text]
    labels = (1.0, -1.0) if text in CLASSES else (0.3, -1.9)
    with mp.workdps(45):
        for y in labels:
            for field in (-2.3, 0.4, 1.7):

                def energy(x, y=y, field=field):
                    return (x - mp.mpf(field)) ** 2 / (2 * mp.mpf(variance)) + value(mp.mpf(y), x)

                reach = 3 * variance + 3
                best = golden_minimum(energy, mp.mpf(field) - reach, mp.mpf(field) + reach)
                if text == "exp(-y*x)" or text == "(y-x)**4":  # slopes that are not bounded
                    best = golden_minimum(energy, mp.mpf(-50), mp.mpf(50))
                found = loss.prox(y, field, variance)
                assert abs(found - best) <= 1e-14 * max(1, abs(best)), (y, field)
                assert float(energy(best)) == pytest.approx(loss.envelope(y, field, variance), rel=1e-13)
                assert loss.value(y, field) == pytest.approx(
                    float(value(mp.mpf(y), mp.mpf(field))), rel=1e-13
                )


@pytest.mark.cases(6)
@pytest.mark.parametrize("text", VALUES)
def test_prox_agrees_with_scipy(text):
    loss = Loss(text)
    y = -1.0
    for field in (-1.3, 0.2, 2.1):
        found = minimize_scalar(
            lambda x, field=field: (x - field) ** 2 / 1.4 + float(VALUES[text](y, x)),
            bounds=(-30, 30),
            method="bounded",
            options={"xatol": 1e-11},
        )
        assert loss.prox(y, field, 0.7) == pytest.approx(found.x, abs=2e-7)


@pytest.mark.cases(12)
@pytest.mark.parametrize("text", VALUES)
@pytest.mark.parametrize("variance", [1e-4, 0.5, 3.0, 60.0])
def test_derivative_slope_and_curvature(text, variance):
    loss = Loss(text)
    y = 1.0
    field = np.linspace(-7.03, 6.01, 301)
    prox, derivative, slope, curvature, _ = loss._outputs(y, field, variance)
    assert np.all((derivative >= 0) & (derivative <= 1))
    np.testing.assert_allclose(prox - field, variance * slope, atol=2e-14 * (variance + 8))
    np.testing.assert_allclose(1 - derivative, variance * curvature, atol=1e-14)
    h = 1e-5
    difference = (loss.prox(y, field + h, variance) - loss.prox(y, field - h, variance)) / (2 * h)
    bounds = np.empty((16, 2))
    count = loss.corners(y, variance, loss.parameter, bounds)
    smooth = np.all(np.abs(field[:, None] - bounds[:count, 0]) > 2 * h, axis=1)
    if text == "(y-x)**4":  # bends on the scale of the cube root of the variance
        smooth &= np.abs(field - y) > 0.1
    np.testing.assert_allclose(difference[smooth], derivative[smooth], atol=2e-6)


@pytest.mark.parametrize("variance", [1e-8, 0.1, 50.0, 1e5, 1e9])
def test_logistic_keeps_its_digits(variance):
    """Against bisection with 40 digits, from one end of the transition to the other."""
    loss = Loss("logistic")
    with mp.workdps(40):
        for field in (-variance - 1, -variance, -0.5 * variance, -30.0, -3.3, 0.0, 1e-5, 2.0, 40.0, 300.0):
            low, high = mp.mpf(field), mp.mpf(field) + variance
            for _ in range(170):
                middle = (low + high) / 2
                if middle - field - variance / (1 + mp.exp(middle)) > 0:
                    high = middle
                else:
                    low = middle
            p = 1 / (1 + mp.exp(low))
            prox, derivative, slope, curvature, value = loss._outputs(1.0, field, variance)
            assert abs(prox - low) <= 1e-15 * max(1, abs(low))
            assert float(abs(slope / p - 1)) < 1e-13
            expected = p * (1 - p) / (1 + variance * p * (1 - p))
            assert float(abs(curvature / expected - 1)) < 1e-13
            assert float(abs(derivative - 1 / (1 + variance * p * (1 - p)))) < 1e-15
            assert float(abs(value - mp.log1p(mp.exp(-low)))) <= 1e-14 * max(1.0, float(abs(low)))


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("softplus(-y*x)", "logistic"),
        ("max(0, 1-y*x)", "hinge"),
        ("(y-x)**2/2", "square"),
        ("abs(y - x)/2", "quantile:0.5"),
    ],
)
def test_expressions_equal_the_named_losses(text, named):
    field = np.linspace(-6, 6.001, 400)
    for variance in (0.0, 1e-6, 0.1, 1.0, 50.0):
        for y in (1.0, -1.0):
            expected = Loss(named)._outputs(y, field, variance)
            np.testing.assert_allclose(Loss(text)._outputs(y, field, variance), expected, atol=1e-13)


def test_a_large_huber_threshold_is_the_square():
    field = np.linspace(-3, 3, 50)
    expected = Loss("square")._outputs(0.4, field, 0.3)
    np.testing.assert_allclose(Loss("huber:100")._outputs(0.4, field, 0.3), expected, rtol=0, atol=1e-15)


def test_a_kink_that_is_not_affine_is_found():
    # no list of kinks here: the prox still stands where exp(x) = y - x
    loss = Loss("max(exp(x), y - x)")
    prox, derivative, *_ = loss._outputs(2.0, np.array([0.2, 0.5, 3.0]), 1.0)
    kink = float(mp.findroot(lambda x: mp.exp(x) + x - 2, 0.4))
    np.testing.assert_allclose(prox[:2], kink, atol=1e-14)
    np.testing.assert_array_equal(derivative[:2], 0.0)
    assert prox[2] + np.exp(prox[2]) == pytest.approx(3.0, abs=1e-14)


def test_corners_of_the_hinge():
    out = np.empty((16, 2))
    for text in ("hinge", "max(0, 1 - y*x)"):
        loss = Loss(text)
        assert loss.corners(-1.0, 0.3, 0.0, out) == 2
        np.testing.assert_allclose(sorted(out[:2, 0]), [-1.0, -0.7], atol=1e-13)


def test_kinds_of_loss():
    assert [Loss(t).of_margin for t in CLASSES] == [True] * 6
    assert [Loss(t).of_residual for t in RESIDUALS] == [True] * 7
    neither = Loss("(y - x)**2 + abs(x)")
    assert not neither.of_margin and not neither.of_residual


def test_broadcasts_pickles_and_is_equal():
    loss = Loss("log(cosh(y - x))")
    assert loss.prox([[0.0], [1.0]], [0.1, 0.2, 0.3], 0.5).shape == (2, 3)
    again = pickle.loads(pickle.dumps(loss))
    assert again == loss and again.prox(1.0, 0.0, 1.0) == loss.prox(1.0, 0.0, 1.0)


def test_convexity_is_proved_or_estimated():
    assert str(LossExpression("abs(y - x) + (y-x)**2").convexity) == "proved"
    assert str(LossExpression("log(1 + exp(-x*y))").convexity) == "proved"
    assert str(LossExpression("log(cosh(y - x))").convexity) == "estimated"


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("cos(y - x)", NonConvexLoss, "is not convex in x: at y = -3 its slope falls from"),
        ("-abs(y - x)", NonConvexLoss, "a convex loss is accepted"),
        ("tanh(-y*x)", NonConvexLoss, "is not convex in x"),
        ("min((y-x)**2, 1)", NonConvexLoss, "is not convex in x"),
        ("y**2", InputError, "does not depend on the prediction x"),
        ("(y - w)**2", ParseError, "w"),
        ("cosine", InputError, f"unknown loss 'cosine'; accepted: {FORMS}, or"),
        ("huber", InputError, "has no threshold; huber:D with a number D > 0 is accepted"),
        ("huber:-1", InputError, "'huber:-1' has the threshold -1; huber:D with a number D > 0 is accepted"),
        ("quantile", InputError, "has no level; quantile:tau with a number 0 < tau < 1 is accepted"),
        ("quantile:1", InputError, "'quantile:1' has the level 1; quantile:tau with a number 0 < tau < 1"),
        ("hinge:2", InputError, "hinge takes no parameter"),
        ("foo:3", InputError, "unknown loss 'foo:3'"),
        (3, InputError, "the loss is 3"),
    ],
)
def test_refusals(text, error, message):
    with pytest.raises(error) as caught:
        Loss(text)
    assert message in str(caught.value)


def test_labels_and_variances_are_checked():
    with pytest.raises(InputError, match="takes labels 1 and -1 only"):
        Loss("logistic").prox(0.5, 0.0, 1.0)
    with pytest.raises(InputError, match="variance is -1"):
        Loss("square").prox(0.5, 0.0, -1.0)
