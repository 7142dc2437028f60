"""Square error, misclassification and calibration, by name for every loss; the best ridge for each."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtr
from scipy.stats import chi2, t

from hermite_analytics import Target
from hermite_analytics.errors import InputError
from hermite_analytics.numeric import Loss, RandomFeatures, SpikedRandomFeatures, simulate
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
