"""Bounds on the test error over ridges and sample ratios."""

from __future__ import annotations

import numpy as np
import pytest

from hermite_analytics import Activation, Target
from hermite_analytics.errors import InputError
from hermite_analytics.numeric import Bounds, GiantStep, SpikedRandomFeatures

from .reference import coefficients, gauss

TANH, SIN, ERF = Activation("tanh(z)"), Target("sin(z1)"), Activation("erf(z/sqrt(2))")


@pytest.mark.parametrize(
    ("activation", "r", "upper", "lower"),
    [
        (TANH, 0.9, 0.0291049006433, 0.00166905325109),
        (ERF, 0.5, 0.0512556705224, 0.000428336321689),
        (Activation("sin(z)"), 0.9, 0.00234090579208, 4.126847e-6),
    ],
)
def test_reference_numbers(activation, r, upper, lower):
    found = Bounds(activation, SIN).solve(r=r)
    assert found.upper == pytest.approx(upper, abs=1e-9)
    assert found.lower == pytest.approx(lower, abs=1e-9)
    assert found.numerical_error < 1e-13


@pytest.mark.slow
def test_optimised_step_finds_the_best_of_several_minima():
    found = Bounds(TANH, SIN).solve(optimise_step=True)
    assert found.upper == pytest.approx(0.00840058370, abs=1e-9)
    assert found.r_upper == pytest.approx(1.96905781, abs=1e-5)
    assert found.lower == pytest.approx(9.890e-6, abs=1e-9)  # the other minimum, 7.43e-3, is at r = 3.01
    assert found.r_lower == pytest.approx(0.5947, abs=1e-4)


@pytest.mark.slow
def test_upper_bound_vanishes_where_the_mean_map_is_the_target():
    # E sin(r kappa + z) = e^(-1/2) sin(r kappa): at r = 1 a multiple of sin; erf likewise at r = sqrt 2
    assert Bounds(Activation("sin(z)"), SIN).solve(r=1.0).upper < 1e-14
    same = Target("erf(z1/sqrt(2))")
    assert Bounds(ERF, same).solve(r=np.sqrt(2)).upper < 1e-14
    assert Bounds(ERF, same).solve(optimise_step=True).r_upper == pytest.approx(np.sqrt(2), abs=1e-4)


def test_least_squares_by_hand():
    r, c, gamma = 1.1, 1.3, 0.7
    kappa, w = gauss()
    mu0, mu1, _ = coefficients(np.tanh, lambda x: 1 / np.cosh(x) ** 2, r * kappa, c)
    k, z = np.meshgrid(kappa, kappa, indexing="ij")
    root = np.sqrt(np.outer(w, w)).ravel()
    goal = root * np.sin(gamma * k + np.sqrt(1 - gamma**2) * z).ravel()
    basis = [np.outer(mu0, np.ones_like(z[0])), np.outer(kappa * mu1, np.ones_like(z[0])), mu1[:, None] * z]
    found = Bounds(TANH, SIN).solve(r=r, c=c, gamma=gamma)
    for count, value in ((1, found.upper), (3, found.lower)):
        matrix = np.stack([root * b.ravel() for b in basis[:count]], axis=1)
        _, error, *_ = np.linalg.lstsq(matrix, goal)
        assert value == pytest.approx(error[0], abs=1e-10)


def test_upper_bound_is_reached_by_a_large_ridge():
    ratios = {"r": 0.9, "c": 1.0, "gamma": 1.0}
    upper = Bounds(TANH, SIN).solve(**ratios).upper
    large = SpikedRandomFeatures(TANH, SIN).solve(alpha=3, beta=1, ridge=1e8, **ratios)
    assert large.test_error == pytest.approx(upper, abs=1e-7)


@pytest.mark.parametrize("gamma", [1.0, 0.8])
def test_the_best_ridge_lies_between(gamma):
    ratios = {"r": 0.9, "c": 1.1, "gamma": gamma}
    found = Bounds(TANH, SIN).solve(**ratios)
    model = SpikedRandomFeatures(TANH, SIN)
    errors = model.solve(
        alpha=[[1.0], [100.0]], beta=1, ridge=np.geomspace(1e-4, 1e8, 40), **ratios
    ).test_error
    assert np.all(errors.min(axis=1) <= found.upper + 1e-7)
    assert np.all(errors >= found.lower)


def test_lower_bound_is_approached_by_many_samples_and_neurons():
    ratios = {"r": 0.9, "c": 1.0, "gamma": 1.0}
    lower = Bounds(TANH, SIN).solve(**ratios).lower
    errors = (
        SpikedRandomFeatures(TANH, SIN)
        .solve(alpha=[1e5, 1e7], beta=[50.0, 1000.0], ridge=0.01, **ratios)
        .test_error
    )
    assert lower < errors[1] < errors[0] < 0.0038
    assert errors[1] == pytest.approx(lower, rel=0.1)


def test_no_spike_leaves_the_linear_part():
    # mu0 = 0 and mu1 constant: the lower bound is the error of the best linear predictor
    found = Bounds(TANH, SIN).solve(r=0.0, gamma=0.0)
    assert found.upper == pytest.approx((1 - np.exp(-2)) / 2, abs=1e-13)
    assert found.lower == pytest.approx(found.linear_floor, abs=1e-13)


def test_from_a_step():
    step = GiantStep(TANH, SIN).solve(alpha0=2, eta=3, beta=1)
    found = Bounds(TANH, SIN).solve(step=step)
    assert found.upper == pytest.approx(0.186043, abs=1e-6)
    assert found.lower == pytest.approx(0.024549, abs=1e-6)


def test_broadcasts():
    found = Bounds(TANH, SIN).solve(r=[[0.5], [1.0]], gamma=[0.5, 0.8, 1.0])
    assert found.upper.shape == found.lower.shape == (2, 3)
    assert np.all(found.lower <= found.upper)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "r not given; give r (and c, gamma), a step, or optimise_step"),
        ({"r": 1, "optimise_step": True}, "optimise_step looks for r"),
        ({"r": 1, "c": -1}, "c is -1"),
        ({"r": 1, "gamma": 2}, "gamma is 2"),
        ({"r": np.inf}, "r is inf"),
    ],
)
def test_bad_parameters(given, message):
    with pytest.raises(InputError) as caught:
        Bounds(TANH, SIN).solve(**given)
    assert message in str(caught.value)
