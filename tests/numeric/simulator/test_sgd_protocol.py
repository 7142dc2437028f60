"""The protocol `sgd` against the closed equations of `SGDFlow`, and what it refuses.

A statistical test passes a number within 4.5 standard errors and a bias of 3/d: a false alarm in 150 000
numbers.
"""

import json
import pickle

import numpy as np
import pytest

from hermite_analytics import Activation, Target
from hermite_analytics.errors import InputError, UndefinedQuantity
from hermite_analytics.numeric import SGDFlow, simulate
from hermite_analytics.numeric.protocols.sgd.protocol import SGDProtocol

ERF = {"activation": "erf(z/sqrt(2))", "target": "erf(z1/sqrt(2))", "loss": "square"}
SMALL = {"activation": "tanh", "target": "z1", "d": 20, "rate": 1.0, "time": 1.0}


def agrees(simulated, expected, d):
    mean, stderr = simulated.mean, simulated.stderr
    assert np.all(np.abs(mean - expected) < 4.5 * stderr + 3 / d), (mean, expected, stderr)


@pytest.mark.slow
def test_two_erf_units():
    """One neuron, the square loss, with the limit to four digits."""
    found = simulate("sgd", **ERF, rate=1.5, overlap=0.2, time=[1, 2, 3, 5, 10], d=500, seeds=24)
    agrees(found.results["overlap"], [0.5511, 0.7639, 0.8796, 0.9696, 0.9991], 500)
    assert 0.3 < found.results["overlap"].stderr[0] * np.sqrt(24 * 500) < 0.6  # of one seed about 0.43/sqrt d


CASES = {
    "square loss": ({**ERF}, {"overlap": 0.3}, 1.5),
    "relu and sign with noise": ({"activation": "relu", "target": "sign(z1)"},
                                 {"overlap": 0.1, "noise": 0.25}, 0.8),
    "noise in the target": ({"activation": "tanh", "target": "z1 + xi/2"}, {"overlap": 0.1}, 0.8),
    "extra-gradient": ({"activation": "relu", "target": "He3(z1)", "reuse": 0.2}, {"overlap": 0.2}, 0.15),
    "extra-gradient, square": ({"activation": "tanh", "target": "He3(z1)", "reuse": 0.3, "loss": "square"},
                               {"overlap": 0.2}, 0.15),
    "two passes": ({"activation": "relu", "target": "relu(z1)", "method": "batch-reuse", "loss": "square"},
                   {"overlap": 0.3}, 0.5),
    "two directions": ({"activation": "tanh", "target": "z1 + z1*z2"}, {"overlap": [0.2, 0.3]}, 0.8),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.draws(4, spread=True)
@pytest.mark.parametrize("name", CASES)
def test_one_neuron(name):
    problem, given, rate = CASES[name]
    times = [0.5, 1.5]
    flow = SGDFlow(problem["activation"], problem["target"],
                   **{k: v for k, v in problem.items() if k not in ("activation", "target")})  # fmt: skip
    limit = flow.solve(rate=rate, times=times, **given)
    found = simulate("sgd", **problem, **given, rate=rate, time=times, d=500, seeds=100)
    agrees(found.results["overlap"], limit.overlap, 500)


@pytest.mark.slow
@pytest.mark.parametrize("spherical", [True, False])
def test_committee(spherical):
    start = [[0.5, 0.1], [0.1, 0.4]]
    problem = ("erf(z/sqrt(2))", "(erf(z1/sqrt(2)) + erf(z2/sqrt(2)))/2")
    cross = np.array(start) @ np.array(start).T
    np.fill_diagonal(cross, 1.0)
    flow = SGDFlow(*problem, loss="square", neurons=2, spherical=spherical)
    limit = flow.solve(rate=2.0, overlap=start, times=[1, 3], correlations=cross)
    found = simulate(
        "sgd", activation=problem[0], target=problem[1], loss="square", p=2, spherical=spherical, rate=2.0,
        overlap=start, time=[1, 3], d=500, seeds=100,
    )  # fmt: skip
    agrees(found.results["overlap"], limit.overlap, 500)
    if not spherical:
        agrees(found.results["cosine"], limit.cosine, 500)


@pytest.mark.slow
def test_second_layer_with_signs():
    start = [[0.5, 0.1], [0.1, 0.4]]
    flow = SGDFlow("z**2", "z1**2 - z2**2", loss="square", neurons=2, readout=[1, -1])
    limit = flow.solve(rate=0.1, overlap=start, times=1)
    found = simulate(
        "sgd", activation="z**2", target="z1**2 - z2**2", loss="square", p=2, readout=[1, -1], rate=0.1,
        overlap=start, time=1, d=300, seeds=40,
    )  # fmt: skip
    agrees(found.results["overlap"], limit.overlap, 300)


def test_shapes_follow_the_flow():
    one = simulate("sgd", **SMALL, seeds=2)
    assert list(one.results) == ["overlap", "largest_overlap", "null_overlap", "signal", "exceedance"]
    assert all(estimate.mean.shape == () for estimate in one.results.values())
    several = simulate("sgd", **{**SMALL, "target": "z1*z2", "time": [0.5, 1]}, p=3, spherical=False, seeds=2)
    shapes = {name: estimate.mean.shape for name, estimate in several.results.items()}
    assert shapes == {
        "overlap": (2, 3, 2), "cosine": (2, 3, 2), "norm": (2, 3),
        "largest_overlap": (2, 2), "null_overlap": (2, 2), "signal": (2, 2), "exceedance": (2, 2),
    }  # fmt: skip


def test_times_are_those_of_one_run_in_any_order():
    together = simulate("sgd", **{**SMALL, "time": [2, 0, 1, 1]}, overlap=0.3, seeds=2)
    apart = [simulate("sgd", **{**SMALL, "time": t}, overlap=0.3, seeds=2) for t in (2, 0, 1, 1)]
    for k, one in enumerate(apart):
        assert np.array_equal(together.samples["overlap"][:, k], one.samples["overlap"])
    assert np.allclose(together.samples["overlap"][:, 1], 0.3, atol=1e-14)
    assert np.all(together.samples["signal"][:, 1] == 1.0)  # nothing has moved


def test_parameters_and_pickling():
    found = simulate("sgd", **{**SMALL, "time": 0.51}, overlap=0.25, reuse=0.1, seeds=2)
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert document["parameters"] == {
        "activation": "tanh", "target": "z1", "d": 20, "p": 1, "rate": 1.0, "time": 0.5,
        "loss": "correlation", "readout": "ones", "noise": 0.0, "spherical": True, "dtype": "float64",
        "overlap": 0.25, "method": "extra-gradient", "reuse": 0.1, "seeds": 2, "first_seed": 0,
    }  # fmt: skip
    protocol = SGDProtocol.create(
        **{**SMALL, "activation": Activation("tanh"), "target": Target("z1")}, overlap=0.25
    )
    again = pickle.loads(pickle.dumps(protocol))
    assert np.array_equal(again.run(7)["overlap"], protocol.run(7)["overlap"])


def test_a_small_space_has_no_control_directions():
    found = simulate("sgd", **{**SMALL, "d": 2}, seeds=2)
    assert np.isnan(found.results["exceedance"].mean) and np.isfinite(found.results["overlap"].mean)
    assert not found.conclusions


def test_more_neurons_than_dimensions():
    found = simulate("sgd", **{**SMALL, "d": 6}, p=10, seeds=2)
    assert found.samples["overlap"].shape == (2, 10, 1) and not found.conclusions


def test_a_rate_that_diverges_is_not_hidden():
    found = simulate(
        "sgd", activation="z**3", target="He3(z1)", d=20, rate=50.0, time=20, loss="square", spherical=False,
        seeds=2,
    )  # fmt: skip
    assert np.all(np.isnan(found.samples["cosine"])) and np.all(np.isnan(found.samples["signal"]))
    assert found.to_dict()["results"]["overlap"]["mean"] is None and not found.conclusions


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"rate": 0}, "rate is 0: a number > 0 is accepted"),
        ({"time": [1, -1]}, "time is -1: a number >= 0 is accepted"),
        ({"loss": "hinge"}, "loss is 'hinge': accepted are 'correlation', 'square'"),
        ({"method": "sam"}, "method is 'sam': accepted are 'sgd', 'extra-gradient', 'batch-reuse'"),
        (
            {"method": "batch-reuse", "reuse": 0.5},
            "reuse is 0.5 with the method 'batch-reuse': it belongs to 'extra-gradient'",
        ),
        ({"d": 1}, "d is 1: a target of 1 directions takes at least 2"),
        (
            {"d": 4, "p": 4, "overlap": [[0.1]] * 4},
            "d is 4: given overlaps of 4 neurons with 1 directions take at least 5",
        ),
        ({"p": 3, "readout": [1, 2]}, "readout has 2 numbers: one for each of the 3 neurons is accepted"),
        ({"readout": "one"}, "readout is 'one': accepted are 'ones', 'signs', 'gaussian' and 1 numbers"),
        ({"overlap": 1.5}, "overlap is 1.5; accepted: -1 <= overlap <= 1"),
        ({"overlap": [0.1, 0.2]}, "overlap has shape (2,): one start is accepted"),
        (
            {"device": "torch"},
            "device is 'torch': one sample a step runs in a compiled loop, for which 'cpu' is accepted",
        ),
        ({"ridge": 1.0}, "ridge is given, but sgd takes none: it takes activation, target, d, rate, time, "
         "overlap, loss, reuse, method, p, readout, noise, spherical, chunk_rows, device, dtype"),
    ],
)  # fmt: skip
def test_bad_input(given, message, monkeypatch):
    from hermite_analytics.numeric.simulator import backend

    monkeypatch.setitem(backend.LOADERS, "torch", backend.LOADERS["cpu"])  # need not be installed
    with pytest.raises(InputError) as error:
        simulate("sgd", **{**SMALL, "seeds": 1, **given})
    assert str(error.value) == message


def test_activations_with_jumps_are_refused():
    with pytest.raises(UndefinedQuantity, match="gradient descent takes a continuous activation"):
        simulate("sgd", **{**SMALL, "activation": "sign(z)"}, seeds=1)
