"""Rows on other places than the processor's memory: the same numbers, up to rounding."""

import numpy as np
import pytest

from hermite_analytics.errors import InputError
from hermite_analytics.numeric import DMFT, simulate
from hermite_analytics.numeric.simulator.backend import resolve_backend

CASES = {
    "full": (("tanh", "He3(z1)"), {"steps": 3}),
    "two neurons, mini-batches": (
        ("relu", "z1 + z1*z2", (1, -1)),
        {"steps": 3, "schedule": "minibatch:0.5", "momentum": 0.3, "readout_eta": 0.2},
    ),
    "noise in the label, logistic": (
        ("tanh", "sign(z1 + xi/2)", (1,), "logistic"),
        {"steps": 2, "schedule": "extra-gradient:0.2"},
    ),
    "look-ahead, additive noise": (
        ("tanh", "tanh(z1) + xi/3", (1,), "square", 0.5),
        {"steps": 2, "noise": 0.1, "spherical": True},
    ),
}


def device_or_skip(device):
    try:
        resolve_backend(device)
    except InputError as error:
        pytest.skip(str(error))


def differences(name, device):
    model, options = CASES[name]
    training = {"alpha": 3, "eta": 0.2, **options}
    here, there = (
        DMFT(*model).sample(d=400, seeds=range(2), device=where, **training) for where in ("cpu", device)
    )
    for quantity in ("overlap", "correlation", "trained_readout", "train_error", "train_loss"):
        yield np.max(np.abs(getattr(here, quantity) - getattr(there, quantity)))


@pytest.mark.parametrize("name", CASES)
def test_exact_law_on_torch(name):
    device_or_skip("torch")
    assert max(differences(name, "torch")) < 1e-11


@pytest.mark.gpu
@pytest.mark.parametrize("device", ["cuda", "cupy"])
@pytest.mark.parametrize("name", CASES)
def test_exact_law_on_a_device(name, device):
    device_or_skip(device)
    assert max(differences(name, device)) < 1e-10


SOLVES = {
    "sampled steps": (("tanh", "He3(z1)"), {"steps": 7, "tolerance": 0.01}),
    "a long run": (("tanh", "tanh(z1)"), {"steps": 40, "tolerance": 0.05}),
    "each sample once": (("tanh", "tanh(z1)"), {"steps": 40, "schedule": "one-pass:0.5", "tolerance": 0.05}),
}


def solved(name, device):
    model, options = SOLVES[name]
    training = {"eta": 0.2, **({} if "once" in name else {"alpha": 3.0}), **options}
    return DMFT(*model).solve(device=device, seconds=200, **training)


@pytest.mark.slow
@pytest.mark.parametrize("name", SOLVES)
def test_limit_on_torch(name):
    device_or_skip("torch")
    here, there = solved(name, "cpu"), solved(name, "torch")
    assert "sobol" in here.averages and here.status == there.status == "converged"
    for quantity in ("overlap", "norm", "train_error", "numerical_error"):
        assert np.allclose(getattr(here, quantity), getattr(there, quantity), rtol=0, atol=1e-9)


@pytest.mark.gpu
@pytest.mark.parametrize("device", ["cuda", "cupy"])
@pytest.mark.parametrize("name", SOLVES)
def test_limit_on_a_device(name, device):
    device_or_skip(device)
    here, there = solved(name, "cpu"), solved(name, device)
    assert here.status == there.status == "converged"
    for quantity in ("overlap", "norm", "train_error", "numerical_error"):
        assert np.allclose(getattr(here, quantity), getattr(there, quantity), rtol=0, atol=1e-8)


@pytest.mark.gpu
@pytest.mark.parametrize("exact_law", [True, False])
def test_the_protocol_on_a_device(exact_law):
    device_or_skip("cuda")
    given = {"activation": "tanh", "target": "He3(z1)", "alpha": 3, "eta": 0.2, "steps": 2, "d": 100}
    here, there = (
        simulate("full-batch", seeds=2, exact_law=exact_law, device=where, **given)
        for where in ("cpu", "cuda")
    )
    for quantity, samples in here.samples.items():
        assert np.allclose(samples, there.samples[quantity], rtol=0, atol=1e-9), quantity


def test_a_device_that_is_not_there():
    model = DMFT("tanh", "tanh(z1)")
    with pytest.raises(InputError, match=r"^device is 'gpu': accepted are 'cpu', 'torch', 'cuda', 'cupy'"):
        model.solve(alpha=3, eta=0.2, steps=2, device="gpu")
    with pytest.raises(InputError, match=r"^device is 'gpu': accepted are"):
        model.sample(d=30, alpha=3, eta=0.2, steps=2, device="gpu")
