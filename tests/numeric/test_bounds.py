"""Bounds on the test error over ridges and sample ratios."""

from __future__ import annotations

import numpy as np
import pytest

from hermite_analytics import Activation, Target
from hermite_analytics.errors import InputError
from hermite_analytics.numeric import Bounds, GiantStep, Letters, SpikedRandomFeatures

from .reference import coefficients, gauss

TANH, SIN, ERF = Activation("tanh(z)"), Target("sin(z1)"), Activation("erf(z/sqrt(2))")


@pytest.mark.cases(1)
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


@pytest.mark.slow
@pytest.mark.parametrize("letters", [None, {1: 0.5, 0.5: 0.5}])
def test_optimised_size_of_a_step(letters):
    """Against the bounds of steps of many sizes (eq 28 at a finite alpha0: c moves with r)."""
    step = GiantStep(TANH, SIN).solve(alpha0=2, eta=0.3, beta=1)
    model = Bounds(TANH, SIN, letters=letters)
    found = model.solve(step=step, optimise_step=True)
    sizes = np.linspace(0.5, 6, 45)
    many = model.solve(step=GiantStep(TANH, SIN).solve(alpha0=2, eta=sizes, beta=1))
    assert found.upper <= many.upper.min() <= found.upper + 1e-4
    assert found.lower <= many.lower.min() <= found.lower + 1e-4
    best = GiantStep(TANH, SIN).solve(alpha0=2, eta=0.3 * found.r_upper / step.r, beta=1)
    assert model.solve(step=best).upper == pytest.approx(found.upper, rel=1e-12)
    np.testing.assert_allclose(best.c_of(model.letters), found.c_upper, rtol=1e-12)
    assert model.best_function(found, 0.5) == pytest.approx(
        model.best_function(model.solve(step=best), 0.5), rel=1e-9
    )


@pytest.mark.slow
@pytest.mark.arrays
def test_an_optimised_step_may_point_backwards():
    forth, back = Activation("tanh(z)"), Activation("-tanh(z)")
    steps = [GiantStep(s, SIN).solve(alpha0=2, eta=1, beta=1) for s in (forth, back)]
    found = [
        Bounds(s, SIN).solve(step=step, optimise_step=True)
        for s, step in zip((forth, back), steps, strict=True)
    ]
    assert found[1].r_lower == pytest.approx(-found[0].r_lower) and found[1].r_lower < 0
    assert found[1].lower == pytest.approx(found[0].lower, rel=1e-12)


def test_an_optimised_size_takes_one_step():
    for eta in (0, [1, 2]):
        with pytest.raises(InputError, match="a single step, of a size that is not 0"):
            Bounds(TANH, SIN).solve(
                step=GiantStep(TANH, SIN).solve(alpha0=2, eta=eta, beta=1), optimise_step=True
            )


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


def test_letters_widen_what_can_be_fitted():
    one = Bounds(TANH, SIN).solve(r=1.0, c=1.1, gamma=0.9)
    equal = Bounds(TANH, SIN, letters=Letters(values=(1, 1), fractions=(0.5, 0.5))).solve(
        r=1.0, c=1.1, gamma=0.9
    )
    assert (equal.upper, equal.lower) == pytest.approx((one.upper, one.lower), abs=1e-14)
    two = Bounds(TANH, SIN, letters={1.0: 0.5, 2.0: 0.5}).solve(r=1.0, c=1.1, gamma=0.9)
    assert two.upper < one.upper and two.lower < one.lower
    assert two.coefficients["upper"].shape == (2,) and two.coefficients["lower"].shape == (6,)


def test_letters_of_a_step_have_their_own_norm():
    step = GiantStep(TANH, SIN).solve(alpha0=2, eta=[1.0, 3.0], beta=1)
    found = Bounds(TANH, SIN, letters={1.0: 0.5, 2.0: 0.5}).solve(step=step)
    assert found.results()[1]["c"] == pytest.approx([step.c[1], 1 + 4 * (step.c[1] - 1)])


@pytest.mark.parametrize(("bound", "upper"), [("upper", True), ("lower", False)])
def test_best_functions_attain_the_bounds(bound, upper):
    model = Bounds(TANH, SIN, bias=0.2)
    found = model.solve(r=[0.5, 1.1], c=1.3, gamma=0.7)
    x, w = gauss()
    k, z = np.meshgrid(x, x, indexing="ij")
    g = np.sin(0.7 * k + np.sqrt(1 - 0.49) * z)
    fitted = model.best_function(found, k, z, bound=bound, index=1)
    error = np.sum(np.outer(w, w) * (g - fitted) ** 2)
    assert error == pytest.approx((found.upper if upper else found.lower)[1], abs=1e-9)


@pytest.mark.slow
def test_best_functions_at_the_best_step():
    model = Bounds(Activation("sin(z)"), SIN)
    found = model.solve(optimise_step=True)
    assert found.r_upper == pytest.approx(1.0, abs=1e-4) and found.upper < 1e-9
    t = np.linspace(-2, 2, 9)
    assert model.best_function(found, t) == pytest.approx(np.sin(t), abs=1e-4)
    assert found.minima["upper"][0] == (found.r_upper, found.upper)


@pytest.mark.slow
def test_learned_bias_is_the_best_of_a_scan():
    activation, target = Activation("relu(z)"), Target("z1**2")
    found = Bounds(activation, target, bias="learned").solve(r=1.0, c=1.1, gamma=0.9)
    biases = np.linspace(-3, 3, 13)
    for bound in ("upper", "lower"):
        scan = [
            getattr(Bounds(activation, target, bias=b).solve(r=1.0, c=1.1, gamma=0.9), bound) for b in biases
        ]
        assert getattr(found, bound) <= min(scan) + 1e-12
    row = found.records()[0]
    assert row["bias_lower"] == found.bias_lower and row["bias_upper"] == found.bias_upper


def test_plot():
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    axes = Bounds(TANH, SIN).solve(r=[0.5, 1.0, 1.5]).plot()
    assert axes.get_xlabel() == "$r$" and len(axes.get_lines()) == 3
    plt.close(axes.figure)


def test_what_bounds_refuse():
    with pytest.raises(InputError, match="takes a fixed bias and one spike"):
        Bounds(TANH, SIN, bias="learned").solve(optimise_step=True)
    with pytest.raises(InputError, match="bound is 'middle'; accepted: upper, lower"):
        Bounds(TANH, SIN).best_function(Bounds(TANH, SIN).solve(r=1), 0.0, bound="middle")
