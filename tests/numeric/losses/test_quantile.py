"""The quantile loss: its own formulas, and every model that takes a loss."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri

from hermite_analytics.numeric import RandomFeatures, SpikedRandomFeatures
from hermite_analytics.numeric.losses.loss import Loss
from hermite_analytics.numeric.simulator.backend import resolve_backend
from hermite_analytics.numeric.simulator.readout import fit_of

RATIOS = {"alpha": 2.0, "beta": 1.0, "ridge": 0.1}
SPIKE = {"r": 1.2, "c": 1.05, "gamma": 0.9}


def test_value_and_prox_as_defined():
    tau, v = 0.8, 0.6
    loss = Loss(f"quantile:{tau}")
    for y in (-1.3, 0.4):
        for x in (y - 2, y - 0.3, y - 0.05, y + 0.05, y + 0.3, y + 2):
            assert loss.value(y, x) == pytest.approx(max(tau * (y - x), (1 - tau) * (x - y)))
            if y - x > tau * v:
                expected = x + tau * v
            elif y - x < (tau - 1) * v:
                expected = x + (tau - 1) * v
            else:
                expected = y
            assert loss.prox(y, x, v) == pytest.approx(expected, abs=1e-15)
        corners = np.empty((16, 2))
        assert loss.corners(y, v, tau, corners) == 2
        assert corners[:2, 0] == pytest.approx([y - tau * v, y + (1 - tau) * v])


@pytest.mark.parametrize("tau", [0.2, 0.8])
def test_a_large_ridge_leaves_the_quantile_of_the_labels(tau):
    """relu features fit a constant without penalty; the weights vanish as 1/ridge."""
    found = RandomFeatures("relu", "tanh(z1)", f"quantile:{tau}").solve(alpha=2, beta=1, ridge=1e6)
    assert found.overlaps["intercept"] == pytest.approx(np.tanh(ndtri(tau)), abs=1e-5)


@pytest.mark.slow
def test_half_is_half_of_the_absolute_error():
    for model, more in ((RandomFeatures, {}), (SpikedRandomFeatures, SPIKE)):
        named = model("tanh", "tanh(z1)", loss="quantile:0.5").solve(**RATIOS, **more, noise=0.1)
        text = model("tanh", "tanh(z1)", loss="abs(y - x)/2").solve(**RATIOS, **more, noise=0.1)
        assert named.status == "converged"
        for name in ("test_error", "train_error"):
            assert getattr(named, name) == pytest.approx(getattr(text, name), rel=1e-8), name


@pytest.mark.slow
def test_without_a_spike_it_is_random_features():
    spiked = SpikedRandomFeatures("tanh", "tanh(z1)", loss="quantile:0.8").solve(r=0, c=1, gamma=0, **RATIOS)
    plain = RandomFeatures("tanh", "tanh(z1)", loss="quantile:0.8").solve(**RATIOS)
    assert spiked.test_error == pytest.approx(plain.test_error, rel=1e-8)
    assert spiked.train_error == pytest.approx(plain.train_error, rel=1e-8)


@pytest.mark.slow
def test_spiked_features_against_simulation():
    """d = 120 and 40 seeds: 4 standard errors, which chance exceeds in 0.03 %, and 2 % of finite size."""
    tau, noise, d = 0.8, 0.2, 120
    loss = Loss(f"quantile:{tau}")
    theory = SpikedRandomFeatures("tanh", "sin(z1)", loss=loss).solve(**RATIOS, **SPIKE, noise=noise)
    found = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        w = rng.normal(size=(d, d))
        w *= np.sqrt(SPIKE["c"]) / np.linalg.norm(w, axis=1)[:, None]
        w[:, 0] += SPIKE["r"]
        theta = np.zeros(d)
        theta[:2] = SPIKE["gamma"], np.sqrt(1 - SPIKE["gamma"] ** 2)
        x, unseen = rng.normal(size=(2 * d, d)), rng.normal(size=(20 * d, d))
        y = np.sin(x @ theta) + np.sqrt(noise) * rng.normal(size=2 * d)
        phi, fresh = (np.tanh(points @ w.T) / np.sqrt(d) for points in (x, unseen))
        a = fit_of(loss)(resolve_backend("cpu"), phi, y, RATIOS["ridge"])
        u = y - phi @ a
        train = np.mean(np.maximum(tau * u, (tau - 1) * u))
        found.append((np.mean((np.sin(unseen @ theta) - fresh @ a) ** 2), train))
    mean, error = np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / np.sqrt(40)
    for value, expected, spread in zip(mean, (theory.test_error, theory.train_error), error, strict=True):
        assert abs(value - expected) < 4 * spread + 0.02 * expected
        assert spread < 0.03 * expected
