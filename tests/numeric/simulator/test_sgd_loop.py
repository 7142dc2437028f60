"""The steps of SGD against plain loops over samples and neurons, on the same samples."""

import numpy as np
import pytest

from hermite_analytics import Activation, Target
from hermite_analytics.numeric.simulator.backend import resolve_backend
from hermite_analytics.numeric.simulator.data import IndexData
from hermite_analytics.numeric.simulator.sgd.starts import (
    control_directions,
    initial_weights,
    teacher_directions,
    weights_with_overlaps,
)
from hermite_analytics.numeric.simulator.sgd.training import UpdateRule, train
from hermite_analytics.numeric.simulator.streams import Purpose

D, SAMPLES, SEED = 12, 40, 5
READOUT = np.array([1.0, -0.7, 0.4])


def data(target="z1 + z1*z2", *, device="cpu", dtype="float64", noise=0.0):
    backend = resolve_backend(device, dtype)
    goal = Target(target)
    return IndexData(
        backend=backend,
        directions=backend.array(teacher_directions(SEED, goal.dimension, D)),
        link=goal.function("array"),
        seed=SEED,
        purpose=Purpose.STEP_DATA,
        noise_purpose=Purpose.STEP_NOISE,
        noise=noise,
    )


def plain_loop(weights, x, y, *, rate, kappa, uses, batch, square, spherical, readout):
    """tanh; one neuron at a time, literally w_j += (rate/(p d)) a_j sigma'(<w~_j, x>) r(w~) x."""
    w, p, d = weights.copy(), *weights.shape

    def gradient(w, x, y):
        h = w @ x
        r = y - (readout @ np.tanh(h) / p if square else 0.0)
        return np.array([readout[j] * (1 - np.tanh(h[j]) ** 2) * r * x for j in range(p)])

    for start in range(0, len(y), batch):
        for _ in range(uses):
            total = np.zeros_like(w)
            for i in range(start, start + batch):
                ahead = w + kappa / d * gradient(w, x[i], y[i])
                total += gradient(ahead, x[i], y[i])
            w = w + rate / (p * d) * total
            if spherical:
                w = w / np.linalg.norm(w, axis=1, keepdims=True)
    return w


OPTIONS = {
    "plain": {},
    "square": {"square": True},
    "spherical": {"square": True, "spherical": True},
    "extra-gradient": {"kappa": 0.3},
    "extra-gradient, square": {"kappa": -0.2, "square": True, "spherical": True},
    "reuse": {"uses": 3, "square": True},
}


@pytest.mark.parametrize("batch", [1, 8])
@pytest.mark.parametrize("name", OPTIONS)
def test_steps(name, batch):
    options = {"kappa": 0.0, "uses": 1, "square": False, "spherical": False, **OPTIONS[name]}
    samples = data(noise=0.3)
    x, y = samples.rows(0, SAMPLES)
    start = initial_weights(SEED, 3, samples.directions, "random")
    rule = UpdateRule(
        activation=Activation("tanh"),
        readout=READOUT,
        rate=2.0,
        look_ahead=options["kappa"],
        uses=options["uses"],
        batch=batch,
        square=options["square"],
        spherical=options["spherical"],
    )
    halfway, end = train(start, samples, rule, [16, SAMPLES], chunk_rows=7)
    for found, count in ((halfway, 16), (end, SAMPLES)):
        expected = plain_loop(start, x[:count], y[:count], rate=2.0, batch=batch, readout=READOUT, **options)
        assert np.allclose(found, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("batch", [1, 8])
def test_chunks_change_nothing_but_rounding(batch):
    rule = UpdateRule(
        activation=Activation("relu"), readout=np.ones(2), rate=1.0, look_ahead=0.1, batch=batch, square=True
    )
    start = initial_weights(SEED, 2, teacher_directions(SEED, 2, D), "zero")
    ends = [next(train(start, data(), rule, [SAMPLES], rows)) for rows in (1, 3, 1000)]
    for end in ends[1:]:
        assert np.allclose(end, ends[0], rtol=0, atol=1e-13)


@pytest.mark.parametrize("batch", [1, 8])
def test_single_precision(batch):
    rule = UpdateRule(activation=Activation("tanh"), readout=np.ones(2), rate=1.0, batch=batch, square=True)
    start = initial_weights(SEED, 2, teacher_directions(SEED, 2, D), "zero")
    (double,) = train(start, data(), rule, [SAMPLES], 100)
    (single,) = train(start.astype("float32"), data(dtype="float32"), rule, [SAMPLES], 100)
    assert single.dtype == np.float64 and 0 < np.max(np.abs(single - double)) < 1e-5


# Five batches of eight, each used three times: with a chunk for two of them, for one, or for five eighths.
@pytest.mark.parametrize(("chunk_rows", "made"), [(20, 3), (8, 5), (5, 5 * 3 * 2)])
def test_a_batch_that_fits_is_made_once(chunk_rows, made, monkeypatch):
    calls = []
    original = IndexData.rows

    def counted(self, first, count, **options):
        calls.append((first, count))
        return original(self, first, count, **options)

    monkeypatch.setattr(IndexData, "rows", counted)
    samples = data()
    start = initial_weights(SEED, 1, teacher_directions(SEED, 2, D), "zero")
    rule = UpdateRule(activation=Activation("tanh"), readout=np.ones(1), rate=1.0, uses=3, batch=8)
    (found,) = train(start, samples, rule, [SAMPLES], chunk_rows)
    assert len(calls) == made
    (whole,) = train(start, samples, rule, [SAMPLES], SAMPLES)
    assert np.allclose(found, whole, rtol=1e-12)


def test_batches_need_the_array_standard_alone(strict_device):
    rule = UpdateRule(
        activation=Activation("tanh"), readout=READOUT, rate=1.0, look_ahead=0.2, uses=2, batch=8,
        square=True, spherical=True,
    )  # fmt: skip
    start = initial_weights(SEED, 3, teacher_directions(SEED, 2, D), "random")
    strict = data(device=strict_device)
    (there,) = train(strict.backend.array(start), strict, rule, [SAMPLES], 5)
    (here,) = train(start, data(), rule, [SAMPLES], 5)
    assert np.allclose(np.asarray(there), here, rtol=1e-13, atol=1e-15)


def test_starts():
    directions = teacher_directions(SEED, 2, D)
    assert np.allclose(directions @ directions.T, np.eye(2), atol=1e-14)
    zero = initial_weights(SEED, 3, directions, "zero")
    assert np.max(np.abs(zero @ directions.T)) < 1e-15 and np.allclose(np.linalg.norm(zero, axis=1), 1)
    near = initial_weights(SEED, 3, directions, "random")
    assert np.allclose(np.linalg.norm(near @ directions.T, axis=1), D**-0.5, atol=1e-14)
    assert np.allclose(np.linalg.norm(near, axis=1), 1)
    assert np.array_equal(initial_weights(SEED, 2, directions, "first-direction"), directions[[0, 0]])


def test_starts_with_overlaps():
    directions = teacher_directions(SEED, 2, D)
    overlap = np.array([[0.3, 0.1], [-0.2, 0.5]])
    correlations = np.array([[1.0, 0.25], [0.25, 1.0]])
    weights = weights_with_overlaps(SEED, overlap, correlations, directions)
    assert np.allclose(weights @ directions.T, overlap, atol=1e-14)
    assert np.allclose(weights @ weights.T, correlations, atol=1e-14)


def test_control_directions_are_apart_from_everything():
    directions = teacher_directions(SEED, 2, D)
    weights = initial_weights(SEED, 3, directions, "random")
    controls = control_directions(resolve_backend("cpu"), SEED, 64, weights, directions)
    assert controls.shape == (D - 2 - 3, D)  # as many as there is room for
    assert np.allclose(np.linalg.norm(controls, axis=1), 1)
    assert np.max(np.abs(controls @ np.concatenate([weights, directions]).T)) < 1e-14
