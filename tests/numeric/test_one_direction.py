"""Models of one direction solve targets of several coordinates that have one, and say along which."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest

from hermite_analytics import InputError
from hermite_analytics.numeric import Bounds, GaussianCovariates, GiantStep, SpikedRandomFeatures, simulate

mpl.use("Agg")
STEP = {"alpha0": 2, "eta": 3, "beta": 1}
SUM, SAME = "sin(z1 + z2)", "sin(sqrt(2)*z1)"


def step_of(target):
    return GiantStep("tanh", target).solve(**STEP)


@pytest.mark.parametrize(("target", "same"), [(SUM, SAME), ("z1+z2+z3 + xi/2", "sqrt(3)*z1 + xi/2")])
def test_numbers_are_those_of_the_one_coordinate(target, same):
    found, there = step_of(target), step_of(same)
    assert (found.r, found.c, found.gamma) == (there.r, there.c, there.gamma)
    curves = [
        SpikedRandomFeatures("tanh", of).solve(step=step, alpha=[0.5, 2.0], ridge=0.1)
        for of, step in ((target, found), (same, there), (target, there), (same, found))
    ]
    assert all(np.array_equal(curve.test_error, curves[0].test_error) for curve in curves)
    bounds = [Bounds("tanh", of).solve(r=[0.5, 1.0]).upper for of in (target, same)]
    np.testing.assert_array_equal(*bounds)
    one = {"psi": np.eye(3), "phi": np.eye(3), "omega": np.eye(3), "theta": np.ones(3)}
    covariates = [GaussianCovariates(**one, target=of).solve(alpha=2, ridge=0.1) for of in (target, same)]
    assert covariates[0].test_error == covariates[1].test_error


def test_the_result_says_which_direction_it_is():
    step = step_of(SUM)
    curve = SpikedRandomFeatures("tanh", SUM).solve(step=step, alpha=[0.5, 1.0, 2.0], ridge=0.1)
    said = f"{SUM} depends on z1 = (z1 + z2)/sqrt(2) alone, and is {SAME} there; alignments are with it"
    for found in (step, curve):
        assert said in str(found) and said in found.remarks
        assert found.parameters["direction"] == "(z1 + z2)/sqrt(2)" and found.parameters["target"] == SAME
    assert step_of("sin(z1)").remarks == () and "direction" not in step_of("sin(z1)").parameters
    with pytest.raises(
        InputError, match=r"the step is one of tanh on sin\(sqrt\(2\)\*z1\), and the model has tanh"
    ):
        SpikedRandomFeatures("tanh", "sin(z1)").solve(step=step, alpha=1, ridge=0.1)


def test_simulations_of_either_form_lie_over_the_lines():
    curve = SpikedRandomFeatures("tanh", SUM).solve(step=step_of(SUM), alpha=[0.5, 1.0, 2.0], ridge=0.1)
    run = {"activation": "tanh", "d": 20, "seeds": 3, "alpha": [0.5, 2], "ridge": 0.1, **STEP}
    for target in (SUM, SAME):
        axes = curve.plot(y="test_error", simulation=simulate("giant-step", target=target, **run))
        assert len(axes.containers) == 1
    with pytest.raises(InputError, match="the simulation has target = sin"):
        curve.plot(y="test_error", simulation=simulate("giant-step", target="sin(z1)", **run))


@pytest.mark.slow
@pytest.mark.arrays
def test_networks_on_the_sum_have_the_errors_of_the_one_coordinate():
    """d = 300, 16 seeds, on sin(z1 + z2) itself; 4 numbers at 4.5 standard errors (t with 15 degrees of
    freedom: false alarms of 2e-3 in all), and 5/d for the finite size."""
    alphas = [0.5, 2.0]
    curve = SpikedRandomFeatures("tanh", SUM).solve(step=step_of(SUM), alpha=alphas, ridge=0.1)
    run = {"activation": "tanh", "target": SUM, "d": 300, "seeds": 16, "alpha": alphas, "ridge": 0.1, **STEP}
    networks = simulate("giant-step", **run).results
    for name in ("test_error", "train_error"):
        found = networks[name]
        assert np.all(abs(found.mean - getattr(curve, name)) < 4.5 * found.stderr + 5 / 300)
