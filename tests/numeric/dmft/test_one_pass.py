"""Fresh batches against the flow of one-pass SGD, and against its closed recursion."""

from __future__ import annotations

import numpy as np
import pytest

from hermite_analytics.numeric import DMFT, SGDFlow


@pytest.mark.slow
def test_small_fresh_batches_are_the_flow():
    """alpha_b -> 0 at fixed eta: time samples/d, rate eta; the difference is of order alpha_b.

    Extrapolated from alpha_b and alpha_b/2, it is of second order.
    """
    eta, end = 1.5, 1.2
    flow = SGDFlow("erf(z/sqrt(2))", "erf(z1/sqrt(2))", loss="square", spherical=False)
    exact = flow.solve(rate=eta, overlap=0.2, times=end)
    model = DMFT("erf(z/sqrt(2))", "erf(z1/sqrt(2))")
    found = []
    for steps in (3, 6):
        run = model.solve(
            eta=eta, steps=steps, schedule=f"one-pass:{end / steps}", overlap=0.2, tolerance=4e-3, seconds=100
        )
        assert run.status == "converged"
        found.append(np.array([run.overlap[-1, 0, 0], run.norm[-1, 0, 0]]))
    limit = 2 * found[1] - found[0]
    known = [float(exact.overlap), float(np.ravel(exact.correlations)[0])]
    assert np.all(np.abs(found[1] - known) > 1e-2)  # no run alone is the flow
    assert limit == pytest.approx(known, abs=6e-3)


@pytest.mark.slow
def test_many_fresh_batches_keep_one():
    """Many small batches: the flow up to order alpha_b; one sample serves all steps."""
    flow = SGDFlow("tanh(z)", "tanh(z1)", loss="square", spherical=False)
    exact = flow.solve(rate=0.5, overlap=0.2, times=1.0)
    run = DMFT("tanh", "tanh(z1)").solve(
        eta=0.5, steps=50, schedule="one-pass:0.02", overlap=0.2, tolerance=2e-2, seconds=60, throw=True
    )
    assert run.overlap[-1, 0, 0] == pytest.approx(float(exact.overlap), abs=0.005)
    assert run.norm[-1, 0, 0] == pytest.approx(float(np.ravel(exact.correlations)[0]), abs=0.01)


def test_samples_seen_once_are_networks():
    """Two neurons, noise, a trained readout, half of the samples never seen: against the exact law.

    Thirty networks of d = 4000; false alarm below 1e-4 for the 60 numbers, at 5 standard errors.
    """
    model = DMFT("relu", "z1 + z1*z2", (1, -1))
    training = {
        "alpha": 6.0,
        "eta": 0.3,
        "steps": 3,
        "noise": 0.2,
        "schedule": "epochs:6",
        "readout_eta": 0.1,
    }
    found = model.solve(**training, tolerance=5e-3, seconds=60)
    networks = model.sample(**training, d=4000, seeds=range(30))
    for name in ("overlap", "norm", "trained_readout", "train_error", "train_loss"):
        mean, error = networks.mean(name)
        known = np.asarray(getattr(found, name))
        allowed = 5.0 * error + 3.0 * np.max(found.numerical_error) + 20.0 / 4000
        assert np.all(np.abs(mean - known) < allowed), name
    assert abs(found.train_error[-1] - found.test_error[-1] - 0.2) > 0.05  # what was seen is remembered


@pytest.mark.slow
def test_fresh_batches_follow_the_fresh_law():
    """He3 and relu, alpha_b = 1: M stays 0 and Q = .95, .9085, .874055 (closed recursion of the norm)."""
    found = DMFT("relu", "He3(z1)").solve(
        eta=0.2, steps=3, schedule="one-pass:1", tolerance=3e-3, seconds=100, throw=True
    )
    assert found.overlap[:3, 0, 0] == pytest.approx(np.zeros(3), abs=1e-6)
    assert abs(found.overlap[3, 0, 0]) < found.numerical_error[3]
    assert found.norm[1:3, 0, 0] == pytest.approx([0.95, 0.9085], abs=1e-6)
    assert found.norm[3, 0, 0] == pytest.approx(0.874055, abs=found.numerical_error[3])
