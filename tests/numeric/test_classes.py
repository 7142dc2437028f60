"""Square error, misclassification and calibration, by name for every loss; the best ridge for each."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import erf, ndtr
from scipy.stats import chi2, t

from hermite_analytics import Target, hermite
from hermite_analytics.errors import InputError
from hermite_analytics.numeric import (
    GaussianCovariates,
    Loss,
    RandomFeatures,
    SpikedRandomFeatures,
    simulate,
)
from hermite_analytics.numeric.classes import cells_of, frequency, wrong_share

CLASSES = {"activation": "erf(z)", "target": "sign(z1)"}
RATIOS = {"alpha": 2.0, "beta": 1.0, "ridge": 0.1}


def wrong_by_quadrature(target, mean, power, overlap):
    """E over z of the probability that a prediction of this law has the other sign than the label."""
    label, rest = target.function(backend="python"), np.sqrt(power - overlap**2)
    edges = [float(e) for e in cells_of(target).edges]

    def integrand(z):
        y = float(label(np.array([z]))[0])
        return ndtr(-y * (mean + overlap * z) / rest) * np.exp(-z * z / 2) / np.sqrt(2 * np.pi)

    return quad(integrand, -9, 9, points=[*edges, -mean / overlap], epsabs=1e-13, limit=400)[0]


@pytest.mark.parametrize("text", ["sign(z1)", "sign(z1**2 - 1/2)", "-sign(z1 - 1/3)", "sign(z1**3 - 2*z1)"])
@pytest.mark.parametrize("state", [(0.0, 1.3, 0.8), (0.4, 0.7, -0.5), (-1e-9, 2.0, 0.3), (2.0, 0.1, 0.05)])
def test_wrong_signs_are_those_of_the_integral(text, state):
    target = Target(text)
    found = wrong_share(cells_of(target), *(np.array([x]) for x in state))[0]
    assert found == pytest.approx(wrong_by_quadrature(target, *state), abs=1e-12)


def test_wrong_signs_at_the_ends():
    cells = cells_of(Target("sign(z1)"))
    powers, overlaps = (
        np.array([1.0, 4.0, np.inf, 0.0, 0.0, np.nan]),
        np.array([1.0, -2.0, 0.7, 0.0, 0.0, 1.0]),
    )
    found = wrong_share(cells, np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0]), powers, overlaps)
    assert found[:4] == pytest.approx([0.0, 1.0, 0.5, 0.5], abs=1e-15) and np.all(np.isnan(found[4:]))
    assert cells_of(Target("sin(z1)")) is None and cells_of(Target("sign(z1*z2)")) is None


@pytest.mark.parametrize("loss", ["square", "logistic", "hinge", "huber:1.0"])
def test_both_errors_have_names(loss):
    one = RandomFeatures(**CLASSES, loss=loss).solve(**RATIOS)
    angle = np.arccos(one.overlaps["M"] / np.sqrt(one.overlaps["Q"])) / np.pi
    assert one.misclassification == pytest.approx(angle, rel=1e-13)
    own = one.misclassification if Loss(loss).of_margin else one.square_error
    assert one.test_error == pytest.approx(own, rel=1e-13)
    row = one.records()[0]
    assert row["square_error"] == one.square_error and row["misclassification"] == one.misclassification
    assert RandomFeatures("erf(z)", "sin(z1)").solve(**RATIOS).misclassification is None


@pytest.mark.parametrize("loss", ["square", "hinge"])
def test_a_spike_of_strength_0_changes_no_error(loss):
    plain = RandomFeatures(**CLASSES, loss=loss).solve(**RATIOS)
    spiked = SpikedRandomFeatures(**CLASSES, loss=loss).solve(**RATIOS, r=0, c=1, gamma=0)
    for name in ("test_error", "square_error", "misclassification"):
        assert getattr(spiked, name) == pytest.approx(getattr(plain, name), rel=1e-11), name


@pytest.mark.cases(2)
@pytest.mark.parametrize("loss", ["square", "logistic", "hinge"])
@pytest.mark.parametrize("measure", ["test_error", "misclassification"])
@pytest.mark.draws(4, spread=True)
def test_best_ridge_beats_a_scan(loss, measure):
    model = RandomFeatures(**CLASSES, loss=loss)
    ridge = "optimal" if measure == "test_error" else f"optimal:{measure}"
    found = model.solve(alpha=[0.7, 3.0], beta=1, ridge=ridge)
    scan = model.solve(alpha=[[0.7], [3.0]], beta=1, ridge=np.geomspace(1e-9, 1e9, 91))
    best = np.min(getattr(scan, measure), axis=1)
    assert np.all(getattr(found, measure) <= best) and getattr(found, measure) == pytest.approx(
        best, rel=1e-3
    )
    assert list(found.status) == ["converged"] * 2 and "from 1e-09 to 1e+09" in found.parameters["optimised"]


def test_a_best_ridge_at_the_border_says_so():
    # nothing can be learned: the larger the ridge the better
    nothing = {"activation": "erf(z)", "target": "sign(z1**2 - 1/2)"}
    found = RandomFeatures(**nothing, loss="huber:1").solve(alpha=1, beta=1, ridge="optimal")
    assert found.status == "at_border" and found.parameters["ridge"] == 1e9
    assert found.remarks == ("1 of 1 at the border: ridge for test error, from 1e-09 to 1e+09",)
    limit = RandomFeatures(**nothing).solve(alpha=1, beta=1, ridge="optimal", noise=0.1)
    assert limit.status == "converged" and limit.parameters["ridge"] == np.inf
    assert limit.test_error == pytest.approx(1.0, rel=1e-14)
    assert limit.train_error == pytest.approx(1.1, rel=1e-14)


def test_best_ridges_that_are_refused():
    with pytest.raises(InputError, match="accepted: numbers >= 0, 'optimal', 'optimal:square_error'"):
        RandomFeatures(**CLASSES).solve(alpha=1, beta=1, ridge="optimal:loss")
    with pytest.raises(InputError, match="ridge asks for misclassification, and sin"):
        RandomFeatures("erf(z)", "sin(z1)").solve(alpha=1, beta=1, ridge="optimal:misclassification")


def test_probabilities_and_frequencies():
    """Draws of (z, x) of the solved law in 20 bins of x; false alarms 1e-3."""
    model = RandomFeatures("relu(z)", "sign(z1 - 1/3)", loss="logistic")
    one = model.solve(alpha=3, beta=1, ridge=0.02)
    mean, power, overlap = (one.overlaps[n] for n in ("intercept", "Q", "M"))
    rng = np.random.default_rng(5)
    z, rest = rng.standard_normal((2, 400_000))
    x = mean + overlap * z + np.sqrt(power - overlap**2) * rest
    y = np.where(z > 1 / 3, 1.0, 0.0)
    expected = frequency(cells_of(model.target), x, mean, power, overlap)
    bins = np.digitize(x, np.quantile(x, np.linspace(0, 1, 21)[1:-1]))
    gaps = np.bincount(bins, y - expected) ** 2 / np.bincount(bins, expected * (1 - expected))
    assert gaps.sum() < chi2.isf(1e-3, gaps.size)
    said = 1 / (1 + np.exp(-x))
    square = np.mean((expected - said) ** 2)
    error = 3.3 * np.std((expected - said) ** 2) / np.sqrt(x.size)
    assert abs(one.calibration_error**2 - square) < error
    at = np.array([0.1, 0.5, 0.9])
    direct = frequency(cells_of(model.target), np.log(at / (1 - at)), mean, power, overlap)
    assert model.reliability(one, at) == pytest.approx(direct, rel=1e-9)
    with pytest.raises(InputError, match="accepted: probabilities between 0 and 1"):
        model.reliability(one, 1.0)
    assert RandomFeatures(**CLASSES, loss="hinge").solve(**RATIOS).calibration_error is None


NOISY = {"flips": 0.1}


@pytest.mark.cases(2)
@pytest.mark.parametrize("loss", ["square", "logistic", "huber:1"])
def test_flipped_labels_are_one_law_in_every_model(loss):
    """Of spikes of strength 0, and of covariates with the spectrum of features without a nonlinear part."""
    plain = RandomFeatures(**CLASSES, loss=loss, **NOISY).solve(**RATIOS)
    spiked = SpikedRandomFeatures(**CLASSES, loss=loss, **NOISY).solve(**RATIOS, r=0, c=1, gamma=0)
    names = ["test_error", "train_error", "square_error", "misclassification"]
    for name in [*names, *(["calibration_error"] if loss == "logistic" else [])]:
        assert getattr(spiked, name) == pytest.approx(getattr(plain, name), rel=1e-10), name
    eye = np.eye(3)
    isotropic = GaussianCovariates(
        psi=eye, phi=eye, omega=eye, theta=np.ones(3), target="sign(z1)", loss=loss, **NOISY
    ).solve(alpha=2, ridge=0.3)
    wide = RandomFeatures("z", "sign(z1)", loss=loss, **NOISY).solve(alpha=2, beta=1e9, ridge=0.3)
    for name in names:
        assert getattr(isotropic, name) == pytest.approx(getattr(wide, name), rel=1e-7), name


def test_flipped_labels_of_the_square_loss_are_a_smaller_target_and_noise():
    flipped = RandomFeatures(**CLASSES, flips=0.1).solve(**RATIOS, noise=0.3)
    smaller = RandomFeatures("erf(z)", "4/5*sign(z1)").solve(**RATIOS, noise=0.3 + 1 - 0.64)
    for name in ("test_error", "train_error", "square_error", "linear_floor"):
        assert getattr(flipped, name) == pytest.approx(getattr(smaller, name), rel=1e-13)
    assert flipped.parameters["flips"] == 0.1 and "flips" in flipped.to_dict()["parameters"]


def test_flips_that_are_refused():
    for model in (RandomFeatures, SpikedRandomFeatures):
        with pytest.raises(InputError, match=r"flips is 0\.1, and sin"):
            model("erf(z)", "sin(z1)", flips=0.1)
        with pytest.raises(InputError, match=r"flips is 0.5; accepted: 0 <= flips < 0.5"):
            model(**CLASSES, flips=0.5)
    with pytest.raises(InputError, match=r"flips has the shape \(2,\); one number is accepted"):
        RandomFeatures(**CLASSES, flips=[0.1, 0.2])


def ridge_of_numpy(loss, d, seed, spike=None):
    """(square error, wrong signs, training loss) of networks in plain numpy, labels flipped with 1/10."""
    rng = np.random.default_rng([seed, d])
    w = rng.standard_normal((d, d))
    w /= np.linalg.norm(w, axis=1)[:, None]
    if spike is not None:
        w[:, 0] += spike
    x, fresh = rng.standard_normal((2 * d, d)), rng.standard_normal((4000, d))
    f, label = np.sign(x[:, 0]), np.sign(fresh[:, 0])
    y = np.where(rng.random(2 * d) < 0.1, -f, f)
    features, test = (erf(inputs @ w.T) / np.sqrt(d) for inputs in (x, fresh))
    if loss == "square":
        a = np.linalg.solve(features.T @ features + 0.1 * np.eye(d), features.T @ y)
        train = np.mean((y - features @ a) ** 2)
    else:
        a = np.zeros(d)
        for _ in range(30):  # Newton's method
            p = 1 / (1 + np.exp(y * (features @ a)))
            hessian = features.T * (p * (1 - p)) @ features + 0.1 * np.eye(d)
            a -= np.linalg.solve(hessian, 0.1 * a - features.T @ (y * p))
        train = np.mean(np.logaddexp(0.0, -y * (features @ a)))
    seen = test @ a
    return np.mean((0.8 * label - seen) ** 2), np.mean(label * seen <= 0), train


@pytest.mark.slow
def test_flipped_labels_are_those_of_networks_in_numpy():
    """d = 300, 12 seeds, two losses with and without a spike: 12 numbers, false alarms of 1e-3 in all."""
    bound = t.isf(1e-3 / 24, 11)
    for loss in ("square", "logistic"):
        models = {
            None: RandomFeatures(**CLASSES, loss=loss, **NOISY).solve(**RATIOS),
            1.2: SpikedRandomFeatures(**CLASSES, loss=loss, **NOISY).solve(**RATIOS, r=1.2, c=1, gamma=1),
        }
        for spike, theory in models.items():
            found = np.array([ridge_of_numpy(loss, 300, seed, spike) for seed in range(12)])
            mean, error = found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(12)
            expected = [theory.square_error, theory.misclassification, theory.train_error]
            assert np.all(np.abs(mean - expected) < bound * error), (loss, spike, mean, error, expected)


@pytest.mark.slow
def test_probabilities_on_spiked_features():
    """Draws of (kappa, z, x) of the solved law in 20 bins of x; false alarms 1e-3."""
    spike = {"r": 1.2, "c": 1.0, "gamma": 0.7}
    model = SpikedRandomFeatures(**CLASSES, loss="logistic", **NOISY)
    one = model.solve(alpha=2, beta=1, ridge=0.002, **spike)
    rng = np.random.default_rng(3)
    kappa, z, rest = rng.standard_normal((3, 400_000))
    root = np.sqrt(1 + 2 * spike["c"])  # E erf(a + sqrt(c) z) = erf(a/sqrt(1 + 2 c))
    mu0 = erf(1.2 * kappa / root)
    mu1 = 2 / np.sqrt(np.pi) / root * np.exp(-((1.2 * kappa / root) ** 2))
    h, share = np.polynomial.hermite_e.hermegauss(80)
    square = (erf(1.2 * np.linspace(-6, 6, 4001)[:, None] + h) ** 2) @ (share / share.sum())
    mu2 = np.interp(kappa, np.linspace(-6, 6, 4001), square) - mu0**2 - mu1**2
    o = one.overlaps
    power = mu1**2 * o["q1"] + np.maximum(mu2, 0.0) * o["q2"]
    overlap = mu1 * o["psi"]
    x = (
        mu0 * o["m"]
        + kappa * mu1 * o["zeta"]
        + overlap * z
        + np.sqrt(np.maximum(power - overlap**2, 0)) * rest
    )
    f = np.sign(0.7 * kappa + np.sqrt(1 - 0.49) * z)
    assert np.mean(f * x <= 0) == pytest.approx(one.misclassification, abs=3.3 * 0.5 / np.sqrt(x.size))
    y = np.where(rng.random(x.size) < 0.1, -f, f)
    said = 1 / (1 + np.exp(-x))
    bins = np.digitize(x, np.quantile(x, np.linspace(0, 1, 401)[1:-1]))
    count = np.bincount(bins)
    gap, spread = np.bincount(bins, (y > 0) - said) / count, np.bincount(bins, said * (1 - said)) / count
    excess = count @ (gap**2 - spread / count) / x.size
    assert one.calibration_error**2 == pytest.approx(excess, rel=0.03) and one.numerical_error < 1e-7
    at = np.array([0.2, 0.5, 0.8])
    for p, share in zip(at, model.reliability(one, at), strict=True):
        near = np.abs(said - p) < 0.01
        assert abs(np.mean(y[near] > 0) - share) < 3.5 * 0.5 / np.sqrt(near.sum()) + 0.003
    plain = RandomFeatures(**CLASSES, loss="logistic", **NOISY)
    none = model.solve(**RATIOS, r=0, c=1, gamma=0)
    assert model.reliability(none, at) == pytest.approx(
        plain.reliability(plain.solve(**RATIOS), at), rel=1e-9
    )
    with pytest.raises(InputError, match="no prediction of the loss hinge stands for that probability"):
        SpikedRandomFeatures(**CLASSES, loss="hinge").reliability(one, 0.3)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["sign(z1)*sign(z2+1)", "max(sign(z1), sign(z2))", "sign(z1)*sign(z1+z2)*sign(z2+1/2)"]
)
def test_wrong_signs_of_two_directions_are_those_of_draws(text):
    """400,000 draws of (z, x) of the solved law; false alarms 1e-3 each."""
    target = Target(text)
    one = RandomFeatures("relu(z)", target).solve(**RATIOS)
    pull = np.asarray(hermite(target, 1).tensor(1), dtype=float)
    z1, z2, rest = np.random.default_rng(8).standard_normal((3, 400_000))
    u = (pull[0] * z1 + pull[1] * z2) / np.linalg.norm(pull)
    mean, power, overlap = (one.overlaps[n] for n in ("intercept", "Q", "M"))
    x = mean + overlap * u + np.sqrt(power - overlap**2) * rest
    wrong = np.mean(target.function()(z1, z2) * x <= 0)
    assert abs(wrong - one.misclassification) < 3.3 * np.sqrt(wrong * (1 - wrong) / x.size)


@pytest.mark.slow
def test_wrong_signs_of_several_directions_in_closed_form():
    one = RandomFeatures("relu(z)", "sign(z1)").solve(**RATIOS)
    turned = RandomFeatures("relu(z)", "sign(z1 + z2)").solve(**RATIOS)
    assert turned.misclassification == pytest.approx(one.misclassification, rel=1e-12)
    assert RandomFeatures("relu(z)", "sign(z1*z2*z3)").solve(**RATIOS).misclassification == 0.5
    three = RandomFeatures("relu(z)", "sign(z1)*sign(z2 + 1)*sign(z3 + 1)").solve(**RATIOS)
    assert three.misclassification is None


@pytest.mark.slow
def test_simulations_have_both_errors():
    """d = 100, 10 seeds, four losses, one of them a text; 12 numbers with false alarms of 1e-3 in all."""
    bound = t.isf(1e-3 / 24, 9)
    for loss in ("square", "logistic", "hinge", "log(cosh(y - x))"):
        theory = RandomFeatures(**CLASSES, loss=loss).solve(**RATIOS)
        found = simulate("random-features", **CLASSES, **RATIOS, loss=loss, d=100, seeds=10).results
        for name in ("test_error", "square_error", "misclassification"):
            estimate = found[name]
            assert abs(estimate.mean - getattr(theory, name)) < bound * estimate.stderr, (loss, name)
    spike = {"r": 1.0, "c": 1.0, "gamma": 0.7}
    theory = SpikedRandomFeatures(**CLASSES).solve(**RATIOS, **spike)
    found = simulate("spiked-random-features", **CLASSES, **RATIOS, **spike, d=100, seeds=10).results
    for name in ("square_error", "misclassification"):
        assert abs(found[name].mean - getattr(theory, name)) < bound * found[name].stderr, name
