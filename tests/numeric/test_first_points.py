"""Solvers give the same numbers by arrays, as users meet them first, and by compiled kernels."""

import numpy as np
import pytest

from hermite_analytics.codegen.auto_backend import tiers
from hermite_analytics.foundation import kernels_on_disk
from hermite_analytics.foundation.kernels_on_disk import Kernel
from hermite_analytics.numeric import (
    Bounds,
    GiantStep,
    LargeStep,
    RandomFeatures,
    SGDFlow,
    SpikedRandomFeatures,
)
from hermite_analytics.numeric.models.spiked import evaluation
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
    monkeypatch.setattr(tiers, "FEW_SOLUTIONS", 0)
    compiled = SOLVED[name]()
    table.cache_clear()
    monkeypatch.setattr(tiers, "FEW_POINTS", 10**9)
    monkeypatch.setattr(tiers, "FEW_VALUES", 10**9)
    monkeypatch.setattr(tiers, "FEW_SOLUTIONS", 10**9)
    by_arrays = SOLVED[name]()
    table.cache_clear()
    for a, b in zip(by_arrays, compiled, strict=True):
        np.testing.assert_allclose(np.asarray(a, float), np.asarray(b, float), rtol=1e-11)


def test_saddle_points_need_no_compiler_until_there_are_many(monkeypatch):
    """With noise, with and without a ridge, on either side of interpolation."""
    solver = SpikedRandomFeatures("relu(z)", "sin(z1) + He2(z1)")
    points = {
        "alpha": np.array([0.3, 0.9, 1.1, 3.0]),
        "beta": 1.0,
        "ridge": np.array([[0.0], [0.1]]),
    }

    def solved():
        return solver.solve(**points, noise=0.2, **SPIKE)

    monkeypatch.setattr(tiers, "FEW_SOLUTIONS", 0)
    compiled = solved()
    monkeypatch.setattr(tiers, "FEW_SOLUTIONS", 10**9)
    asked = []
    made = Kernel.dispatcher.fget
    monkeypatch.setattr(Kernel, "dispatcher", property(lambda self: asked.append(self) or made(self)))
    by_arrays = solved()
    assert not asked
    np.testing.assert_array_equal(by_arrays.status, compiled.status)
    for name in ("test_error", "train_error"):
        np.testing.assert_allclose(getattr(by_arrays, name), getattr(compiled, name), rtol=1e-11, atol=1e-14)
    for name, value in by_arrays.overlaps.items():
        np.testing.assert_allclose(value, compiled.overlaps[name], rtol=1e-11, atol=1e-14)
    with tiers.compiled_at_once():
        solved()
    assert asked
    monkeypatch.setattr(tiers, "FEW_SOLUTIONS", evaluation.SOLUTIONS.asked)
    asked.clear()
    solved()
    assert asked  # those asked before are counted


@pytest.mark.parametrize("what", ["raises", "is no number"])
def test_what_python_cannot_compute_is_compiled(what, monkeypatch):
    """The square root of a negative number is NaN in compiled loops; products may underflow otherwise."""
    monkeypatch.setattr(tiers, "FEW_SOLUTIONS", 10**9)
    asked = []

    solve = evaluation.solve_points

    def failing(*arguments):
        out, code, by_arrays = arguments[9], arguments[12], kernels_on_disk._BY_ARRAYS.get()
        asked.append((by_arrays, arguments[8].copy()))
        solve(*arguments)
        if by_arrays:
            arguments[8][:], out[:], code[:] = 7.0, np.nan, 0
            if what == "raises":
                raise ValueError("math domain error")

    points = {"alpha": [0.5, 2.0], "beta": 1.0, "ridge": 0.1}
    expected = SpikedRandomFeatures("tanh(z)", "sin(z1)").solve(**points, **SPIKE)
    monkeypatch.setattr(evaluation, "solve_points", failing)
    found = SpikedRandomFeatures("tanh(z)", "sin(z1)").solve(**points, **SPIKE)
    np.testing.assert_allclose(found.test_error, expected.test_error, rtol=1e-11)
    for (first, start), (second, again) in zip(asked[::2], asked[1::2], strict=True):
        assert first and not second
        np.testing.assert_array_equal(start, again)
