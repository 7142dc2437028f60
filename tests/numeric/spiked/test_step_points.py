"""Ridge regression with the rows of a step: identities, limits, and networks after a real step."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hermite_analytics.errors import InputError, UndefinedQuantity, UnsupportedExpression
from hermite_analytics.numeric import Bounds, GiantStep, SpikedRandomFeatures, simulate

MIXED, QUADRATIC = "tanh(z) + z**2/2", "z1 + He2(z1)/2"


def solved(activation=MIXED, target=QUADRATIC, *, alpha0=4.0, eta=1.0, beta=1.0, noise=0.0, **ratios):
    step = GiantStep(activation, target).solve(alpha0=alpha0, eta=eta, beta=beta, noise=noise)
    return SpikedRandomFeatures(activation, target).solve(step=step, **{"alpha": 2.0, "ridge": 0.1} | ratios)


def test_a_step_with_directions_takes_its_own_rows():
    step = GiantStep("relu(z)", "z1").solve(alpha0=4, eta=2, beta=1)
    by_itself = SpikedRandomFeatures("relu(z)", "z1").solve(step=step, alpha=2, ridge=0.1)
    asked = SpikedRandomFeatures("relu(z)", "z1", bulk="step").solve(step=step, alpha=2, ridge=0.1)
    assert by_itself.test_error == asked.test_error
    assert by_itself.parameters["bulk"] == "step" and "rows of the step" in by_itself.equations
    assert by_itself.numerical_error < 1e-11 and by_itself.overlaps["norm"] != 0.0
    isotropic = SpikedRandomFeatures("relu(z)", "z1").solve(
        r=step.r, c=step.c, gamma=step.gamma, beta=1, alpha=2, ridge=0.1
    )
    assert isotropic.test_error == pytest.approx(0.60546, abs=1e-5)
    assert by_itself.test_error == pytest.approx(0.58428, abs=1e-5)


@pytest.mark.slow
@pytest.mark.arrays
@pytest.mark.parametrize("activation", ["softplus(z)", MIXED, "relu(z)"])
def test_the_norm_of_the_readout_is_the_slope_of_the_objective(activation):
    # d/d ridge of min (train + ridge beta/alpha |a|^2/p) is beta/alpha |a|^2/p: both come from other sums
    h = 1e-4
    low, here, high = (solved(activation, ridge=0.3 + shift, noise=0.2) for shift in (-h, 0.0, h))
    objective = [s.train_error + s.parameters["ridge"] * 0.5 * s.overlaps["q2"] for s in (low, high)]
    assert (objective[1] - objective[0]) / (2 * h) == pytest.approx(0.5 * here.overlaps["q2"], rel=1e-6)


@pytest.mark.slow
@pytest.mark.arrays
def test_a_small_step_is_the_isotropic_model():
    step = GiantStep(MIXED, QUADRATIC).solve(alpha0=3, eta=1e-5, beta=0.7)
    rows = SpikedRandomFeatures(MIXED, QUADRATIC).solve(step=step, alpha=1.5, ridge=0.2)
    plain = SpikedRandomFeatures(MIXED, QUADRATIC).solve(
        r=step.r, c=step.c, gamma=step.gamma, beta=0.7, alpha=1.5, ridge=0.2
    )
    for name in ("m", "zeta", "psi", "q1", "q2", "V1", "V2"):
        assert rows.overlaps[name] == pytest.approx(plain.overlaps[name], abs=1e-3)
    assert rows.test_error == pytest.approx(plain.test_error, rel=1e-4)


@pytest.mark.slow
def test_where_the_rows_do_not_matter():
    step = GiantStep("relu(z)", "z1").solve(alpha0=4, eta=2, beta=1)
    model = SpikedRandomFeatures("relu(z)", "z1")
    spike = {"r": step.r, "c": step.c, "gamma": step.gamma, "beta": 1}
    heavy = model.solve(step=step, alpha=2, ridge=1e7)  # the mean map alone
    assert heavy.test_error == pytest.approx(model.solve(**spike, alpha=2, ridge=1e7).test_error, rel=1e-5)
    none = GiantStep("relu(z)", "z1").solve(alpha0=0, eta=2, beta=1)
    plain = model.solve(r=0, c=1, gamma=0, beta=1, alpha=2, ridge=0.1)
    still = model.solve(step=none, alpha=2, ridge=0.1)
    assert still.test_error == pytest.approx(plain.test_error, rel=1e-12)
    # an even activation sees nothing of x at this order: the norm of a row is all
    even = GiantStep("cos(z)", QUADRATIC).solve(alpha0=4, eta=2, beta=1)
    blind = SpikedRandomFeatures("cos(z)", QUADRATIC)
    assert even.r == pytest.approx(0.0, abs=1e-15)
    assert blind.solve(step=even, alpha=2, ridge=0.1).test_error == pytest.approx(
        blind.solve(r=0, c=even.c, gamma=0, beta=1, alpha=2, ridge=0.1).test_error, rel=1e-12
    )


@pytest.mark.slow
@pytest.mark.arrays
def test_the_ridgeless_limit_and_the_best_ridge():
    limit, small = solved(alpha=0.5, ridge=0.0), solved(alpha=0.5, ridge=1e-8)
    assert limit.test_error == pytest.approx(small.test_error, rel=1e-5)
    assert limit.train_error == 0.0 and limit.overlaps["V1"] == np.inf
    best = solved(ridge="optimal")
    around = solved(ridge=best.parameters["ridge"] * np.array([0.97, 1.03]))
    assert np.all(best.test_error < around.test_error)


def test_the_error_beside_the_interpolation_threshold():
    """Times |alpha - beta| it has one limit from both sides, to the last float beside beta."""
    beta, gaps = 1.5, np.array([2.0**-43, -(2.0**-43), 1e-9])
    step = GiantStep("softplus", "z1 + He2(z1)/2").solve(alpha0=4, eta=1, beta=beta)
    found = SpikedRandomFeatures("softplus", "z1 + He2(z1)/2").solve(alpha=beta + gaps, ridge=0, step=step)
    assert (found.status == "converged").all() and not step.is_isotropic
    limits = found.test_error * np.abs(beta + gaps - beta)
    np.testing.assert_allclose(limits, limits[2], rtol=1e-7)


@pytest.mark.slow
def test_a_bias_and_the_learned_function():
    step = GiantStep(MIXED, QUADRATIC).solve(alpha0=4, eta=1, beta=1)
    shifted = SpikedRandomFeatures(MIXED, QUADRATIC, bias=0.4).solve(step=step, alpha=2, ridge=0.1)
    assert (
        shifted.test_error
        < SpikedRandomFeatures(MIXED, QUADRATIC).solve(step=step, alpha=2, ridge=1e4).test_error
    )
    # E yhat is the same along both
    z, weight = np.polynomial.hermite_e.hermegauss(80)
    plain = SpikedRandomFeatures(MIXED, QUADRATIC)
    solution = plain.solve(step=step, alpha=2, ridge=0.1)
    along = plain.learned(solution, z, along="spike")
    without = replace(solution, overlaps={**solution.overlaps, "norm": 0.0})
    gap = along - plain.learned(without, z, along="spike")
    assert np.max(np.abs(gap)) > 0.1
    target = plain.learned(solution, z)
    means = [weight @ values / weight.sum() for values in (along, target)]
    assert means[0] == pytest.approx(means[1], abs=1e-10)


def _spiked(step, **options):
    return SpikedRandomFeatures("relu(z)", "z1", **options).solve(step=step, alpha=2, ridge=0.1)


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda s: _spiked(s, loss="huber:0.3"), "the loss is 'square', not huber"),
        (lambda s: _spiked(s, letters={1: 0.5, -1: 0.5}), "no letters are accepted"),
        (lambda s: Bounds("relu(z)", "z1").solve(step=s), "which the bounds do not know; give r, c, gamma"),
    ],
)
def test_what_is_not_covered_is_refused(act, message):
    step = GiantStep("relu(z)", "z1").solve(alpha0=4, eta=2, beta=1)
    with pytest.raises(InputError, match=message):
        act(step)


def test_a_step_is_asked_for_and_moments_are_checked():
    with pytest.raises(InputError, match="bulk 'step' takes step"):
        SpikedRandomFeatures("tanh(z)", "z1", bulk="step").solve(r=1, c=1, gamma=1, beta=1, alpha=1, ridge=1)
    with pytest.raises(UndefinedQuantity, match=r"E g\^4 have to be finite"):
        solved("relu(z)", "exp(z1**2/6) + z1")
    with pytest.raises(UnsupportedExpression, match="a file makes the step of an odd activation"):
        SpikedRandomFeatures("relu(z)", "z1").export("curve.py", alpha0=1, eta=1, beta=1, ridge=0.1)


@pytest.mark.slow
@pytest.mark.arrays
@pytest.mark.parametrize(
    ("activation", "target", "eta"), [(MIXED, QUADRATIC, 0.5), ("softplus(z)", QUADRATIC, 1.5)]
)
def test_networks_after_a_real_step(activation, target, eta):
    # 4 standard errors (rate 6e-5 a number) after extrapolation in 1/d; the isotropic model is 26 to 36 % off
    ratios = {"alpha0": 4, "eta": eta, "beta": 0.5, "ridge": 0.1, "alpha": 2}
    theory = solved(activation, target, alpha0=4.0, eta=eta, beta=0.5)
    small, large = (
        simulate(
            "giant-step", activation=activation, target=target, d=d, n_test=10 * d, seeds=seeds, **ratios
        )
        for d, seeds in ((60, 100), (150, 60))
    )
    for name in ("test_error", "train_error"):
        first, second = small.results[name], large.results[name]
        mean = (2.5 * second.mean - first.mean) / 1.5
        error = np.hypot(2.5 * second.stderr, first.stderr) / 1.5
        assert error < 0.05 * getattr(theory, name)
        assert abs(mean - getattr(theory, name)) < 4 * error
