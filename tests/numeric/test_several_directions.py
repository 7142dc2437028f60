"""Labels of several directions: their moments and law, and losses other than the square on them."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import erf, kv
from scipy.stats import norm, t

from hermite_analytics import Target
from hermite_analytics.errors import InputError, UnsupportedExpression
from hermite_analytics.label.reduction.one_direction import one_direction
from hermite_analytics.numeric import DeterministicEquivalent, Loss, RandomFeatures, SmallStep
from hermite_analytics.numeric.models.random_features.constants import target_constants
from hermite_analytics.numeric.models.random_features.convex import saddle_points
from hermite_analytics.numeric.models.random_features.saddle import COLUMNS
from hermite_analytics.numeric.models.random_features.two_directions import label_moments

RATIOS = {"alpha": 2.0, "beta": 1.5, "ridge": 0.3}
CURVED = "sign(z1 + z2**2 - 1)"


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("sign(3*z1 + 4*z2 - 5/2) + xi/2", "sign(5*z1 - 5/2) + xi/2"),
        ("relu(-z1 - z2) + relu(z1 + z2 + 1)", "relu(sqrt(2)*z1) + relu(-sqrt(2)*z1 + 1)"),
        ("He3(z2)", "He3(z1)"),
        ("tanh(z1 - z2)*(3*z1 - 3*z2 + 1)", "tanh(sqrt(2)*z1)*(3*sqrt(2)*z1 + 1)"),
        ("sign(z1)*sign(z1 + z2)", None),
        ("z1*z2", None),
    ],
)
def test_labels_of_one_linear_form_are_labels_of_one_direction(text, same):
    found = one_direction(Target(text))
    expected = Target(text if same is None else same)
    assert found.noise_variance == expected.noise_variance
    point = np.array([0.7, -0.4])
    f, g = (
        [float(t.function("python")(*(sign * point[: t.dimension]))) for sign in (1, -1)]
        for t in (found, expected)
    )
    assert f == pytest.approx(g, rel=1e-12) or f == pytest.approx(g[::-1], rel=1e-12)  # z1 or -z1


@pytest.mark.slow
def test_moments_along_lines_are_integrals_over_one_coordinate():
    def integral(value):
        return sum(quad(value, low, low + 2, epsabs=1e-14, epsrel=1e-12)[0] for low in np.arange(0, 12, 2))

    product = 4 * integral(lambda x: norm.pdf(x) * norm.cdf(-0.5 / x)) - 1
    mean = 2 * integral(lambda x: norm.pdf(x) * (1 - 2 * norm.cdf(1 - x**2)))
    slope = 4 * integral(lambda x: norm.pdf(x) * norm.pdf(1 - x**2))
    hyperbola = label_moments(Target("sign(z1*z2 - 1/2)"))
    assert hyperbola.mean == pytest.approx(product, abs=1e-12) and not hyperbola.pull.any()
    parabola = label_moments(Target(CURVED))
    assert parabola.mean == pytest.approx(mean, abs=1e-12)
    assert parabola.pull == pytest.approx([slope, 0.0], abs=1e-12)


@pytest.mark.slow
def test_a_border_linear_in_one_coordinate_has_a_known_linear_part():
    """c_1 of sign(z1 + z2 z3) is 2 E phi(z2 z3) = e^(1/4) K_0(1/4) / pi."""
    moments = label_moments(Target("sign(z1 + z2*z3)"))
    assert moments.pull == pytest.approx([math.exp(0.25) * kv(0, 0.25) / math.pi, 0.0, 0.0], abs=1e-12)


@pytest.mark.slow
def test_no_error_stands_on_unknown_coefficients():
    """A target of three directions whose coefficients nothing gives: no number, least of all 0."""
    unknown = "sign(z1*z2*z3 - 1)"
    for make in (
        lambda: RandomFeatures("erf(z)", unknown),
        lambda: SmallStep("erf(z)", unknown),
        lambda: RandomFeatures("erf(z)", unknown, loss="logistic"),
    ):
        with pytest.raises(
            UnsupportedExpression, match=r"coefficients of sign\(z1\*z2\*z3 - 1\) .* not known"
        ):
            make()
    # nothing linear is there to be learned
    one = RandomFeatures("erf(z)", "sign(z1*z2 - 1/2)").solve(**RATIOS)
    assert one.test_error > 1 and one.misclassification == 0.5
    norms = target_constants(Target(CURVED), 1)
    assert norms.second_moment == pytest.approx(1.0, rel=1e-14)


@pytest.mark.slow
def test_the_law_of_two_directions_gives_what_cells_give():
    """A half-plane, once as two directions and once as one."""
    loss = "huber:1"
    text = "sign(z1 + z2 + 1/2)"
    one = RandomFeatures("relu(z)", text, loss=loss).solve(**RATIOS)
    features = RandomFeatures("relu(z)", text, loss=loss).features
    grid = saddle_points(
        Loss(loss),
        Target(text),
        tuple(np.array([x]) for x in (*RATIOS.values(), 0.0)),
        intercept=True,
        features=(np.empty(0), np.empty(0)),
        constants=(features.slope**2, features.residual),
        flips=0.0,
        tolerance=1e-11,
        max_steps=200,
    )
    found = dict(zip(COLUMNS, grid.values[0], strict=True))
    for name, value in (("M", one.overlaps["M"]), ("Q", one.overlaps["Q"]), ("loss", one.train_error)):
        scale = Loss(loss).scaling if name == "loss" else 1.0
        assert scale * found[name] == pytest.approx(value, rel=1e-8), name


@pytest.mark.slow
def test_losses_of_several_directions_that_are_refused():
    with pytest.raises(InputError, match=r"no symmetry is found by which .* more overlaps are not solved"):
        RandomFeatures("erf(z)", "sign(tanh(z1) + z2**3)", loss="logistic")
    with pytest.raises(InputError, match="of several directions this loss takes labels"):
        RandomFeatures("erf(z)", "z1 + z2*z3", loss="huber:1")
    with pytest.raises(InputError, match="takes labels of several directions without noise"):
        RandomFeatures("erf(z)", CURVED, loss="(y - x)**4 + (y - x)**2 + x**2").solve(**RATIOS, noise=0.1)


def logistic_of_numpy(d, seed):
    """(square error, wrong signs, training loss) of a network in plain numpy with the logistic loss."""
    rng = np.random.default_rng([seed, d])
    n, p = round(2.0 * d), round(1.5 * d)
    w = rng.standard_normal((p, d))
    w /= np.linalg.norm(w, axis=1)[:, None]
    x, fresh = rng.standard_normal((n, d)), rng.standard_normal((4000, d))
    y, label = (np.sign(z[:, 0] + z[:, 1] ** 2 - 1) for z in (x, fresh))
    features, test = (erf(inputs @ w.T) / np.sqrt(p) for inputs in (x, fresh))
    a = np.zeros(p)
    for _ in range(12):  # Newton's method
        share = 1 / (1 + np.exp(y * (features @ a)))
        hessian = features.T * (share * (1 - share)) @ features + 0.3 * np.eye(p)
        a -= np.linalg.solve(hessian, 0.3 * a - features.T @ (y * share))
    seen = test @ a
    train = np.mean(np.logaddexp(0.0, -y * (features @ a)))
    return np.mean((label - seen) ** 2), np.mean(label * seen <= 0), train


@pytest.mark.slow
def test_a_loss_of_the_margin_on_two_directions_is_that_of_networks_in_numpy():
    """d = 200, 8 seeds: three numbers, false alarms of 1e-3 in all."""
    theory = RandomFeatures("erf(z)", CURVED, loss="logistic").solve(**RATIOS)
    assert theory.test_error == theory.misclassification
    found = np.array([logistic_of_numpy(200, seed) for seed in range(8)])
    mean, error = found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(8)
    expected = [theory.square_error, theory.misclassification, theory.train_error]
    assert np.all(np.abs(mean - expected) < t.isf(1e-3 / 6, 7) * error), (mean, error, expected)


@pytest.mark.slow
@pytest.mark.parametrize("ridge", [0.2, "optimal", "optimal:misclassification"])
def test_a_step_of_length_0_is_random_features(ridge):
    ratios = {"alpha": [0.5, 4.0], "beta": 1.5, "noise": 0.09, "ridge": ridge}
    for text in ("sign(z1)", CURVED):
        step = SmallStep("tanh(z)", text).solve(eta=0, **ratios)
        plain = RandomFeatures("tanh(z)", text).solve(**ratios)
        for name in ("risk_before", "risk_after"):
            # where signs are counted the place of the minimum is known to the root of their digits
            assert getattr(step, name) == pytest.approx(plain.test_error, rel=1e-6)
        for name in ("misclassification_before", "misclassification_after"):
            assert getattr(step, name) == pytest.approx(plain.misclassification, rel=1e-9)
        assert step.parameters["ridge"] == pytest.approx(plain.parameters["ridge"], rel=1e-5)


def test_best_ridges_of_a_step_beat_a_scan():
    ratios = {"eta": 3.0, "alpha": 2.0, "beta": 1.5, "noise": 0.09}
    model = SmallStep("tanh(z)", "sign(z1)")
    scan = model.solve(**ratios, ridge=np.geomspace(1e-4, 1e4, 81))
    for ridge, name in (("optimal", "risk_after"), ("optimal:misclassification", "misclassification_after")):
        found = model.solve(**ratios, ridge=ridge)
        best = np.min(getattr(scan, name))
        assert getattr(found, name) <= best and getattr(found, name) == pytest.approx(best, rel=1e-3)
        assert found.status == "converged" and found.results()[0]["alternatives"]
    assert found.misclassification_after < found.misclassification_before
    nothing = SmallStep("tanh(z)", "z1**2 - 1").solve(**ratios, ridge="optimal")
    assert nothing.parameters["ridge"] == np.inf and nothing.risk_after == pytest.approx(2.0, rel=1e-14)
    assert nothing.train_after == pytest.approx(2.09, rel=1e-14)
    with pytest.raises(InputError, match="ridge asks for misclassification, and z1"):
        SmallStep("tanh(z)", "z1").solve(**ratios, ridge="optimal:misclassification")


def test_best_ridges_of_finite_sizes():
    model = DeterministicEquivalent.from_activation("tanh", "tanh(z1)", dimension=1000, degree=1)
    found = model.solve(samples=4000, features=2000, ridge="optimal", noise=0.09)
    limit = RandomFeatures("tanh", "tanh(z1)").solve(alpha=4, beta=2, ridge="optimal", noise=0.09)
    assert found.test_error == pytest.approx(limit.test_error, rel=1e-9)
    assert found.parameters["ridge"] == pytest.approx(limit.parameters["ridge"], rel=1e-5)
    law = DeterministicEquivalent.power_law(1.5, 2.2)
    several = law.solve(samples=[10, 1e3, 1e3], features=[200, 200, np.inf], ridge="optimal", noise=0.01)
    scan = law.solve(
        samples=[[10], [1e3], [1e3]],
        features=[[200], [200], [np.inf]],
        ridge=np.concatenate([[0.0], np.geomspace(1e-9, 1e6, 481)]),
        noise=0.01,
    )
    best = np.min(scan.test_error, axis=1)
    assert np.all(several.test_error <= best) and several.test_error == pytest.approx(best, rel=1e-3)
    assert several.parameters["ridge"][0] == 0.0 and list(several.status) == ["converged"] * 3
    noisy = DeterministicEquivalent([1.0], [0.0]).solve(samples=9, features=9, ridge="optimal", noise=1)
    assert noisy.parameters["ridge"] == np.inf and noisy.test_error == 0.0 and noisy.train_error == 1.0
    with pytest.raises(InputError, match="a spectrum has no classes; accepted: 'optimal'"):
        law.solve(samples=9, features=9, ridge="optimal:misclassification")


@pytest.mark.slow
def test_wrong_signs_after_a_step_are_those_of_networks():
    """d = 200, 8 seeds: two numbers, false alarms of 1e-3 in all."""
    from hermite_analytics.numeric import simulate

    point = {"eta": 3.0, "alpha": 3.0, "beta": 1.5, "ridge": 0.3, "noise": 0.09}
    theory = SmallStep("tanh(z)", "sign(z1)").solve(**point)
    run = simulate("small-step", activation="tanh(z)", target="sign(z1)", d=200, seeds=8, **point)
    (row,) = run.records()
    for name in ("misclassification_before", "misclassification_after"):
        gap = abs(row[name] - getattr(theory, name))
        assert gap < t.isf(1e-3 / 4, 7) * row[f"{name}_stderr"], (name, row[name], getattr(theory, name))
