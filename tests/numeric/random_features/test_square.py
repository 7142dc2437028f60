"""Ridge regression on random features: reference numbers, limits, and the equations as printed."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from hermite_analytics import Activation, Target
from hermite_analytics.errors import ConvergenceError, InputError, UndefinedQuantity
from hermite_analytics.numeric import RandomFeatures, SpikedRandomFeatures
from hermite_analytics.numeric.models.random_features.kernel_bound import kernel_lower_bound
from hermite_analytics.numeric.models.random_features.square import COLUMNS, solve_square, square_point
from tests.numeric.random_features.reference import ridge_risk

TANH_SLOPE, TANH_RESIDUAL = 0.605705509602, 0.165575741084


def point(alpha, beta, ridge, first, second, level, above, noise):
    """One point of the compiled solver."""
    out, residual = np.empty((1, len(COLUMNS))), np.empty(1)
    steps, code = np.empty(1, dtype=np.int64), np.empty(1, dtype=np.int64)
    ratios = (np.array([float(v)]) for v in (alpha, beta, ridge, noise))
    solve_square(*ratios, first, second, level, above, 1e-12, 200, out, residual, steps, code)
    assert residual[0] <= 1e-12
    return dict(zip(COLUMNS, out[0], strict=True)), int(code[0])


def test_constants_of_activations():
    for text, mean, slope, residual in (
        ("tanh(z)", 0.0, TANH_SLOPE, TANH_RESIDUAL),
        ("erf(z)", 0.0, 2 / np.sqrt(3 * np.pi), 0.200364350170),
        ("relu(z)", 1 / np.sqrt(2 * np.pi), 0.5, np.sqrt(0.25 - 0.5 / np.pi)),
    ):
        found = RandomFeatures(text, "z1").features
        assert found.mean == pytest.approx(mean, abs=1e-14)
        assert found.slope == pytest.approx(slope, abs=1e-12)
        assert np.sqrt(found.residual) == pytest.approx(residual, abs=1e-12)


def test_risk_of_the_reference_point():
    found = RandomFeatures("tanh(z)", "tanh(z1)").solve(alpha=4, beta=2, ridge=0.2, noise=0.09)
    assert found.test_error == pytest.approx(0.10353440727265346, abs=1e-14)
    assert found.train_error == pytest.approx(0.11177254708618196, abs=1e-14)
    first, second = TANH_SLOPE**2, TANH_RESIDUAL**2
    s1, s2, t, _, upsilon, remainder, response, *_ = square_point(4.0, 2.0, 0.2, first, second, 1e-12, 200)
    expected = [0.06579327786803159, 0.12654692244172924, 0.9601757735621382, 0.16687385527215956]
    np.testing.assert_allclose([s1, s2, t, upsilon], expected, rtol=3e-11)
    assert response / s2**2 == pytest.approx(2.2242420651282897, rel=1e-11)
    assert remainder + upsilon == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize(
    ("ratios", "risk", "train"),
    [
        ((2.0, 1.5, 0.05), 0.4142693763931621, 0.13903196050821395),
        ((1.0, 3.0, 0.0), 0.7547858291419036, 0.0),
    ],
)
def test_reference_numbers(ratios, risk, train):
    found, code = point(*ratios, TANH_SLOPE**2, TANH_RESIDUAL**2, 0.49, 0.16, 0.09)
    assert code == 0
    assert found["test_error"] == pytest.approx(risk, rel=2e-11)
    assert found["train_error"] == pytest.approx(train, rel=2e-11)


@given(
    logs=st.tuples(*[st.floats(-2, 2)] * 2),
    log_ridge=st.floats(-4, 4),
    log_norms=st.tuples(*[st.floats(-2, 1)] * 2),
    noise=st.floats(0, 2),
)
@settings(max_examples=150, deadline=None)
def test_equals_the_equations_as_printed(logs, log_ridge, log_norms, noise):
    alpha, beta, ridge = 10.0 ** logs[0], 10.0 ** logs[1], 10.0**log_ridge
    first, second = 10.0 ** log_norms[0], 10.0 ** log_norms[1]
    risk, train = ridge_risk(alpha, beta, ridge, first, second, 0.7, 0.2, noise)
    found, _ = point(alpha, beta, ridge, first, second, 0.7, 0.2, noise)
    assert found["test_error"] == pytest.approx(risk, rel=1e-7)
    assert found["train_error"] == pytest.approx(train, rel=1e-6)


def test_whole_range_of_ratios():
    grid = np.geomspace(1e-3, 1e3, 13)
    found = RandomFeatures("tanh(z)", "tanh(z1)").solve(
        alpha=grid[:, None, None], beta=grid[:, None], ridge=np.geomspace(1e-8, 1e6, 15), noise=0.1
    )
    assert np.all(found.status == "converged") and np.all(found.residual <= 1e-14)
    assert np.all(found.test_error > found.linear_floor) and np.all(np.isfinite(found.test_error))
    assert np.all(np.diff(found.train_error, axis=2) > -1e-12)  # it grows with the ridge


def test_overlaps_give_the_error():
    found = RandomFeatures("erf(z)", "sin(z1)").solve(alpha=[0.5, 3.0], beta=1.2, ridge=[0.0, 0.4], noise=0.2)
    slope = np.exp(-0.5)
    error = (1 - np.exp(-2)) / 2 - 2 * found.overlaps["M"] * slope + found.overlaps["Q"]
    np.testing.assert_allclose(found.test_error, error, rtol=1e-12)
    assert found.overlaps["V"][0] == np.inf
    w = 1 / (1 + found.overlaps["V"][1])
    assert found.train_error[1] == pytest.approx(w**2 * (found.test_error[1] + 0.2), rel=1e-13)


def test_ridgeless_limit_from_both_sides_of_the_peak():
    model = RandomFeatures("tanh(z)", "tanh(z1)")
    for alpha in (0.5, 1.9, 2.1, 8.0):
        limit = model.solve(alpha=alpha, beta=2, ridge=0, noise=0.1)
        near = model.solve(alpha=alpha, beta=2, ridge=1e-9, noise=0.1)
        assert limit.test_error == pytest.approx(near.test_error, rel=1e-4)
        assert limit.train_error == pytest.approx(near.train_error, rel=1e-4, abs=1e-12)
        for name in ("psi", "q1", "q2"):
            assert limit.overlaps[name] == pytest.approx(near.overlaps[name], rel=1e-4)


def test_the_peak_is_infinite():
    model = RandomFeatures("tanh(z)", "tanh(z1)")
    peak = model.solve(alpha=[1.0, 2.0], beta=2, ridge=0)
    assert list(peak.status) == ["converged", "infinite"]
    assert peak.test_error[1] == np.inf and peak.train_error[1] == 0.0
    assert peak.results()[1]["test_error"] == "inf"
    with pytest.raises(ConvergenceError, match="point 1 of random-features: infinite: the limit is infinite"):
        model.solve(alpha=[1.0, 2.0], beta=2, ridge=0, throw=True)
    # it grows as the inverse square root of the ridge
    near = model.solve(alpha=2, beta=2, ridge=[1e-6, 1e-8], noise=0.1).test_error
    assert near[1] / near[0] == pytest.approx(10, rel=0.01)


def test_identity_activation_is_linear_regression():
    """Ordinary least squares on Gaussian inputs: noise/(alpha - 1) above alpha = 1, and Hastie's below."""
    model = RandomFeatures("z", "2*z1")
    above = model.solve(alpha=[1.5, 4.0], beta=1e9, ridge=0, noise=0.3)
    np.testing.assert_allclose(above.test_error, 0.3 / (np.array([1.5, 4.0]) - 1), rtol=1e-8)
    below = model.solve(alpha=0.4, beta=1e9, ridge=0, noise=0.3)
    assert below.test_error == pytest.approx(4 * 0.6 + 0.3 * 0.4 / 0.6, rel=1e-8)
    # the rank is d, not p
    assert model.solve(alpha=1, beta=5, ridge=0, noise=0.1).status == "infinite"
    assert model.solve(alpha=1, beta=5, ridge=0).test_error == 0.0


def test_many_neurons_are_ridge_regression_on_the_input():
    """With features z + noise-free residual the kernel limit has one equation: alpha - ridge/s = t(s)."""
    ridge, alpha, noise = 0.7, 2.0, 0.2
    found = RandomFeatures("z", "z1").solve(alpha=alpha, beta=1e10, ridge=ridge, noise=noise)
    # ridge regression on x/sqrt d: V solves V = 1/(ridge + alpha/(1 + V))
    v = (-(alpha + ridge - 1) + np.sqrt((alpha + ridge - 1) ** 2 + 4 * ridge)) / (2 * ridge)
    shrink = alpha * v / (1 + v)  # overlap with the teacher
    w = v / (1 + v)
    risk = ((1 - shrink) ** 2 + alpha * w**2 * noise) / (1 - alpha * w**2)
    assert found.overlaps["V"] == pytest.approx(v, rel=1e-8)
    assert found.test_error == pytest.approx(risk, rel=1e-8)


def test_many_neurons_are_kernel_ridge_regression():
    """One equation alpha - ridge/s = mu1^2/(mu1^2 + s) + mu2^2/s (s1 = s2 = s, chi = 0)."""
    z = np.linspace(-12, 12, 4801)
    weight = np.exp(-z * z / 2) / np.sqrt(2 * np.pi) * (z[1] - z[0])
    first, square = weight @ (z * np.tanh(z)), weight @ np.tanh(z) ** 2
    level, norm = weight @ (z * np.sin(z)), weight @ np.sin(z) ** 2
    second = square - first**2
    for alpha, ridge, noise in ((0.6, 0.05, 0.3), (2.5, 1.1, 0.1)):
        low, high = 0.0, 100.0
        for _ in range(200):
            s = 0.5 * (low + high)
            below = alpha - ridge / s < first**2 / (first**2 + s) + second / s
            low, high = (s, high) if below else (low, s)
        t2 = (first**2 / (first**2 + s)) ** 2 / alpha
        bias = level**2 * s**2 / (first**2 + s) ** 2 + norm - level**2
        risk = (bias + noise * t2) / (1 - t2)
        found = RandomFeatures("tanh(z)", "sin(z1)").solve(alpha=alpha, beta=1e11, ridge=ridge, noise=noise)
        assert found.test_error == pytest.approx(risk, rel=1e-8)
        assert found.train_error == pytest.approx((ridge / (alpha * s)) ** 2 * (risk + noise), rel=1e-8)


def test_many_samples_leave_what_is_not_linear():
    found = RandomFeatures("tanh(z)", "sin(z1)").solve(alpha=1e9, beta=1e4, ridge=1.0, noise=1.0)
    assert found.test_error == pytest.approx(found.linear_floor, rel=1e-3)
    assert found.test_error > found.linear_floor == pytest.approx((1 - np.exp(-2)) / 2 - np.exp(-1))
    assert kernel_lower_bound("sin(z1)").value == pytest.approx(found.linear_floor, rel=1e-14)


@pytest.mark.parametrize("activation", ["tanh(z)", "relu(z)"])
def test_equals_spiked_random_features_without_a_spike(activation):
    ratios = {"alpha": [0.7, 3.0], "beta": 1.5, "ridge": [0.05, 0.4], "noise": 0.1}
    found = RandomFeatures(activation, "sin(z1) + z1**2/4").solve(**ratios)
    spiked = SpikedRandomFeatures(Activation(activation), Target("sin(z1) + z1**2/4")).solve(
        r=0.0, c=1.0, gamma=0.0, **ratios
    )
    mean = 0.0 if activation == "tanh(z)" else 0.25
    np.testing.assert_allclose(found.test_error, spiked.test_error, rtol=1e-10)
    np.testing.assert_allclose(found.train_error, spiked.train_error, rtol=1e-10)
    for name in ("psi", "q1", "q2", "V1", "V2"):
        np.testing.assert_allclose(found.overlaps[name], spiked.overlaps[name], rtol=1e-9, err_msg=name)
    assert found.overlaps["intercept"] == pytest.approx([mean, mean])


def test_several_directions_and_label_noise_in_the_target():
    one = RandomFeatures("tanh(z)", "z1 + z1*z2").solve(alpha=2, beta=1.5, ridge=0.1, noise=0.25)
    turned = RandomFeatures("tanh(z)", "(z1+z2)/sqrt(2) + (z1**2-z2**2)/2 + xi/2").solve(
        alpha=2, beta=1.5, ridge=0.1
    )
    assert one.test_error == pytest.approx(turned.test_error, rel=1e-13)


@pytest.mark.slow
def test_nearly_affine_activation_keeps_its_digits():
    small = RandomFeatures("z + tanh(z)/1000000", "z1")
    assert small.features.residual == pytest.approx(TANH_RESIDUAL**2 * 1e-12, rel=1e-9)


# Polynomial scaling


def test_polynomial_scaling_of_degree_two():
    """ReLU: mu_2^2/2! = 1/(4 pi), tail 1/4 + 1/(2 pi) - ...; theory numbers at two ratios."""
    model = RandomFeatures("relu(z)", "He2(z1)/2 + z2/2", degree=2)
    assert model.features.slope**2 == pytest.approx(1 / (4 * np.pi), rel=1e-13)
    assert model.features.residual == pytest.approx(0.5 - 1 / (2 * np.pi) - 0.25 - 1 / (4 * np.pi), rel=1e-12)
    # lambda of the 1/n convention is 1e-3: times alpha/beta in the sum
    found = model.solve(alpha=[1.5, 3.0], beta=[3.0, 1.5], ridge=[1e-3 * 0.5, 1e-3 * 2], noise=0.04)
    np.testing.assert_allclose(found.test_error, [0.17435, 0.18634], atol=6e-6)


def test_degrees_that_the_activation_lacks_are_not_learned():
    even = RandomFeatures("z**2", "He2(z1) + z1", degree=2).solve(alpha=50, beta=50, ridge=1e-3)
    assert even.test_error > 1.0  # |P_1 f|^2
    both = RandomFeatures("z**2 + z", "He2(z1) + z1", degree=2).solve(alpha=50, beta=50, ridge=1e-3)
    assert both.test_error < 1e-3


def test_degree_one_is_the_default():
    ratios = {"alpha": 2, "beta": 1.5, "ridge": 0.1}
    default = RandomFeatures("relu(z)", "relu(z1)").solve(**ratios)
    assert RandomFeatures("relu(z)", "relu(z1)", degree=1).solve(**ratios).test_error == default.test_error


def test_kernel_lower_bound_of_each_degree():
    values = [kernel_lower_bound("z1 + He2(z1) + He3(z2)", k).value for k in (0, 0.5, 1, 1.7, 2, 3.2)]
    assert values == [9.0, 9.0, 8.0, 8.0, 6.0, 0.0]


# Shapes and refusals


def test_broadcasts_and_is_read_only():
    found = RandomFeatures("tanh(z)", "z1").solve(alpha=[[1], [2]], beta=[1, 2, 3], ridge=0.1)
    assert found.test_error.shape == found.status.shape == (2, 3)
    with pytest.raises(ValueError, match="read-only"):
        found.test_error[0, 0] = 0
    assert len(found.to_dict()["results"]) == 6
    assert "1908.05355" in found.cite()


def test_pickles():
    model = RandomFeatures("tanh(z)", "z1")
    assert pickle.loads(pickle.dumps(model)) == model


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: RandomFeatures("2 + 0*z", "z1"), "is constant: its features carry nothing of degree 1"),
        (lambda: RandomFeatures("z", "z1", degree=2), "is a polynomial of a degree below 2"),
        (lambda: RandomFeatures("tanh(z)", "z1", degree=0), "degree is 0; accepted: 1 to 20"),
        (
            lambda: RandomFeatures("tanh(z)", "z1", "huber:1", 2),
            "with the loss huber:1; accepted there: square",
        ),
        (lambda: RandomFeatures("tanh(z)", "z1").solve(alpha=0, beta=1, ridge=1), "alpha is 0"),
        (lambda: RandomFeatures("tanh(z)", "z1").solve(alpha=1, beta=1, ridge=-1), "ridge is -1"),
        (lambda: RandomFeatures("tanh(z)", "z1").solve(alpha=1, beta=1, ridge=1, max_steps=0), "max_steps"),
        (lambda: kernel_lower_bound("z1", -1), "power is -1"),
    ],
)
def test_refusals(make, message):
    with pytest.raises(InputError) as caught:
        make()
    assert message in str(caught.value)


def test_infinite_moments_are_refused():
    with pytest.raises(UndefinedQuantity, match="E f\\^2 is infinite"):
        RandomFeatures("tanh(z)", "exp(z1**2/4)")
    with pytest.raises(UndefinedQuantity, match="cannot be used here"):
        RandomFeatures("exp(z**2/4)", "z1")


def test_the_norms_of_rows_decide_whether_a_mean_is_fitted():
    """He_2 on 1 + z1/2: rows of norm 1 are the model, Gaussian ones fit most of the mean through their norms.

    With h = E[He_2 sigma], which is 2, (E f)^2 becomes (E f)^2 B(h^2/2). Means over 14 networks of 96
    dimensions; five standard errors and 6 percent for 1/d: false alarms below 1e-3.
    """
    alpha, beta, ridge, d = 3, 1.5, 0.3, 96
    solved = float(RandomFeatures("He2(z)", "1 + z1/2").solve(alpha=alpha, beta=beta, ridge=ridge).test_error)
    s2 = brentq(lambda s: alpha - ridge / (s - 2 / beta) - 2 / s, 2 / beta + 1e-3, 10)
    fitted = s2**2 * (1 + 2 * (2 / s2**2) / beta) / (2 + s2) ** 2
    n, p = round(alpha * d), round(beta * d)
    rng = np.random.default_rng(5)

    def error(gaussian):
        rows = rng.standard_normal((p, d)) / np.sqrt(d)
        if not gaussian:
            rows /= np.linalg.norm(rows, axis=1)[:, None]
        x = rng.standard_normal((n + 2000, d))
        features, signal = ((x @ rows.T) ** 2 - 1) / np.sqrt(p), 1 + x[:, 0] / 2
        gram = features[:n].T @ features[:n] + ridge * np.eye(p)
        readout = np.linalg.solve(gram, features[:n].T @ signal[:n])
        return np.mean((signal[n:] - features[n:] @ readout) ** 2)

    for gaussian, expected in ((False, solved), (True, solved * (0.25 + fitted) / 1.25)):
        found = np.array([error(gaussian) for _ in range(14)])
        assert abs(found.mean() - expected) < 5 * found.std() / np.sqrt(14) + 0.06 * expected
