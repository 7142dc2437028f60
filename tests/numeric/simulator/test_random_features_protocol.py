"""The protocol `random-features`: against the solver, against plain numpy, and what it refuses."""

import numpy as np
import pytest

import hermite_analytics as ha
from hermite_analytics.errors import InputError, UndefinedQuantity
from hermite_analytics.numeric import RandomFeatures, simulate
from hermite_analytics.numeric.protocols.random_features.protocol import RandomFeaturesProtocol

TANH = {"activation": "tanh", "target": "tanh(z1)", "beta": 1.5, "alpha": 2, "ridge": 0.1}


def make(**changes):
    given = {**TANH, "d": 40, **changes}
    return RandomFeaturesProtocol.create(
        **{**given, "activation": ha.Activation(given["activation"]), "target": ha.Target(given["target"])}
    )


@pytest.mark.cases(1)
@pytest.mark.parametrize("features", ["network", "equivalent"])
@pytest.mark.parametrize(
    ("loss", "target"),
    [
        ("square", "tanh(z1)"),
        ("logistic", "sign(z1)"),
        ("hinge", "sign(z1)"),
        ("huber:0.3", "tanh(z1)"),
        ("quantile:0.8", "tanh(z1)"),
    ],
)
def test_agrees_with_the_solver(features, loss, target):
    """40 seeds at d = 100: 4 standard errors and 3 % of finite size; the seeds are fixed."""
    found = simulate(
        "random-features", **{**TANH, "target": target}, d=100, seeds=40, loss=loss, features=features,
        n_test=1000,
    )  # fmt: skip
    theory = RandomFeatures("tanh", target, loss=loss).solve(alpha=2, beta=1.5, ridge=0.1)
    for name in ("test_error", "train_error"):
        estimate, value = found.results[name], getattr(theory, name)
        assert abs(estimate.mean - value) < 4 * estimate.stderr + 0.03 * value, name
    for name in ("M", "Q", "psi", "q1", "q2"):
        estimate, value = found.results[name], theory.overlaps[name]
        assert abs(estimate.mean - value) < 4 * estimate.stderr + 0.05 * abs(value), name


def test_intercept_of_an_activation_with_a_mean():
    found = simulate(
        "random-features", activation="relu", target="relu(z1)", d=100, alpha=3, beta=2, ridge=0.1, seeds=30,
        n_test=100,
    )  # fmt: skip
    theory = RandomFeatures("relu", "relu(z1)").solve(alpha=3, beta=2, ridge=0.1)
    estimate = found.results["intercept"]
    assert abs(estimate.mean - theory.overlaps["intercept"]) < 4 * estimate.stderr + 0.02


def test_several_directions_noise_of_the_target_and_axes():
    protocol = make(target="z1 + z1*z2 + xi/2", alpha=[1, 2], ridge=[0.1, 1.0, 10.0])
    sample = protocol.run(0)
    assert protocol.label_noise == 0.25
    assert {name: value.shape for name, value in sample.items()} == dict.fromkeys(sample, (2, 3))
    assert np.all(np.diff(sample["train_error"], axis=1) > 0)


def test_tangent_features_are_ridge_regression_on_the_explicit_features():
    protocol = make(d=6, p=4, beta=None, n=10, alpha=None, features="tangent", n_test=50)
    sample = protocol.run(3)
    assert set(sample) == {"test_error", "train_error", "square_error"}
    from hermite_analytics.numeric.simulator.backend import resolve_backend
    from hermite_analytics.numeric.simulator.streams import Purpose

    backend = resolve_backend("cpu")
    weights, directions = protocol._weights(backend, 3), protocol._directions(backend, 3)
    x, y = protocol._data(backend, directions, 3, Purpose.READOUT_DATA, Purpose.READOUT_NOISE).rows(0, 10)
    fresh, labels = protocol._data(backend, directions, 3, Purpose.TEST_DATA, None).rows(0, 50)

    def features(x):
        slopes = 1 - np.tanh(x @ weights.T) ** 2
        return (slopes[:, :, None] * x[:, None, :]).reshape(len(x), -1) / np.sqrt(4 * 6)

    phi = features(x)
    a = np.linalg.solve(phi.T @ phi + 0.1 * np.eye(24), phi.T @ y)
    assert sample["train_error"] == pytest.approx(np.mean((y - phi @ a) ** 2), rel=1e-9)
    assert sample["test_error"] == pytest.approx(np.mean((labels - features(fresh) @ a) ** 2), rel=1e-9)


def test_chunks_change_rounding_only():
    one, other = make(features="equivalent"), make(features="equivalent", chunk_rows=7)
    for name, value in one.run(5).items():
        assert other.run(5)[name] == pytest.approx(value, rel=1e-9), name


def test_parameters():
    shown = make(loss="logistic", target="sign(z1)").parameters()
    assert (shown["p"], shown["n"], shown["loss"], shown["features"]) == (60, 80, "logistic", "network")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"loss": "hinge"}, "this loss takes labels 1 and -1, and tanh(z1) is not shown"),
        (
            {"loss": "hinge", "target": "sign(z1)", "noise": 0.1},
            "noise is 0.1; the loss 'hinge' takes labels without noise",
        ),
        (
            {"loss": "hinge", "target": "sign(z1)", "features": "tangent"},
            "features is 'tangent' with the loss 'hinge': 'square' is accepted there",
        ),
        ({"ridge": 0.0}, "ridge is 0.0: a number > 0 is accepted"),
        (
            {"target": "z1 + z50"},
            "d is 40: an integer >= 50 is accepted, for the target has that many directions",
        ),
    ],
)
def test_bad_input(changes, message):
    with pytest.raises(InputError) as error:
        make(**changes)
    assert str(error.value).startswith(message)


def test_infinite_second_moment():
    with pytest.raises(UndefinedQuantity):
        make(activation="exp(z**2/4)")
