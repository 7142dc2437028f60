"""The law at finite n and d against networks that are trained on a data matrix, and its limit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import chi, kstest

from hermite_analytics.errors import InputError
from hermite_analytics.numeric import DMFT
from hermite_analytics.numeric.models.dmft.bartlett import bartlett_factor
from hermite_analytics.numeric.models.dmft.place import on_the_processor
from hermite_analytics.numeric.models.dmft.rows import TrainingRows
from hermite_analytics.numeric.models.dmft.weights import LinearMethod, Weights

CASES = {
    "tanh": (("tanh", "tanh(z1)", (1.0,)), {"eta": 0.3, "steps": 3, "noise": 1.0, "ridge": 0.1}),
    "relu, mini-batches, a trained readout": (
        ("relu", "tanh(z1 + z2)", (1.0, -0.5)),
        {"eta": 0.3, "steps": 3, "schedule": "minibatch:0.5", "momentum": 0.3, "readout_eta": 0.6},
    ),
}
FUNCTIONS = {
    "tanh": (np.tanh, lambda h: 1 / np.cosh(h) ** 2, lambda z: np.tanh(z[..., 0]), 1),
    "relu, mini-batches, a trained readout": (
        lambda h: np.maximum(h, 0),
        lambda h: (h > 0) * 1.0,
        lambda z: np.tanh(z[..., 0] + z[..., 1]),
        2,
    ),
}


def trained_networks(name, n, d, runs, seed):
    """Overlaps, norms, training errors and readouts of networks with data, rows (runs, numbers)."""
    (_, _, readout), options = CASES[name]
    sigma, slope, target, r = FUNCTIONS[name]
    rng, a = np.random.default_rng(seed), np.tile(readout, (runs, 1))
    heavy, rate, p = options.get("momentum", 0.0), options.get("readout_eta", 0.0), len(readout)
    x = rng.standard_normal((runs, n, d))
    y = target(x[..., :r]) + math.sqrt(options.get("noise", 0.0)) * rng.standard_normal((runs, n))
    w = np.zeros((runs, p, d))
    w[:, range(p), range(r, r + p)] = 1.0
    before, numbers = (w, a), []
    for t in range(options["steps"] + 1):
        h = x @ w.mT
        f = np.einsum("sij,sj->si", sigma(h), a)
        outside = w[..., r + p :]  # what no direction of the start and of the target explains
        parts = [v.reshape(runs, -1) for v in (w[..., :r], w @ w.mT, outside @ outside.mT)]
        numbers += [*parts, np.mean((y - f) ** 2, axis=1)[:, None], a] if t else []
        seen = rng.random((runs, n)) < 0.5 if "schedule" in options else np.ones((runs, n))
        residual = ((f - y) * seen)[..., None]
        g = a[:, None] * slope(h) * residual
        change = g.mT @ x / d
        shrunk = 1 - options["eta"] * options.get("ridge", 0.0)
        following = (
            shrunk * w - options["eta"] * change + heavy * (w - before[0]),
            a - rate * np.mean(residual * sigma(h), axis=1) + heavy * (a - before[1]),
        )
        before, (w, a) = (w, a), following
    return np.concatenate(numbers, axis=1)


def exact_networks(name, n, d, runs):
    """The same numbers from the exact law."""
    model, options = CASES[name]
    found = DMFT(*model).sample(d=d, alpha=n / d, seeds=range(runs), **options)
    assert found.parameters["n"] == n
    first = found.correlation[:, :, 0]
    m = found.overlap
    outside = found.norm - m @ m.mT - first @ first.mT
    parts = (m, found.norm, outside, found.train_error, found.trained_readout)
    return np.concatenate([np.reshape(part[:, t], (runs, -1)) for t in (1, 2, 3) for part in parts], axis=1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "n", "d"), [("tanh", 48, 6), ("relu, mini-batches, a trained readout", 30, 12)]
)
def test_the_law_of_trained_networks(name, n, d):
    """Means, second and third moments of every number after every step, in few dimensions.

    5 standard errors, 45 and 135 comparisons, fixed seeds: a false alarm in 10^4 choices of the seeds.
    """
    here, there = exact_networks(name, n, d, 800), trained_networks(name, n, d, 12_000, seed=5)
    assert here.shape[1] == there.shape[1]
    for power in (1, 2, 3):
        first, second = here**power, there**power
        error = np.sqrt(first.var(axis=0) / len(first) + second.var(axis=0) / len(second))
        score = (first.mean(axis=0) - second.mean(axis=0)) / np.where(error > 0, error, 1)
        assert np.abs(score).max() < 5


def test_the_limit():
    """d = 10000: 7.5 standard errors of 12 runs (t with 11 degrees: a false alarm in 10^5), and 10/d."""
    options = {"alpha": 3, "eta": 0.5, "steps": 2}
    model = DMFT("tanh", "tanh(z1)")
    limit = model.solve(**options, tolerance=1e-4, seconds=100)
    mean, error = model.sample(d=10_000, seeds=range(12), **options).mean("overlap")
    for t in (1, 2):
        assert abs(mean[t, 0, 0] - limit.overlap[t, 0, 0]) < 5 * 1.5 * error[t, 0, 0] + 1e-3


@pytest.mark.slow
def test_the_limit_with_a_trained_readout():
    """Sobol points and d = 20000; 9 standard errors of 8 runs (t with 7 degrees: a false alarm in 10^4 for
    each of 17 numbers), 10/d, and the error stated."""
    options = {"alpha": 3, "eta": 0.3, "steps": 3, "readout_eta": 0.5}
    model = DMFT("relu", "z1 + z1*z2", (1, -1))
    limit, runs = model.solve(**options, tolerance=1e-2), model.sample(d=20_000, seeds=range(8), **options)
    assert limit.status == "converged" and limit.averages[3] == "sobol"
    for name in ("overlap", "norm", "trained_readout", "train_error", "test_error"):
        mean, error = runs.mean(name)
        away = abs(mean - getattr(limit, name))[3]
        room = limit.numerical_error[3] * np.maximum(1.0, abs(mean[3])) + 10 / 20_000
        assert np.all(away < 9 * error[3] + room), name
    assert np.all(abs(limit.trained_readout[3] - (1, -1)) > 0.05)


def test_runs_are_those_of_their_seed():
    model = DMFT("tanh", "tanh(z1)")
    options = {"alpha": 2, "eta": 0.5, "steps": 2, "d": 50, "schedule": "epochs:2"}
    both, one = model.sample(seeds=(3, 4), **options), model.sample(seeds=4, **options)
    assert np.array_equal(both.overlap[1], one.overlap[0])
    assert not np.array_equal(both.overlap[0], both.overlap[1])
    assert one.overlap[0, 0, 0, 0] == 0.0 and one.norm[0, 0, 0, 0] == 1.0


def test_bartlett_factor():
    """Diagonals are chi variables; Kolmogorov-Smirnov at 1e-4, three tests of one fixed seed."""
    normals = np.random.default_rng(2).standard_normal((3000, 3, 3))
    factors = np.array([bartlett_factor(z, 7) for z in normals])
    for i in range(3):
        assert kstest(factors[:, i, i], chi(7 - i).cdf).pvalue > 1e-4
    assert np.all(np.tril(factors, -1) == 0.0)
    assert np.array_equal(np.triu(factors, 1), np.triu(normals, 1))


def test_too_small_a_dimension_is_refused():
    model = DMFT("tanh", "tanh(z1)", (1, 1))
    with pytest.raises(InputError, match="d is 6; accepted: at least 7"):
        model.sample(d=6, alpha=2, eta=0.1, steps=2)
    with pytest.raises(InputError, match=r"seeds is \(\); an integer or several"):
        model.sample(d=9, alpha=2, eta=0.1, steps=2, seeds=())


def test_fresh_noise_is_orthogonal_to_all_gradients():
    """What makes the law exact at finite n, to rounding: E_n[gamma gamma^T] = I and E_n[xi gamma^T] = 0."""
    model = DMFT("tanh", "tanh(z1)", (1.0, -0.5))
    rng = np.random.default_rng(0)
    n, p, alpha = 20, 2, 1.5
    start = rng.standard_normal((3, n))
    masks = np.ones((3, n), dtype=bool)
    rows = TrainingRows(
        on_the_processor(model.network), alpha, start, np.tanh(start[2]), np.full(n, 1 / n), masks
    )
    method = LinearMethod(eta=0.5, ridge=0.0, momentum=0.0, look_ahead=0.0)
    weights = Weights(method, alpha, [np.eye(2, 3)], [model.network.readout])
    for t in range(3):
        factor = bartlett_factor(rng.standard_normal((p, p)), 9 - p * t)
        step = weights.advance(rows.measure(weights.last, weights.readout), factor)
        rows.absorb(step, rng.standard_normal((p, n)), finite=True)
        noise = rows.features[-p:] - factor @ rows.gammas[-p:] / math.sqrt(alpha)
        assert rows.gammas @ rows.gammas.T / n == pytest.approx(np.eye(p * (t + 1)), abs=1e-12)
        assert np.abs(noise @ rows.gammas.T / n).max() < 1e-12
