"""The protocol `small-step`: against the solver, against one step written out, and what it refuses."""

import numpy as np
import pytest

import hermite_analytics as ha
from hermite_analytics.errors import InputError, UndefinedQuantity
from hermite_analytics.numeric import SmallStep, simulate
from hermite_analytics.numeric.protocols.small_step.protocol import SmallStepProtocol
from hermite_analytics.numeric.simulator.backend import resolve_backend
from hermite_analytics.numeric.simulator.small_step_spectrum import leading_singular
from hermite_analytics.numeric.simulator.streams import GaussianStream, Purpose

TANH = {
    "activation": "tanh", "target": "tanh(z1)", "eta": 8, "alpha": 4, "beta": 2, "ridge": 0.2, "noise": 0.09,
}  # fmt: skip


def make(**changes):
    given = {**TANH, "d": 30, **changes}
    return SmallStepProtocol.create(
        **{**given, "activation": ha.Activation(given["activation"]), "target": ha.Target(given["target"])}
    )


@pytest.fixture(scope="module")
def found():
    return simulate("small-step", **TANH, d=128, seeds=30, n_test=600)


@pytest.mark.slow
def test_agrees_with_the_solver(found):
    """30 seeds at d = 128: 4 standard errors and 3 % of finite size (the kernel's spike 10 %)."""
    theory = SmallStep("tanh", "tanh(z1)").solve(eta=8, alpha=4, beta=2, ridge=0.2, noise=0.09)
    for name in ("theta1", "theta2", "singular_value", "alignment"):
        estimate, value = found.results[f"weights_{name}"], theory.weights[name]
        assert abs(estimate.mean - value) < 4 * estimate.stderr + 0.03 * value, name
    for name in ("singular_value", "alignment"):
        estimate, value = found.results[f"kernel_{name}"], theory.kernel[name]
        assert abs(estimate.mean - value) < 4 * estimate.stderr + 0.1 * value, name
    for name in ("risk_before", "risk_after", "train_before", "train_after"):
        estimate, value = found.results[name], getattr(theory, name)
        assert abs(estimate.mean - value) < 4 * estimate.stderr + 0.03 * value, name
    gain = found.results["gain"]
    assert abs(gain.mean - theory.gain) < 4 * gain.stderr + 0.1 * theory.gain


@pytest.mark.slow
def test_bulk_and_remainder(found):
    """The bulk: m (m + beta) = 1 for the resolvent at -1; |B|_F/|A|_F = 0.257; |B| is far below |A|."""
    assert found.results["weights_resolvent"].mean == pytest.approx(np.sqrt(2) - 1, rel=0.01)
    assert found.results["weights_remainder_frobenius"].mean == pytest.approx(0.2568, rel=0.06)
    assert found.results["weights_remainder_operator"].mean < 0.1
    assert found.results["weights_second_value"].mean < 1 + np.sqrt(2)


def test_one_step_written_out():
    protocol = make(target="relu(z1)", activation="softplus(z)", gradient_factor=2, noise=0.0)
    backend = resolve_backend("cpu")
    seed, d, p, n = 7, 30, 60, 120
    weights = GaussianStream(seed=seed, purpose=Purpose.WEIGHTS).normals(p, d) / np.sqrt(d)
    a = GaussianStream(seed=seed, purpose=Purpose.SECOND_LAYER).normals(1, p)[0] / np.sqrt(p)
    theta = protocol._directions(backend, seed)[0]
    x = GaussianStream(seed=seed, purpose=Purpose.STEP_DATA).normals(n, d)
    y = np.maximum(x @ theta, 0)
    fields = x @ weights.T
    nodes, share = np.polynomial.hermite_e.hermegauss(100)
    centred = np.log1p(np.exp(fields)) - share @ np.log1p(np.exp(nodes)) / share.sum()
    residual = y - centred @ a / np.sqrt(p)
    slopes = 1 / (1 + np.exp(-fields))
    gradient = (residual[:, None] * slopes * a[None, :] / np.sqrt(p)).T @ x / n
    moved = weights + 8 * 2 * np.sqrt(p) * gradient
    pull = (moved - weights).T @ a / (a @ a)
    sample = protocol.run(seed)
    assert sample["weights_theta1"] == pytest.approx(np.linalg.norm(pull), rel=1e-10)
    assert sample["weights_theta2"] == pytest.approx(pull @ theta, rel=1e-10)
    values = np.linalg.svd(moved, compute_uv=False)
    assert sample["weights_singular_value"] == pytest.approx(values[0], rel=1e-10)
    assert sample["weights_second_value"] == pytest.approx(values[1], rel=1e-10)
    rest = moved - weights - np.outer(a, pull)
    size = np.linalg.norm(np.outer(a, pull))
    assert sample["weights_remainder_operator"] == pytest.approx(np.linalg.norm(rest, 2) / size, rel=1e-8)
    assert sample["weights_remainder_frobenius"] == pytest.approx(np.linalg.norm(rest) / size, rel=1e-8)


def test_without_a_step_nothing_moves():
    sample = make(steps=0).run(1)
    assert sample["gain"] == 0 and sample["weights_theta1"] == 0
    assert np.isnan(sample["weights_remainder_operator"])


def test_steps_and_batches():
    one, same, fresh = (
        make(**changes).run(2) for changes in ({}, {"steps": 2}, {"steps": 2, "batches": "fresh"})
    )
    assert one["risk_before"] == same["risk_before"] == fresh["risk_before"]
    assert len({float(s["risk_after"]) for s in (one, same, fresh)}) == 3
    large = make(eta_power=0.5)
    assert large.step_length == pytest.approx(8 * np.sqrt(60))


@pytest.mark.parametrize("features", ["network", "equivalent", "tangent"])
def test_axes(features):
    sample = make(features=features, alpha=[4, 5], ridge=[0.1, 0.2, 0.3]).run(0)
    assert sample["risk_after"].shape == (2, 3) and sample["kernel_alignment"].shape == (2,)
    assert sample["weights_alignment"].shape == ()


def test_json_groups():
    simulation = simulate("small-step", **TANH, d=20, seeds=2)
    results = simulation.to_dict()["results"]
    assert set(results["weights"]) >= {"theta1", "theta2", "singular_value", "alignment"}
    assert set(results["kernel"]) == {"singular_value", "alignment", "second_value"}
    assert results["gain"]["seeds"] == 2


@pytest.mark.parametrize("shape", [(9, 5), (5, 9)])
def test_leading_singular(shape):
    matrix = np.random.default_rng(0).normal(size=shape)
    left, values, right = np.linalg.svd(matrix)
    top = leading_singular(resolve_backend("cpu"), matrix)
    assert (top.first, top.second) == pytest.approx((values[0], values[1]), rel=1e-12)
    assert abs(top.left @ left[:, 0]) == pytest.approx(1, abs=1e-12)
    assert abs(top.right @ right[0]) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"batches": "old"}, "batches is 'old': accepted are 'same' and 'fresh'"),
        ({"steps": -1}, "steps is -1: an integer >= 0 is accepted"),
        ({"gradient_factor": 3}, "gradient_factor is 3: accepted are 1 and 2"),
        ({"eta_power": -0.5}, "eta_power is -0.5: a number >= 0 is accepted"),
        ({"n": 1, "alpha": None}, "d, p, n are 30, 60, 1: integers >= 2 are accepted"),
    ],
)
def test_bad_input(changes, message):
    with pytest.raises(InputError) as error:
        make(**changes)
    assert str(error.value) == message


def test_an_activation_that_jumps():
    with pytest.raises(UndefinedQuantity) as error:
        make(activation="sign")
    assert "a gradient step takes a continuous activation" in str(error.value)
