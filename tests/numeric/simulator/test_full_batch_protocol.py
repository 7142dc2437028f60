"""The protocol `full-batch`: by hand, in law the same with and without a data matrix, near its limit."""

from __future__ import annotations

import numpy as np
import pytest

from hermite_analytics.errors import InputError
from hermite_analytics.numeric import DMFT
from hermite_analytics.numeric.models.dmft.arguments import Training, checked_run
from hermite_analytics.numeric.models.dmft.exact_law import exact_run
from hermite_analytics.numeric.models.dmft.place import on_the_processor
from hermite_analytics.numeric.protocols.full_batch.protocol import trained_run
from hermite_analytics.numeric.simulator import make_protocol, simulate
from hermite_analytics.numeric.simulator.sgd.starts import teacher_directions, weights_with_overlaps
from hermite_analytics.numeric.simulator.streams import GaussianStream, Purpose

HE3 = {"activation": "tanh", "target": "He3(z1)", "alpha": 3.0, "eta": 0.2}


@pytest.mark.cases(1)
@pytest.mark.parametrize("chunk_rows", [7, 1000])
@pytest.mark.parametrize("device", ["cpu", "torch"])
def test_two_steps_by_hand(chunk_rows, device):
    """Two neurons, ridge, noise, a heavy ball, a trained readout: numpy with the same random numbers."""
    if device == "torch":
        pytest.importorskip("torch", reason="torch is not installed")
    d, n, a, eta = 12, 30, np.array([1.0, -0.5]), 0.3
    options = {"ridge": 0.2, "momentum": 0.4, "noise": 0.5, "overlap": [[0.3], [0.0]]}
    options["readout_eta"] = 0.7
    found = simulate(
        "full-batch", activation="tanh", target="tanh(z1)", readout=[1, -0.5], d=d, alpha=n / d, eta=eta,
        steps=2, seeds=1, first_seed=3, chunk_rows=chunk_rows, device=device, **options,
    )  # fmt: skip
    teacher = teacher_directions(3, 1, d)
    w = weights_with_overlaps(3, np.array([[0.3], [0.0]]), np.eye(2), teacher)
    x = GaussianStream(seed=3, purpose=Purpose.STEP_DATA).normals(n, d)
    xi = GaussianStream(seed=3, purpose=Purpose.STEP_NOISE).normals(n, 1)[:, 0]
    y = np.tanh(x @ teacher[0]) + np.sqrt(0.5) * xi
    before = w, a
    for t in range(3):
        h = x @ w.T
        f = np.tanh(h) @ a
        assert found.samples["overlap"][0, t] == pytest.approx(w @ teacher.T, abs=1e-12)
        assert found.samples["norm"][0, t] == pytest.approx(w @ w.T, abs=1e-12)
        assert found.samples["train_error"][0, t] == pytest.approx(np.mean((y - f) ** 2), abs=1e-12)
        assert found.samples["trained_readout"][0, t] == pytest.approx(a, abs=1e-12)
        g = a * (1 - np.tanh(h) ** 2) * (f - y)[:, None]
        following = (
            (1 - eta * 0.2) * w - eta / d * g.T @ x + 0.4 * (w - before[0]),
            a - 0.7 * np.mean(np.tanh(h) * (f - y)[:, None], axis=0) + 0.4 * (a - before[1]),
        )
        before, (w, a) = (w, a), following


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "options"),
    [
        (("tanh", "He3(z1)"), {"eta": 0.1, "steps": 2}),
        (("relu", "z1 + z1*z2", (1, -1)), {"eta": 0.2, "steps": 2, "schedule": "minibatch:0.5"}),
        (
            ("tanh", "tanh(z1)", (1,), "square", 0.5),
            {"eta": 0.3, "steps": 2, "schedule": "epochs:2", "spherical": True},
        ),
    ],
)
def test_the_exact_law_is_that_of_a_data_matrix(model, options):
    """Means and second moments of 700 runs each, n = 24 and d = 12.

    5.5 standard errors; at most 40 comparisons in each of three cases of fixed seeds: with the heavy tails of
    the labels (t-like of some ten degrees) a false alarm in 10^2 choices of the seeds at most.
    """
    made, n, d = DMFT(*model), 24, 12
    run = checked_run(made.network, Training(alpha=n / d, **options))
    place, r = on_the_processor(made.network), made.target.dimension

    def numbers(seed, exact):
        if exact:
            weights, train = exact_run(place, run, n, d, seed)
            overlaps = [weights.overlap(t, r) for t in run.times]
        else:
            weights, train, directions = trained_run(made, place, run, n, d, seed, n)
            overlaps = [weights.coordinates[t] @ directions.T for t in run.times]
        parts = [
            x for t in (1, 2) for x in (overlaps[t], weights.product(t, t), weights.product(t, 0), train[t])
        ]
        return np.concatenate([np.ravel(part) for part in parts])

    here, there = (np.array([numbers(seed, exact) for seed in range(700)]) for exact in (True, False))
    for power in (1, 2):
        first, second = here**power, there**power
        error = np.sqrt((first.var(axis=0) + second.var(axis=0)) / 700)
        assert np.abs((first.mean(axis=0) - second.mean(axis=0)) / np.maximum(error, 1e-12)).max() < 5.5


def test_the_limit():
    """d = 20000, 4 seeds: 12 standard errors of three degrees of freedom (1e-3), and 10/d."""
    found = simulate("full-batch", d=20_000, seeds=4, steps=2, exact_law=True, **HE3).results
    limit = DMFT("tanh", "He3(z1)").solve(alpha=3, eta=0.2, steps=2)
    for name in ("overlap", "norm", "test_error", "train_error"):
        exact = getattr(limit, name)
        assert np.all(np.abs(found[name].mean - exact) <= 12 * found[name].stderr + 10 / 20_000 + 5e-3)
    assert found["overlap"].mean[2, 0, 0] < -0.1


def test_a_divergence_has_no_numbers():
    found = simulate("full-batch", activation="z", target="z1", alpha=2, eta=1e5, steps=4, d=20, seeds=2)
    overlap = found.samples["overlap"]
    assert np.all(np.isfinite(overlap[:, 0])) and np.all(np.isnan(overlap[:, 4]))
    assert np.all(np.isnan(found.samples["test_error"][:, 4]))


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"d": 3, "steps": 4}, "d is 3; accepted: at least 6"),
        ({"exact_law": True, "dtype": "float32"}, "dtype is 'float32': the exact law takes 'float64'"),
        ({"alpha": 0.001}, r"alpha d is 0\.02; accepted: at least one sample"),
        ({"schedule": "adam"}, "schedule is 'adam'; accepted: full"),
        ({"chunk_rows": 0}, "chunk_rows is 0"),
        ({"d": 10**6, "steps": 4}, "takes 1.5e.13 normals for one seed; accepted: .*or exact_law"),
    ],
)
def test_refusals(given, text):
    with pytest.raises(InputError, match=text):
        make_protocol("full-batch", {**HE3, "d": 20, "steps": 2, **given})


@pytest.mark.parametrize("exact_law", [True, False])
def test_progress_within_a_seed(exact_law):
    """Parts of a seed come between whole ones, in order; the numbers are the same."""
    told = []
    options = {**HE3, "d": 60, "steps": 3, "seeds": 2, "exact_law": exact_law}
    found = simulate("full-batch", **options, progress=lambda done, total: told.append((done, total)))
    done = [part for part, _ in told]
    assert done == sorted(done) and {total for _, total in told} == {2}
    assert {1, 2} <= set(done) and len({part for part in done if part < 1}) >= 3
    plain = simulate("full-batch", **options)
    assert np.array_equal(found.samples["overlap"], plain.samples["overlap"])
