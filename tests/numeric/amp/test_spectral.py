"""The spectral method: preprocessing in closed form, outlier and overlap against theory, thresholds."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hermite_analytics import Target
from hermite_analytics.errors import InputError
from hermite_analytics.label.channel import channel_of
from hermite_analytics.numeric import SpectralMethod
from hermite_analytics.numeric.bayes.amp import spectral
from hermite_analytics.numeric.bayes.amp.preprocessing import Preprocessing, predicted


def sampled(text, alpha, d, seed):
    target = Target(text)
    rng = np.random.default_rng(seed)
    teacher = np.linalg.qr(rng.normal(size=(d, target.dimension)))[0]
    x = rng.normal(size=(round(alpha * d), d))
    return x, np.array(target.function("array")(*(x @ teacher).T)), teacher


def overlaps(text, alpha, d, seeds):
    method = SpectralMethod(text)
    found = []
    for seed in range(seeds):
        x, y, teacher = sampled(text, alpha, d, seed)
        found.append(method.run(x, y, teacher=teacher))
    return found


def prepared(text, labels):
    channel = channel_of(text)
    labels = np.array(labels, dtype=float)
    return Preprocessing.of(channel.at(labels), len(labels), len(channel.seen))


def test_preprocessing_of_phase_retrieval():
    """T(y) = 1 - 1/y, raised to -50."""
    y = np.array([4.0, 1.0, 0.25, 1e-3])
    found = prepared("z1**2", y)
    assert found.matrices[:, 0, 0] == pytest.approx([0.75, 0, -3, -50], abs=1e-6)
    assert found.second[:, 0, 0] == pytest.approx(y, rel=1e-6)


def test_preprocessing_of_two_directions():
    """sign(z1 z2): E[z z^T | y] = I + (2/pi) y sigma_x, T of its eigenvalues 1 +- 2/pi."""
    found = prepared("sign(z1*z2)", [1, -1])
    sigma = np.array([[0, 1], [1, 0]])
    assert found.second[0] == pytest.approx(np.eye(2) + 2 / math.pi * sigma, abs=1e-9)
    assert np.linalg.eigvalsh(found.matrices[1]) == pytest.approx(
        [1 - 1 / (1 - 2 / math.pi), 1 - 1 / (1 + 2 / math.pi)], abs=1e-9
    )
    assert found.threshold == pytest.approx(math.pi**2 / 4, rel=1e-9)


def test_threshold_of_phase_retrieval_is_estimated():
    """alpha_c = 1/2; the relative error of E[(y - 1)^2] over 40000 labels is 2.5%: 4 of it."""
    y = np.random.default_rng(0).standard_normal(40_000) ** 2
    assert prepared("z1**2", y).threshold == pytest.approx(0.5, rel=0.1)


@pytest.mark.parametrize("alpha", [0.55, 1.0, 3.0])
def test_prediction_satisfies_its_equations(alpha):
    """The outlier of linearised AMP stands at 1 for every alpha, but for T that is raised to -50."""
    y = np.random.default_rng(1).standard_normal(200_000) ** 2
    found = predicted(np.maximum(1 - 1 / y, -50), y, alpha)
    assert found.eigenvalue > found.edge and found.overlap > 0
    assert found.eigenvalue == pytest.approx(1, abs=0.03)


def test_no_outlier_below_the_threshold():
    y = np.random.default_rng(1).standard_normal(200_000) ** 2
    found = predicted(np.maximum(1 - 1 / y, -50), y, 0.4)
    assert found.overlap == 0 and found.eigenvalue == found.edge


def test_phase_retrieval_between_the_thresholds():
    """alpha = 0.75, d = 400: 0.107 +- 0.019 in another implementation (12 seeds)."""
    found = overlaps("z1**2", 0.75, 400, 12)
    measured = np.array([r.overlap for r in found])
    error = measured.std(ddof=1) / len(found) ** 0.5
    assert abs(measured.mean() - 0.107) < 4 * math.hypot(error, 0.019)
    assert abs(measured.mean() - np.mean([r.predicted_overlap for r in found])) < 4 * error + 0.03
    assert measured.mean() > 10 / 400  # a random direction has 1/d


@pytest.mark.slow
@pytest.mark.parametrize(("text", "alpha"), [("z1**2", 2.0), ("abs(z1) + xi/2", 2.0), ("He3(z1)", 3.0)])
def test_overlap_and_eigenvalue_are_predicted(text, alpha):
    target, method = Target(text), SpectralMethod(text)
    measured, predictions, values, limits = [], [], [], []
    for seed in range(6):
        x, _, teacher = sampled("z1", alpha, 500, seed)
        noise = math.sqrt(float(target.noise_variance)) * np.random.default_rng(99 + seed).normal(size=len(x))
        y = np.array(target.function("array")(x @ teacher[:, 0])) + noise
        found = method.run(x, y, teacher=teacher)
        measured.append(found.overlap)
        predictions.append(found.predicted_overlap)
        values.append(found.eigenvalues[0])
        limits.append(found.predicted_eigenvalue)
    assert np.mean(measured) == pytest.approx(np.mean(predictions), abs=0.04)
    assert np.mean(values) == pytest.approx(np.mean(limits), rel=0.06)


def test_below_the_threshold_nothing_is_found():
    found = overlaps("z1**2", 0.3, 500, 8)
    assert np.mean([r.overlap for r in found]) < 0.06
    assert all(r.predicted_overlap == 0 or r.threshold < 0.5 for r in found)


def test_two_directions():
    """sign(z1*z2): alpha_c = pi^2/4; both principal angles above it, none below."""
    above, below = overlaps("sign(z1*z2)", 8, 250, 2), overlaps("sign(z1*z2)", 1, 250, 2)
    assert all(r.overlap.shape == (2,) and r.overlap.min() > 0.5 for r in above)
    assert all(r.overlap.max() < 0.15 for r in below)
    assert above[0].predicted_overlap is None and len(above[0].eigenvalues) == 5
    assert above[0].estimate.T @ above[0].estimate == pytest.approx(np.eye(2), abs=1e-9)


def test_product_of_two_coordinates():
    """z1*z2: alpha_c = 0.59375; level curves give E[z z^T | y]."""
    x, y, teacher = sampled("z1*z2", 3, 150, 0)
    found = SpectralMethod("z1*z2").run(x, y, teacher=teacher)
    assert found.threshold == pytest.approx(0.5937510982, rel=0.35)
    assert found.overlap.min() > 0.3


def test_large_matrices_are_not_formed(monkeypatch):
    x, y, teacher = sampled("z1**2", 2, 300, 5)
    dense = SpectralMethod("z1**2").run(x, y, teacher=teacher)
    monkeypatch.setattr(spectral, "_DENSE", 0)
    sparse = SpectralMethod("z1**2").run(x, y, teacher=teacher)
    assert sparse.overlap == pytest.approx(dense.overlap, abs=1e-8)
    assert sparse.eigenvalues == pytest.approx(dense.eigenvalues, rel=1e-8)


def test_document_and_plot():
    x, y, teacher = sampled("z1**2", 2, 100, 5)
    found = SpectralMethod("z1**2").run(x, y, teacher=teacher)
    document = found.to_dict()
    (row,) = document["results"]
    assert row["overlap"] == found.overlap and document["parameters"]["alpha"] == 2
    assert len(row["eigenvalues"]) == 2
    assert len(found.plot().lines) == 3
    assert "1702.06435" in found.cite()


def test_labels_without_second_order_are_refused():
    x, y, _ = sampled("sign(z1)", 2, 50, 0)
    with pytest.raises(InputError, match=r"labels of sign\(z1\) say nothing of second order"):
        SpectralMethod("sign(z1)").run(x, y)


def test_bad_input():
    x, y, _ = sampled("sign(z1*z2)", 600, 2, 0)
    with pytest.raises(InputError, match=r"x has 2 columns: the spectral method takes d > 2"):
        SpectralMethod("sign(z1*z2)").run(x, y)
    with pytest.raises(InputError, match="tolerance is 0"):
        SpectralMethod("z1**2").run(x, y, tolerance=0.0)
    with pytest.raises(InputError, match="seconds is -1"):
        SpectralMethod("z1**2", seconds=-1)
