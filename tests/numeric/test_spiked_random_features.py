"""Errors and overlaps of ridge regression on spiked random features at d -> infinity."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from hermite_analytics import Activation, Target
from hermite_analytics.errors import ConvergenceError, InputError, UndefinedQuantity
from hermite_analytics.numeric import GiantStep, SpikedRandomFeatures

from .reference import damped_iteration

TANH, SIN, ERF = Activation("tanh(z)"), Target("sin(z1)"), Activation("erf(z/sqrt(2))")


def after_step(activation, target, step, *, noise=0.0, **ratios):
    """Solve after the giant step with (alpha0, eta, beta) = step."""
    alpha0, eta, beta = step
    found = GiantStep(activation, target).solve(alpha0=alpha0, eta=eta, beta=beta, noise=noise)
    return SpikedRandomFeatures(activation, target).solve(step=found, **ratios)


def check(solution, expected, tolerance):
    found = {"test_error": solution.test_error, "train_error": solution.train_error, **solution.overlaps}
    assert {name: found[name] for name in expected} == pytest.approx(expected, abs=tolerance)


def test_learning_curve_of_the_public_code():
    """The parameters of the authors' notebook; its printed outputs come from an older formula."""
    solution = after_step(TANH, SIN, (20, 3, 1), alpha=[0.2, 0.9, 1.6, 2.3, 3.0], ridge=0.1)
    expected = [0.048482902, 0.042503929, 0.037311328, 0.034304665, 0.032518208]
    assert solution.test_error == pytest.approx(expected, abs=1e-8)
    expected = [0.012493798, 0.016859455, 0.019589771, 0.021185524, 0.022197932]
    assert solution.train_error == pytest.approx(expected, abs=1e-8)
    assert np.all(solution.status == "converged")
    assert np.all(solution.residual <= 1e-12) and np.all(solution.numerical_error <= 1e-12)


@pytest.mark.parametrize(
    ("activation", "step", "ratios", "expected", "tolerance"),
    [
        (
            TANH,
            (20, 3, 1),
            {"alpha": 3.0, "ridge": 0.1},
            {
                "m": 1.125788611,
                "q1": 0.063833036,
                "q2": 0.085263525,
                "V1": 1.13060936,
                "V2": 2.475136406,
                "zeta": 0.072094243,
                "psi": 0.188921753,
            },
            1e-8,
        ),
        (
            TANH,
            (2, 1.5, 0.5),
            {"alpha": 1.5, "ridge": 0.01},
            {
                "test_error": 0.189993746,
                "train_error": 0.07921722,
                "m": 0.861549139,
                "q1": 0.518535585,
                "q2": 0.625074319,
                "V1": 2.156107038,
                "V2": 2.872643111,
                "zeta": 0.003723872,
                "psi": 0.342598726,
            },
            1e-8,
        ),
        (
            TANH,
            (2, 6, 2),
            {"alpha": 1.5, "ridge": 0.01},
            {
                "test_error": 0.126797644,
                "train_error": 0.008062982,
                "m": 0.834763497,
                "q1": 0.70973126,
                "q2": 0.665349468,
                "V1": 15.724850567,
                "V2": 41.669961656,
                "zeta": 0.044934031,
                "psi": 0.631714377,
            },
            1e-7,
        ),
        (
            ERF,
            (5, 2, 1),
            {"alpha": 1.5, "ridge": 0.1},
            {
                "test_error": 0.088998051,
                "train_error": 0.037019234,
                "m": 1.395630701,
                "zeta": 0.045342478,
                "psi": 0.273305872,
            },
            1e-8,
        ),
        (
            TANH,
            (20, 3, 1),
            {"alpha": 2.0, "ridge": 0.1, "noise": 0.25},
            {"test_error": 0.123590311, "train_error": 0.170089612},
            1e-8,
        ),
    ],
)
def test_reference_numbers(activation, step, ratios, expected, tolerance):
    check(after_step(activation, SIN, step, **ratios), expected, tolerance)


def test_random_features_without_a_spike():
    solution = SpikedRandomFeatures(TANH, SIN).solve(alpha=1.5, beta=1, ridge=0.1, r=0, c=1, gamma=0)
    check(solution, {"test_error": 0.265563879, "train_error": 0.0893588273, "m": 0.0}, 1e-8)
    assert solution.linear_floor == pytest.approx(0.0644529172, abs=1e-9)


def test_wide_linear_network_is_ridge_regression():
    identity, linear = Activation("z"), Target("z1")
    model = SpikedRandomFeatures(identity, linear)
    solution = model.solve(alpha=1.5, beta=1e4, ridge=0.1, r=0, c=1, gamma=0)
    assert solution.test_error == pytest.approx(0.0367763936, abs=1e-9)
    wider = model.solve(alpha=1.5, beta=1e8, ridge=0.1, r=0, c=1, gamma=0)
    assert wider.test_error == pytest.approx(0.0367696673382, abs=1e-8)


@pytest.mark.parametrize(("r", "c", "gamma", "noise"), [(1.3, 0.8, 0.6, 0.2), (-0.4, 1.5, -0.9, 0.0)])
def test_wide_linear_network_with_a_spike_does_not_penalise_the_spike(r, c, gamma, noise):
    """Features W x + r v.x of a linear network: the kernel is c x.x'/d + r^2 (v.x)(v.x').

    Along v, whose part of the kernel is of order d above the rest, the target is learned; across it the
    readout is ridge regression on x/sqrt(d) with ridge/c, of a teacher of norm^2 1 - gamma^2.
    """
    alpha, ridge = 1.7, 0.3
    model = SpikedRandomFeatures(Activation("z"), Target("z1"))
    found = model.solve(alpha=alpha, beta=1e9, ridge=ridge, r=r, c=c, gamma=gamma, noise=noise)
    t = ridge / c
    v = (-(alpha + t - 1) + np.sqrt((alpha + t - 1) ** 2 + 4 * t)) / (2 * t)
    w = v / (1 + v)
    risk = ((1 - alpha * w) ** 2 * (1 - gamma**2) + alpha * w**2 * noise) / (1 - alpha * w**2)
    assert found.test_error == pytest.approx(risk, rel=1e-7)
    assert found.train_error == pytest.approx((risk + noise) / (1 + v) ** 2, rel=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
@pytest.mark.parametrize(
    ("activation", "sigma", "derivative"),
    [(TANH, np.tanh, lambda x: 1 / np.cosh(x) ** 2), (Activation("sin(z)"), np.sin, np.cos)],
)
def test_against_the_damped_iteration_of_the_papers(activation, sigma, derivative, beta):
    """All nine numbers by a second implementation: hat variables, damping, quantiles of the spectrum."""
    ratios = {"alpha": 1.3, "beta": beta, "ridge": 0.05, "noise": 0.1}
    spike = (0.9, 1.2, 0.8)
    other = damped_iteration(sigma, derivative, lambda u: np.tanh(u) + u**3 / 6, spike=spike, **ratios)
    r, c, gamma = spike
    model = SpikedRandomFeatures(activation, Target("tanh(z1) + z1**3/6"))
    check(model.solve(r=r, c=c, gamma=gamma, **ratios), other, 1e-9)


@pytest.mark.slow
@pytest.mark.arrays
def test_sign_and_relu_are_pure_spiked_features():
    for text in ("sign(z)", "relu(z)", "step(z)", "abs(z)"):
        solution = SpikedRandomFeatures(Activation(text), SIN).solve(
            alpha=[0.5, 2.0], beta=1, ridge=0.1, r=1.2, c=1.1, gamma=0.9
        )
        assert np.all(solution.status == "converged") and np.all(solution.numerical_error < 1e-12)
        assert np.all(solution.train_error < solution.test_error)


def test_target_with_jumps_and_full_overlap():
    # At gamma = 1 nothing smooths the jump of the target at 0: a panel must end there.
    model = SpikedRandomFeatures(TANH, Target("sign(z1)"))
    solution = model.solve(alpha=1, beta=1, ridge=0.1, r=1, c=1, gamma=[0.9, 0.99999, 1.0])
    assert np.all(solution.numerical_error < 1e-12)
    assert np.all(np.diff(solution.test_error) < 0)
    assert solution.overlaps["psi"][-1] == 0.0


def test_strong_spike_is_refined():
    # mu0 turns into a step of width sqrt(c)/r = 1/500 around kappa = 0
    solution = SpikedRandomFeatures(TANH, SIN).solve(alpha=1, beta=1, ridge=0.1, r=500, c=1, gamma=0.9)
    assert solution.status == "converged" and solution.numerical_error < 1e-11


def test_broadcasting_matches_point_by_point():
    model = SpikedRandomFeatures(TANH, SIN)
    alpha, ridge, r = np.array([[0.5], [2.0]]), np.array([0.01, 0.1, 1.0]), np.array([0.5, 0.5, 1.5])
    grid = model.solve(alpha=alpha, ridge=ridge, r=r, beta=1, c=1.1, gamma=0.7)
    assert grid.test_error.shape == (2, 3)
    for i in range(2):
        for j in range(3):
            point = model.solve(alpha=alpha[i, 0], ridge=ridge[j], r=r[j], beta=1, c=1.1, gamma=0.7)
            assert point.test_error == pytest.approx(grid.test_error[i, j], rel=1e-12)
            assert isinstance(point.test_error, float)


def test_symmetries():
    model = SpikedRandomFeatures(TANH, SIN)
    ratios = {"alpha": 1.2, "beta": 0.8, "ridge": 0.05, "c": 1.1}
    plus = model.solve(r=1.3, gamma=0.6, **ratios)
    # kappa -> -kappa: a spike of the other sign, or (for an odd target) the opposite overlap
    for r, gamma in ((-1.3, 0.6), (1.3, -0.6), (-1.3, -0.6)):
        other = model.solve(r=r, gamma=gamma, **ratios)
        assert other.test_error == pytest.approx(plus.test_error, rel=1e-12)
        assert other.train_error == pytest.approx(plus.train_error, rel=1e-12)


@pytest.mark.slow
@pytest.mark.arrays
def test_scaling_of_the_activation_rescales_the_ridge():
    ratios = {"alpha": 1.2, "beta": 0.8, "r": 1.3, "c": 1.1, "gamma": 0.6}
    one = SpikedRandomFeatures(TANH, SIN).solve(ridge=0.05, **ratios)
    three = SpikedRandomFeatures(Activation("3*tanh(z)"), SIN).solve(ridge=0.45, **ratios)
    assert three.test_error == pytest.approx(one.test_error, rel=1e-11)


def test_large_ridge_forgets_the_target():
    solution = SpikedRandomFeatures(TANH, SIN).solve(alpha=1, beta=1, ridge=1e9, r=0, c=1, gamma=0)
    assert solution.test_error == pytest.approx((1 - np.exp(-2)) / 2, rel=1e-6)
    assert solution.train_error == pytest.approx((1 - np.exp(-2)) / 2, rel=1e-6)


@pytest.mark.parametrize("alpha", [0.5, 0.9, 1.1, 3.0])
def test_ridgeless_limit_is_the_limit(alpha):
    # sin: its features do not fade at large kappa, as those of tanh do, which makes the limit slow
    model = SpikedRandomFeatures(Activation("sin(z)"), SIN)
    ratios = {"alpha": alpha, "beta": 1.0, "r": 1.1, "c": 1.02, "gamma": 0.95}
    ridgeless = model.solve(ridge=0, **ratios)
    near = model.solve(ridge=[2e-8, 1e-8], **ratios)
    # the difference to the limit is linear in the ridge: extrapolate it away
    assert 2 * near.test_error[1] - near.test_error[0] == pytest.approx(ridgeless.test_error, rel=1e-8)
    if alpha < 1:
        assert ridgeless.train_error == 0.0


@pytest.mark.cases(2)
@pytest.mark.parametrize("letters", [None, {1: 0.5, 2: 0.5}])
@pytest.mark.parametrize("r", [1.3, 2.0])
def test_an_infinite_ridgeless_limit_is_no_number(letters, r):
    """E over N(0, 1) of 1/(mu1^2 + mu2^2) ~ exp(r^2 k^2/(2c)) is infinite from r^2 = c on, for relu.

    At r = 1.3 the truncated average is 1e37, at r = 2 it overflows. With more samples than neurons no such
    weight is there.
    """
    model = SpikedRandomFeatures(Activation("relu(z)"), Target("z1"), letters=letters)
    found = model.solve(alpha=[0.3, 0.9, 1.5], beta=1, ridge=0, r=r, c=1, gamma=0.9)
    assert found.status.tolist() == ["diverged", "diverged", "converged"]
    assert np.all(np.isnan(found.test_error[:2])) and found.test_error[2] < 4


def test_the_error_holds_close_to_an_infinite_ridgeless_limit():
    """At r = 0.9 averages over [-15, 15] lack 6e-6; the reference is that over [-24, 24], halved."""
    model = SpikedRandomFeatures(Activation("relu(z)"), Target("z1"))
    found = model.solve(alpha=0.3, beta=1, ridge=0, r=0.9, c=1, gamma=0.9)
    assert found.status == "converged"
    assert abs(found.test_error - 65.28947548) < found.numerical_error < 1e-3


def test_interpolation_peak():
    model = SpikedRandomFeatures(TANH, SIN)
    ratios = {"beta": 1.0, "ridge": 1e-6, "r": 1.1, "c": 1.02, "gamma": 0.95}
    error = model.solve(alpha=[0.5, 1.0, 2.0], **ratios).test_error
    assert error[1] > 3 * error[0] and error[1] > 3 * error[2]


@pytest.mark.parametrize("letters", [None, {1.0: 0.5, 0.5: 0.5}])
def test_without_a_ridge_the_peak_is_infinite(letters):
    model = SpikedRandomFeatures(TANH, SIN, letters=letters)
    spike = {"beta": 1.0, "r": 1.1, "c": 1.02, "gamma": 0.95}
    found = model.solve(alpha=[0.5, 1.0, 2.0], ridge=0, **spike)
    assert found.test_error[1] == np.inf and found.train_error[1] == 0.0
    assert [str(s) for s in found.status] == ["converged", "infinite", "converged"]
    alone = model.solve(alpha=2.0, ridge=0, **spike)
    assert found.test_error[2] == pytest.approx(alone.test_error, rel=1e-10)
    # it grows at least like the inverse root of the ridge
    near = model.solve(alpha=1.0, ridge=[1e-8, 1e-10], **spike).test_error
    assert near[1] > 9 * near[0]


def test_a_peak_without_a_rest_is_refused():
    """sin, sin at r = 1, c = gamma = 1: the mean map is the target, and infinity times 0 remains."""
    model = SpikedRandomFeatures(Activation("sin(z)"), SIN)
    with pytest.raises(InputError, match="the interpolation peak, where the limit does not exist"):
        model.solve(alpha=1, beta=1, ridge=0, r=1, c=1, gamma=1)
    assert model.solve(alpha=1, beta=1, ridge=0, r=1, c=1, gamma=1, noise=0.1).status == "infinite"


@pytest.mark.parametrize(
    ("beta", "alpha", "ridge"), [(100, 1.5, 0.1), (1, 1, 1e-8), (0.01, 50, 1e-6), (50, 1e5, 0.01)]
)
def test_hard_points_converge(beta, alpha, ridge):
    """The damped iteration diverges on the first of these."""
    solution = SpikedRandomFeatures(TANH, SIN).solve(alpha=alpha, beta=beta, ridge=ridge, r=0.9, c=1, gamma=1)
    assert solution.status == "converged" and solution.residual <= 1e-12
    assert 0 < solution.train_error < solution.test_error


def test_label_noise_in_the_target_is_added():
    ratios = {"alpha": 1.2, "beta": 0.8, "r": 1.3, "c": 1.1, "gamma": 0.6, "ridge": 0.05}
    inside = SpikedRandomFeatures(TANH, Target("sin(z1) + xi/2")).solve(**ratios)
    outside = SpikedRandomFeatures(TANH, SIN).solve(noise=0.25, **ratios)
    assert inside.test_error == outside.test_error and inside.train_error == outside.train_error
    both = SpikedRandomFeatures(TANH, Target("sin(z1) + xi/2")).solve(noise=0.25, **ratios)
    assert both.test_error > inside.test_error


def test_solution_is_frozen_pickles_and_tells_its_source():
    solution = after_step(TANH, SIN, (20, 3, 1), alpha=[1.0, 2.0], ridge=0.1)
    with pytest.raises(AttributeError):
        solution.test_error = 0
    with pytest.raises(ValueError, match="read-only"):
        solution.test_error[0] = 0
    with pytest.raises(TypeError):
        solution.overlaps["m"] = 0
    again = pickle.loads(pickle.dumps(solution))
    assert again.to_dict() == solution.to_dict()
    assert "2402.04980" in solution.cite()
    results = solution.to_dict()["results"]
    assert [row["alpha"] for row in results] == [1.0, 2.0]
    assert set(results[0]["overlaps"]) == {"m", "zeta", "psi", "q1", "q2", "V1", "V2"}


def test_plot():
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    axes = after_step(TANH, SIN, (20, 3, 1), alpha=[1.0, 2.0], ridge=0.1).plot()
    assert axes.get_xlabel() == r"$\alpha = n/d$" and len(axes.get_lines()) == 3
    plt.close(axes.figure)


def test_point_that_does_not_converge_is_nan_or_raises():
    model = SpikedRandomFeatures(TANH, SIN)
    ratios = {"alpha": [0.5, 1.0], "beta": 1, "r": 1, "c": 1, "gamma": 1, "ridge": 1e-9, "max_steps": 1}
    solution = model.solve(**ratios)
    assert list(solution.status) == ["max_steps_reached"] * 2
    assert np.all(np.isnan(solution.test_error))
    with pytest.raises(ConvergenceError, match=r"point 0 .*max_steps_reached: .*try a larger max_steps"):
        model.solve(**ratios, throw=True)


GOOD = {"alpha": 1.0, "beta": 1.0, "ridge": 0.1, "r": 1.0, "c": 1.0, "gamma": 0.5}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"alpha": 0}, "alpha is 0; accepted: finite numbers alpha > 0"),
        ({"alpha": -1}, "alpha is -1"),
        ({"beta": [1.0, -1.0]}, "beta is -1"),
        ({"ridge": -0.1}, "ridge is -0.1; accepted: finite numbers ridge >= 0"),
        ({"ridge": np.inf}, "ridge is inf"),
        ({"c": 0}, "c is 0; accepted: finite numbers c > 0"),
        ({"gamma": -1.1}, "gamma is -1.1; accepted: -1 <= gamma <= 1"),
        ({"noise": -1}, "noise is -1"),
        ({"r": None}, "r not given; give step or all of beta, r, c, gamma"),
        ({"tolerance": 0}, "tolerance is 0; accepted: a number between 0 and 1"),
        ({"max_steps": 0}, "max_steps is 0; accepted: an integer >= 1"),
        ({"alpha": "many"}, "alpha is 'many'"),
    ],
)
def test_bad_parameters(change, message):
    with pytest.raises(InputError) as caught:
        SpikedRandomFeatures(TANH, SIN).solve(**(GOOD | change))
    assert message in str(caught.value)


def test_step_and_spike_exclude_each_other():
    step = GiantStep(TANH, SIN).solve(alpha0=1, eta=1, beta=1)
    with pytest.raises(InputError, match="either step or beta, r, c, gamma"):
        SpikedRandomFeatures(TANH, SIN).solve(step=step, alpha=1, ridge=1, r=1)


def test_ridge_0_needs_a_curved_activation():
    with pytest.raises(InputError, match="linear activation z: the limit may not exist"):
        SpikedRandomFeatures(Activation("z"), SIN).solve(**(GOOD | {"ridge": 0.0, "alpha": 2.0}))


def test_infinite_second_moments_are_refused():
    with pytest.raises(UndefinedQuantity, match=r"E sigma\(z\)\^2 is infinite"):
        SpikedRandomFeatures(Activation("exp(z**2/3)"), SIN)
    with pytest.raises(UndefinedQuantity, match="no second moment"):
        SpikedRandomFeatures(TANH, Target("exp(z1**2/3)")).solve(**GOOD)
