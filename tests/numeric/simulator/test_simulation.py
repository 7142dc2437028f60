"""`simulate`: seeds, estimates, their JSON form, interruption, and what is refused."""

import inspect
import json
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from hermite_analytics import Activation, Target
from hermite_analytics.errors import HermiteAnalyticsError, InputError
from hermite_analytics.numeric.protocols.giant_step.protocol import GiantStepProtocol
from hermite_analytics.numeric.simulator import (
    PROTOCOLS,
    Estimate,
    SimulationProtocol,
    protocol_class,
    simulate,
)

GIANT = {
    "activation": "tanh",
    "target": "sin(z1)",
    "d": 30,
    "seeds": 3,
    "alpha0": 2,
    "beta": 1,
    "alpha": [0.5, 1.5],
    "eta": 1.0,
    "ridge": 0.1,
    "n_test": 50,
}
SPIKED = {
    "activation": Activation("tanh"),
    "target": Target("sin(z1)"),
    "d": 30,
    "seeds": 3,
    "r": 1.0,
    "c": 1.2,
    "gamma": 0.8,
    "beta": 1,
    "alpha": 1.5,
    "ridge": 0.1,
    "n_test": 50,
}


def test_estimate():
    estimate = Estimate.of(np.array([[1.0, 5.0], [3.0, 5.0], [5.0, 5.0]]))
    assert np.array_equal(estimate.mean, [3.0, 5.0])
    assert np.allclose(estimate.stderr, [2 / np.sqrt(3), 0.0])
    assert estimate.to_json() == [
        {"mean": 3.0, "stderr": pytest.approx(2 / np.sqrt(3)), "seeds": 3},
        {"mean": 5.0, "stderr": 0.0, "seeds": 3},
    ]
    assert Estimate.of(np.array([np.nan])).to_json() == {"mean": None, "stderr": None, "seeds": 1}


def test_json_form_of_giant_step():
    simulation = simulate("giant-step", **GIANT)
    document = json.loads(json.dumps(simulation.to_dict(), allow_nan=False))
    assert list(document) == [
        *("schema_version", "versions"),
        *("protocol", "parameters", "results", "device", "seconds", "seeds_together", "interrupted"),
    ]
    assert list(document["results"]) == [
        *("r", "c", "gamma", "c_spike", "c_target", "test_error", "train_error", "square_error"),
        *("overlap", "exceedance", "span", "learned"),
    ]
    assert set(document["results"]["r"]) == {"mean", "stderr", "seeds"}
    assert [point["seeds"] for point in document["results"]["test_error"]] == [3, 3]  # one for each alpha
    assert document["results"]["overlap"][0][0]["seeds"] == 3  # [step][direction]
    assert document["parameters"] == {
        "activation": "tanh",
        "target": "sin(z1)",
        "d": 30,
        "n0": 60,
        "p": 30,
        "n": [15, 45],
        "alpha0": 2.0,
        "beta": 1.0,
        "alpha": [0.5, 1.5],
        "eta": 1.0,
        "step_convention": "paper",
        "effective_step": 1.0,
        "steps": 1,
        "batch": "fresh",
        "init": "equal",
        "letters": "1:1",
        "bias": [0.0],
        "bias_from": "start",
        "directions": [[1.0]],
        "ridge": 0.1,
        "noise": 0.0,
        "loss": "square",
        "n_test": 50,
        "dtype": "float64",
        "gram_dtype": "float64",
        "seeds": 3,
        "first_seed": 0,
    }
    assert document["device"] == "cpu" and document["seconds"] > 0 and document["interrupted"] is False


def test_json_form_of_spiked_random_features():
    results = simulate("spiked-random-features", **SPIKED).to_dict()["results"]
    assert list(results) == ["test_error", "train_error", "square_error", "overlaps"]
    assert list(results["overlaps"]) == ["m", "zeta", "psi", "q1", "q2"]
    assert results["overlaps"]["zeta"]["seeds"] == 3


def test_one_seed_has_no_standard_error():
    result = simulate("giant-step", **{**GIANT, "seeds": 1})
    assert result.results["r"].stderr is None
    assert result.to_dict()["results"]["test_error"][0]["stderr"] is None


def test_seeds_are_independent_of_their_company():
    together = simulate("giant-step", **GIANT, seeds_together=1)
    apart = [simulate("giant-step", **{**GIANT, "seeds": 1, "first_seed": k}) for k in range(3)]
    for name, values in together.samples.items():
        assert np.array_equal(values, np.concatenate([one.samples[name] for one in apart]))


def test_seeds_may_run_at_the_same_time():
    parameters = {name: value for name, value in GIANT.items() if name != "seeds"}
    parameters |= {name: SPIKED[name] for name in ("activation", "target")}
    protocol = GiantStepProtocol.create(**parameters)
    with ThreadPoolExecutor(2) as pool:
        concurrent = list(pool.map(protocol.run, range(6)))
    for seed, sample in enumerate(concurrent):
        assert np.array_equal(sample["test_error"], protocol.run(seed)["test_error"])


def test_results_are_read_only_and_pickle():
    simulation = simulate("spiked-random-features", **SPIKED)
    with pytest.raises(ValueError, match="read-only"):
        simulation.samples["m"][0] = 1
    with pytest.raises(TypeError):
        simulation.samples["m"] = 1
    with pytest.raises(ValueError, match="read-only"):
        simulation.results["m"].mean[...] = 1
    copy = pickle.loads(pickle.dumps(simulation))
    assert copy.to_dict() == simulation.to_dict()
    assert np.array_equal(copy.samples["m"], simulation.samples["m"])
    with pytest.raises(ValueError, match="read-only"):
        copy.samples["m"][0] = 1


def test_progress_and_interruption():
    calls = []
    one_by_one = {**GIANT, "seeds_together": 1}
    simulate("giant-step", **one_by_one, progress=lambda done, total: calls.append((done, total)))
    assert calls == [(1, 3), (2, 3), (3, 3)]

    def interrupt_after_two(done, total):
        if done == 2:
            raise KeyboardInterrupt

    partial = simulate("giant-step", **one_by_one, progress=interrupt_after_two)
    assert partial.interrupted and partial.seeds == 2
    whole = simulate("giant-step", **one_by_one)
    assert np.array_equal(partial.samples["r"], whole.samples["r"][:2])


def test_interruption_of_the_first_seed_is_passed_on(monkeypatch):
    def interrupt(self, seed):
        raise KeyboardInterrupt

    monkeypatch.setattr(GiantStepProtocol, "run", interrupt)
    with pytest.raises(KeyboardInterrupt):
        simulate("giant-step", **GIANT)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_every_protocol_is_known_by_its_name(name):
    found = protocol_class(name)
    assert issubclass(found, SimulationProtocol) and found.name == name
    accepted = set(inspect.signature(found.create).parameters)
    assert {"d", "device", "dtype"} <= accepted
    # those of `simulate` itself
    assert not {"protocol", "seeds", "first_seed", "seeds_together", "progress"} & accepted
    assert {axis for axes in found.axes.values() for axis in axes} <= accepted


@pytest.mark.parametrize(
    ("protocol", "parameters", "message"),
    [
        ("giant", GIANT, f"protocol is 'giant': accepted are {', '.join(map(repr, PROTOCOLS))}"),
        ("giant-step", {**GIANT, "seeds": 0}, "seeds is 0: an integer >= 1 is accepted"),
        ("giant-step", {**GIANT, "first_seed": -1}, "first_seed is -1: an integer >= 0 is accepted"),
        (
            "giant-step",
            {**GIANT, "first_seed": 2**32 - 1},
            "seeds 4294967295 to 4294967297 are asked for: they end at 2**32 - 1",
        ),
        ("giant-step", {**GIANT, "d": None}, "giant-step needs d, which is not given"),
        (
            "giant-step",
            {**GIANT, "device": "gpu"},
            "device is 'gpu': accepted are 'cpu', 'torch', 'cuda', 'cupy' and 'cuda:<number>'",
        ),
        ("giant-step", {**GIANT, "dtype": "int8"}, "dtype is 'int8': accepted are 'float64', 'float32'"),
        (
            "spiked-random-features",
            {**SPIKED, "eta": 1.0},
            "eta is given, but spiked-random-features takes none: it takes activation, target, d, r, c, "
            "gamma, ridge, beta, p, alpha, n, noise, loss, letters, bias, flips, n_test, chunk_rows, device, "
            "dtype",
        ),
    ],
)
def test_bad_input(protocol, parameters, message):
    with pytest.raises(InputError) as error:
        simulate(protocol, **parameters)
    assert str(error.value) == message


def test_errors_of_texts_are_of_the_family():
    with pytest.raises(HermiteAnalyticsError):
        simulate("giant-step", **{**GIANT, "activation": "tanh(q)"})


def test_what_cannot_fit_is_refused_before_any_work(monkeypatch):
    monkeypatch.setattr(GiantStepProtocol, "run", lambda self, seed: pytest.fail("it was run"))
    large = {**GIANT, "d": 10**6, "beta": 1, "n_test": 50}
    with pytest.raises(InputError, match=r"^this size needs \d+\.\d GB of memory, and device 'cpu' has"):
        simulate("giant-step", **large)


def test_products_are_counted():
    found = simulate("giant-step", **{**GIANT, "alpha": 1.5})
    d, p, n0, n, n_test = 30, 30, 60, 45, 50
    assert found.products == 3 * (4 * n0 * d * p + 2 * (n + n_test) * d * p + n * p * p)
    assert found.rate == pytest.approx(1e-9 * found.products / found.seconds)
