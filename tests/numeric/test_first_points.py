"""Solvers give the same numbers by arrays, as users meet them first, and by compiled kernels."""

import numpy as np
import pytest

from hermite_analytics.codegen.auto_backend import tiers
from hermite_analytics.numeric import (
    Bounds,
    GiantStep,
    LargeStep,
    RandomFeatures,
    SGDFlow,
    SpikedRandomFeatures,
)
from hermite_analytics.numeric.models.spiked.tables import table

SPIKE = {"r": 1.2, "c": 1.1, "gamma": 0.9}


def spiked(activation, target):
    found = SpikedRandomFeatures(activation, target).solve(alpha=[0.5, 2.0], beta=1.0, ridge=0.1, **SPIKE)
    return [found.test_error, found.train_error]


def of_a_step():
    step = GiantStep("relu(z)", "z1 + He3(z1)/6").solve(alpha0=4, eta=2, beta=1)
    return [
        SpikedRandomFeatures("relu(z)", "z1 + He3(z1)/6").solve(step=step, alpha=2.0, ridge=0.1).test_error
    ]


SOLVED = {
    "tanh": lambda: spiked("tanh(z)", "sin(z1)"),
    "kinks": lambda: spiked("abs(z-1/3)", "sign(z1)*z1**2"),
    "rows of a step": of_a_step,
    "bounds": lambda: [Bounds("tanh(z)", "sin(z1)").solve(**SPIKE).upper],
    "large step": lambda: [LargeStep("erf(z)", "sin(z1)").solve().tau],
    "margins": lambda: [
        RandomFeatures("erf(z)", "sin(z1)", loss="huber:1").solve(alpha=1.0, beta=1.0, ridge=0.1).test_error
    ],
    "flow": lambda: [SGDFlow("tanh(z)", "He3(z1)").solve(rate=0.1, times=[2.0], overlap=0.3).overlap],
}


@pytest.mark.cases(1)
@pytest.mark.parametrize("name", SOLVED)
def test_the_numbers_are_those_of_compiled_kernels(name, monkeypatch):
    table.cache_clear()
    monkeypatch.setattr(tiers, "FEW_POINTS", 0)
    monkeypatch.setattr(tiers, "FEW_VALUES", 0)
    compiled = SOLVED[name]()
    table.cache_clear()
    monkeypatch.setattr(tiers, "FEW_POINTS", 10**9)
    monkeypatch.setattr(tiers, "FEW_VALUES", 10**9)
    by_arrays = SOLVED[name]()
    table.cache_clear()
    for a, b in zip(by_arrays, compiled, strict=True):
        np.testing.assert_allclose(np.asarray(a, float), np.asarray(b, float), rtol=1e-11)
