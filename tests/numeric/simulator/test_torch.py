"""The protocols on torch: the same seeds give the numbers of numpy."""

import importlib.util

import numpy as np
import pytest

from hermite_analytics.numeric import simulate

pytestmark = pytest.mark.skipif(  # asked without loading it: every process collects
    importlib.util.find_spec("torch") is None,
    reason="torch is not installed: pip install hermite-analytics[gpu]",
)


STEPS = {
    "target": "z1+He2(z1)+z2-He2(z2) + xi/3",
    "d": 60,
    "p": 20,
    "n": [15, 480],
    "ridge": [0.1, 1.0],
    "letters": {(1.0, 0.2): 0.5, (2.0, -0.1): 0.5},
    "steps": 2,
    "seeds": 2,
    "n_test": 200,
    "chunk_rows": 100,
}
FEATURES = {
    "activation": "tanh",
    "target": "sin(z1)",
    "d": 60,
    "beta": 1,
    "alpha": [0.5, 2],
    "r": 1,
    "c": 1.1,
    "gamma": 0.5,
    "seeds": 2,
    "n_test": 200,
}


def differences(protocol, parameters, device):
    ours, theirs = (simulate(protocol, **parameters, device=where) for where in ("cpu", device))
    return {name: np.max(np.abs(ours.samples[name] - theirs.samples[name])) for name in ours.samples}


@pytest.mark.parametrize("activation", ["relu", "tanh", "erf(z)"])
def test_giant_step(activation):
    for dtype, overlaps, errors in (("float64", 1e-10, 1e-10), ("float32", 1e-5, 1e-3)):
        found = differences("giant-step", {**STEPS, "activation": activation, "dtype": dtype}, "torch")
        assert max(found["overlap"], found["span"]) < overlaps
        assert max(found["test_error"], found["train_error"]) < errors


@pytest.mark.parametrize("ridges", [2, 16])
def test_spiked_random_features(ridges):
    found = differences(
        "spiked-random-features", {**FEATURES, "ridge": list(np.geomspace(0.01, 1, ridges))}, "torch"
    )
    assert max(found.values()) < 1e-10


@pytest.mark.gpu
def test_on_a_device():
    import torch

    if not torch.cuda.is_available():
        pytest.skip("torch sees no CUDA device")
    for dtype, overlaps in (("float64", 1e-10), ("float32", 1e-5)):
        found = differences("giant-step", {**STEPS, "activation": "tanh", "dtype": dtype}, "cuda")
        assert max(found["overlap"], found["span"]) < overlaps
