"""The protocol `three-layer`: its targets, each scenario against a plain computation, published numbers."""

import json
import math
import pickle

import numpy as np
import pytest
from scipy.special import ndtr

from hermite_analytics import Activation
from hermite_analytics.errors import InputError
from hermite_analytics.numeric import ThreeLayer, simulate
from hermite_analytics.numeric.protocols.three_layer.protocol import ThreeLayerProtocol
from hermite_analytics.numeric.simulator.backend import resolve_backend
from hermite_analytics.numeric.simulator.streams import GaussianStream, Purpose
from hermite_analytics.numeric.simulator.three_layer.fixed_features import (
    kernel_side,
    quadratic_kernel_error,
    spectral_directions,
)
from hermite_analytics.numeric.simulator.three_layer.networks import (
    Schedule,
    train_three_layers,
    train_two_layers,
)
from hermite_analytics.numeric.simulator.three_layer.target import TreeTarget, inner_directions

TREE = {"degrees": (2, 3), "epsilon": 0.5}
SMALL = {**TREE, "d": 16, "kappa": 1.5, "seeds": 2}
SEED = 3


def tree(d=16, device="cpu", degrees=(2, 3)):
    backend = resolve_backend(device)
    link = Activation("tanh(3*z)").function("array")
    return TreeTarget.draw(backend, SEED, d=d, inner=inner_directions(d, 0.5), degrees=degrees, link=link)


def training(target):
    return target.data(SEED, Purpose.STEP_DATA, Purpose.STEP_NOISE, 0.0)


def test_inner_directions():
    assert [inner_directions(d, 0.5) for d in (16, 100, 225, 400, 15)] == [4, 10, 15, 20, 3]
    assert inner_directions(1000, 1 / 3) == 10  # not lost by rounding


def test_target_is_the_sum_of_hermite_polynomials_over_factorials():
    target = tree(degrees=(1, 2, 4))
    x, y = training(target).rows(0, 50)
    z = x @ target.directions.T
    inner = z + (z**2 - 1) / 2 + (z**4 - 6 * z**2 + 3) / 24
    h = inner @ target.signs / 2
    assert set(target.signs.tolist()) <= {-1.0, 1.0}
    assert np.allclose(target.hidden(x), h, atol=1e-13) and np.allclose(y, np.tanh(3 * h), atol=1e-13)


def test_hidden_variable_has_the_variance_of_its_polynomial():
    """E h = 0 and E h^2 = 1/2! + 1/3!: 4 standard errors of 200 000 samples."""
    target = tree()
    h = target.hidden(training(target).rows(0, 200_000)[0])
    squares = h**2
    assert abs(np.mean(h)) < 4 * np.std(h) / math.sqrt(h.size)
    assert abs(np.mean(squares) - 2 / 3) < 4 * np.std(squares) / math.sqrt(h.size)


def test_spectral_directions_against_the_matrix_itself():
    target = tree()
    x, y = training(target).rows(0, 300)
    rows = spectral_directions(training(target), 300, 4, 37)
    matrix = np.mean(y[:, None, None] * (x[:, :, None] * x[:, None, :] - np.eye(16)), axis=0)
    values = np.linalg.eigvalsh(matrix)
    found = np.diagonal(rows @ matrix @ rows.T)
    assert np.allclose(rows @ rows.T, np.eye(4), atol=1e-12)
    assert np.allclose(sorted(abs(found)), sorted(abs(values))[-4:], rtol=1e-10)


@pytest.mark.parametrize("samples", [60, 400])  # fewer and more than the 153 monomials
def test_kernel_ridge_regression_against_the_kernel(samples):
    target = tree()
    data, fresh = training(target), target.data(SEED, Purpose.TEST_DATA, None, 0.0)
    x, y = data.rows(0, samples)
    new, truth = fresh.rows(0, 70)
    kernel = (x @ x.T) ** 2 + x @ x.T + 1
    multipliers = np.linalg.solve(kernel + 0.5 * samples * np.eye(samples), y)
    expected = np.mean((truth - ((new @ x.T) ** 2 + new @ x.T + 1) @ multipliers) ** 2)
    found = quadratic_kernel_error(data, fresh, samples=samples, tests=70, ridge=0.5, chunk_rows=33)
    assert kernel_side(16, samples) == min(samples, 153)
    assert found == pytest.approx(expected, rel=1e-9)


def layers(p1, p2, d):
    """Initial weights and biases, from the streams."""

    def table(purpose, rows, columns, stream):
        return GaussianStream(seed=SEED, purpose=purpose).normals(rows, columns, stream=stream)

    return {
        "w1": table(Purpose.WEIGHTS, p1, d, 0) / np.sqrt(d),
        "w2": 0.2 * table(Purpose.WEIGHTS, p2, p1, 1) / np.sqrt(p1),
        "w3": 0.2 * table(Purpose.WEIGHTS, 1, p2, 2)[0] / np.sqrt(p2),
        "b1": 2 * ndtr(table(Purpose.BIAS, 1, p1, 0)[0]) - 1,
        "b2": 0.2 * (2 * ndtr(table(Purpose.BIAS, 1, p2, 1)[0]) - 1),
    }


def batches(n, size, steps, stage):
    order = GaussianStream(seed=SEED, purpose=Purpose.BATCH)
    return [np.argsort(order.normals(1, n, first_row=t, stream=stage)[0])[:size] for t in range(steps)]


def relu(x):
    return np.maximum(x, 0)


@pytest.mark.parametrize("p1", [20, 90])  # fewer and more neurons than samples
def test_three_layers_against_the_published_updates(p1):
    n, p2, d, lr = 40, 7, 16, 0.8
    target = tree()
    x, y = training(target).rows(0, n)
    schedule = Schedule(width=p1, second_width=p2, first_steps=6, second_steps=9, rate=lr)
    network = train_three_layers(target.backend, x, y, SEED, schedule)

    w = layers(p1, p2, d)
    for part in batches(n, 28, 6, 0):
        h1 = relu(x[part] @ w["w1"].T + w["b1"])
        h2 = relu(h1 @ w["w2"].T + w["b2"])
        error = h2 @ w["w3"] - y[part]
        grad2 = np.outer(error, w["w3"]) * (h2 > 0)
        grad1 = (grad2 @ w["w2"]) * (h1 > 0)
        w["w1"] = w["w1"] - lr * np.sqrt(p1) * (grad1.T @ x[part] / 28) / 0.2**2
    for part in batches(n, 28, 9, 1):
        h1 = relu(x[part] @ w["w1"].T + w["b1"])
        h2 = relu(h1 @ w["w2"].T + w["b2"])
        grad2 = np.outer(h2 @ w["w3"] - y[part], w["w3"]) * (h2 > 0)
        w["w2"] = w["w2"] - 4 * lr * np.sqrt(p2) * (grad2.T @ h1 / n) / (0.2 * p1)
    fields = relu(x @ w["w1"].T + w["b1"]) @ w["w2"].T + w["b2"]
    readout = np.linalg.solve(relu(fields).T @ relu(fields) + n * np.eye(p2), relu(fields).T @ y)
    assert np.allclose(network.first, w["w1"], atol=1e-11)
    assert np.allclose(network.hidden(x), fields, atol=1e-11)
    assert np.allclose(network.predict(x), relu(fields) @ readout, atol=1e-11)


def test_two_layers_against_the_published_updates():
    n, p, d = 40, 12, 16
    target = tree()
    x, y = training(target).rows(0, n)
    schedule = Schedule(width=p, second_width=1, first_steps=15, second_steps=0, ridge=0.1)
    network = train_two_layers(target.backend, x, y, SEED, schedule)
    w1, b1 = (layers(p, 1, d)[name] for name in ("w1", "b1"))
    a = 0.2 * GaussianStream(seed=SEED, purpose=Purpose.WEIGHTS).normals(1, p, stream=1)[0] / np.sqrt(p)
    for part in batches(n, 28, 15, 0):
        h = relu(x[part] @ w1.T + b1)
        grad = np.outer(h @ a - y[part], a) * (h > 0)
        w1 = w1 - np.sqrt(p) * (grad.T @ x[part] / 28) / 0.2
    features = relu(x @ w1.T + b1)
    readout = np.linalg.solve(features.T @ features + 0.1 * n * np.eye(p), features.T @ y)
    assert np.allclose(network.first, w1, atol=1e-11)
    assert np.allclose(network.predict(x), features @ readout, atol=1e-11)


@pytest.mark.parametrize("scenario", ["1", "2", "3", "proxy"])
def test_scenarios_need_the_array_standard_alone(scenario, strict_device):
    sizes = {"p1": 30, "first_steps": 5, "second_steps": 5}
    here = simulate("three-layer", **SMALL, **sizes, scenario=scenario, n_test=50)
    there = simulate("three-layer", **SMALL, **sizes, scenario=scenario, n_test=50, device=strict_device)
    names = {"1": ["test_error"], "2": ["overlap", "test_error"],
             "3": ["overlap", "test_error", "hidden_overlap"], "proxy": ["overlap"]}  # fmt: skip
    assert list(here.results) == names[scenario]
    for name in here.results:
        assert np.allclose(there.samples[name], here.samples[name], rtol=1e-8)


@pytest.mark.parametrize("scenario", ["1", "2", "3", "proxy"])
def test_chunks_change_nothing_but_rounding(scenario):
    sizes = {"p1": 30, "first_steps": 5, "second_steps": 5, "scenario": scenario, "n_test": 50}
    one, other = (simulate("three-layer", **SMALL, **sizes, chunk_rows=rows) for rows in (7, 1000))
    for name in one.results:
        assert np.allclose(one.samples[name], other.samples[name], rtol=1e-9)


# d_eff/d by chance, then the overlap at kappa = 1, 1.25, 1.5, 1.75, 1.9: means of 3 seeds
PROXY = {
    100: (0.126, 0.153, 0.336, 0.753, 0.878),
    225: (0.085, 0.123, 0.330, 0.791, 0.909),
}
KAPPAS = (1, 1.25, 1.5, 1.75, 1.9)


@pytest.mark.slow
@pytest.mark.parametrize("d", PROXY)
def test_spectral_proxy(d):
    """Both tables are of 3 seeds: 5 standard errors of their difference, which t on 2 + 2 degrees exceeds in
    1 of 130; a margin of 0.01 stands for the errors of 3 seeds that are small by chance."""
    for kappa, reference in zip(KAPPAS, PROXY[d], strict=True):
        found = simulate("three-layer", **TREE, d=d, kappa=kappa, scenario="proxy", seeds=3)
        overlap = found.results["overlap"]
        assert abs(overlap.mean - reference) < 5 * math.sqrt(2) * overlap.stderr + 0.01


@pytest.mark.slow
def test_curves_of_the_proxy_cross_at_three_halves():
    solver = ThreeLayer((2, 3), 0.5)
    curves = {
        kappa: [
            float(simulate("three-layer", **TREE, d=d, kappa=kappa, scenario="proxy", seeds=5)
                  .results["overlap"].mean)
            for d in (100, 225, 400)
        ]
        for kappa in (1.25, 1.5, 1.75)
    }  # fmt: skip
    assert solver.spectral_overlap_is_learned(1.25) is False and curves[1.25] == sorted(curves[1.25])[::-1]
    assert solver.spectral_overlap_is_learned(1.75) is True and curves[1.75] == sorted(curves[1.75])
    assert all(abs(value - 0.33) < 0.03 for value in curves[1.5])


@pytest.mark.slow
def test_three_trained_layers_need_fewer_samples_than_none():
    """At n = d^2, d = 24: paired over seeds, which share target and data; 4 standard errors."""
    fixed, trained = (
        simulate("three-layer", **TREE, d=24, kappa=2, scenario=s, seeds=6, dtype="float32") for s in (1, 3)
    )
    gain = fixed.samples["test_error"] - trained.samples["test_error"]
    assert np.mean(gain) > 4 * np.std(gain, ddof=1) / np.sqrt(6)
    start = simulate("three-layer", **TREE, d=24, kappa=2, scenario=3, seeds=6, first_steps=0, second_steps=0)
    chance = start.parameters["directions"] / 24
    assert start.results["overlap"].mean == pytest.approx(chance, rel=0.1)
    assert trained.results["overlap"].mean > 2.5 * chance
    assert trained.results["hidden_overlap"].mean > 3 * start.results["hidden_overlap"].mean


def test_parameters_and_pickling():
    found = simulate("three-layer", **SMALL, scenario=3, p1=30, first_steps=2, second_steps=2, n_test=20)
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert document["parameters"] == {
        "d": 16, "degrees": [2, 3], "epsilon": 0.5, "link": "tanh(3*z)", "kappa": 1.5, "n": 64,
        "scenario": "3", "directions": 4, "noise": 0.0, "dtype": "float64", "ridge": 1.0, "n_test": 20,
        "p1": 30, "first_steps": 2, "rate": 1.0, "p2": 100, "second_steps": 2, "seeds": 2, "first_seed": 0,
    }  # fmt: skip
    protocol = ThreeLayerProtocol.create(**TREE, d=16, n=30, scenario="proxy")
    assert pickle.loads(pickle.dumps(protocol)).run(1) == protocol.run(1)


def test_published_sizes():
    three = ThreeLayerProtocol.create(**TREE, d=64, kappa=1, scenario=3)
    assert (three.p1, three.p2, three.first_steps, three.second_steps) == (3769, 100, 88, 3657)
    two = ThreeLayerProtocol.create(**TREE, d=64, kappa=1, scenario=2)
    assert (two.p1, two.first_steps) == (251, 3657)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"scenario": "4"}, "scenario is '4': accepted are '1', '2', '3', 'proxy'"),
        ({"n": 5}, "both are given of kappa and n: exactly one is accepted"),
        ({"kappa": None}, "none is given of kappa and n: exactly one is accepted"),
        ({"kappa": 9}, "kappa is 9: d^kappa samples are at most 2^32"),
        ({"degrees": (1, 2)}, "degrees is (1, 2); integers from 2 to 100 are accepted, such as (2, 3)"),
        ({"epsilon": 1.5}, "epsilon is 1.5; accepted: 0 < epsilon < 1"),
        ({"p1": 0}, "p1 is 0: an integer >= 1 is accepted"),
        ({"ridge": 0}, "ridge is 0: a number > 0 is accepted"),
        ({"first_steps": -1}, "first_steps is -1: an integer >= 0 is accepted"),
    ],
)
def test_bad_input(given, message):
    with pytest.raises(InputError) as error:
        simulate("three-layer", **{**SMALL, "scenario": 3, **given})
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("scenario", "least"),
    [("1", 16 * 45451**2), ("2", 8 * 90000 * 5353), ("3", 8 * 90000 * 80297), ("proxy", 8 * 300**2)],
)
def test_memory_is_known_beforehand(scenario, least):
    protocol = ThreeLayerProtocol.create(**TREE, d=300, kappa=2, scenario=scenario)
    assert least < protocol.memory() < 6 * least + 2**26


def test_what_does_not_fit_is_refused():
    with pytest.raises(InputError, match=r"this size needs .* GB of memory"):
        simulate("three-layer", **TREE, d=1000, kappa=2.2, scenario=3, seeds=1)
