"""Arrays for the first points, compiled loops for many: the same numbers, and no compiling before it pays."""

from __future__ import annotations

import pickle
import sys

import numpy as np
import pytest
import sympy

import hermite_analytics as ha
from hermite_analytics import Activation, c, kappa, r
from hermite_analytics.codegen.auto_backend import tiers
from hermite_analytics.codegen.cache import source_name
from hermite_analytics.codegen.kernel import Kernel
from hermite_analytics.errors import InputError

POINTS = np.linspace(-3.0, 3.0, 41)


@pytest.fixture
def first_arrays(monkeypatch):
    monkeypatch.setattr(tiers, "FEW_POINTS", 20_000)
    monkeypatch.setattr(tiers, "FEW_VALUES", 20_000)


@pytest.fixture
def empty_cache(tmp_path, monkeypatch, first_arrays):
    monkeypatch.setenv("HERMITE_ANALYTICS_CACHE", str(tmp_path / "kernels"))


def kernel(text: str, backend: str = "auto") -> Kernel:
    """A new kernel: `compile` remembers those that it made, with the points they were asked for."""
    made = ha.compile(ha.conditional_coefficients(Activation(text)), (kappa, c, r), backend=backend)
    sources = [made.source] if backend != "auto" else [made.source, compiled_source(made)]
    for source in sources:
        sys.modules.pop(source_name(source), None)
    return pickle.loads(pickle.dumps(made))


def compiled_source(found: Kernel) -> str:
    return found._module.COMPILED.lstrip("\n")


def largest_difference(values, others) -> float:
    return max(float(np.max(np.abs(a - b) / (1e-3 + np.abs(b)))) for a, b in zip(values, others, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("text", ["tanh(z)", "relu(z)", "abs(z-1/3)*z"])
def test_few_points_compile_nothing(text, empty_cache):
    found = kernel(text)
    values = found(POINTS, 1.3, 0.8)
    assert found.answered_by == "array"
    assert source_name(compiled_source(found)) not in sys.modules
    few = POINTS[::20]
    reference = kernel(text, "python")(few, 1.3, 0.8)
    assert largest_difference([v[::20] for v in values], [np.asarray(v, float) for v in reference]) < 1e-11


@pytest.mark.slow
def test_many_points_are_compiled(empty_cache, monkeypatch):
    monkeypatch.setattr(tiers, "FEW_POINTS", 100)
    found = kernel("cos(z)")
    first = found(POINTS, 1.3, 0.8)
    assert found.answered_by == "array"
    found(POINTS, 1.3, 0.8)
    last = found(POINTS, 1.3, 0.8)  # 123 points so far
    assert found.answered_by == "numba"
    assert largest_difference(first, last) < 1e-12
    again = kernel("cos(z)")  # as another process: the same digits, though the machine code is there
    assert [np.array_equal(a, b) for a, b in zip(again(POINTS, 1.3, 0.8), first, strict=True)] == [True] * 3


def test_shared_work_is_compiled_from_its_first_point(empty_cache):
    found = kernel("cos(z)")
    by_arrays = found(POINTS, 1.3, 0.8)
    again = kernel("cos(z)")
    with tiers.compiled_at_once():
        compiled = again(POINTS, 1.3, 0.8)
    assert (found.answered_by, again.answered_by) == ("array", "numba")
    assert largest_difference(by_arrays, compiled) < 1e-12
    again(POINTS, 1.3, 0.8)
    assert again.answered_by == "array"


def test_points_that_arrays_leave_open_are_compiled(empty_cache, monkeypatch):
    found = kernel("sin(z)")
    answer = tiers.ArrayBackEnd.evaluate

    def leaving_one_open(self, module, outputs, values):
        rows = [np.array(row) for row in answer(self, module, outputs, values)]
        rows[0][3] = np.nan
        return rows

    monkeypatch.setattr(tiers.ArrayBackEnd, "evaluate", leaving_one_open)
    values = found(POINTS, 1.3, 0.8)
    assert found.answered_by == "numba" and np.all(np.isfinite(values.mu0))


def test_shapes_and_poles(empty_cache):
    found = kernel("tanh(3*z)")
    assert np.shape(found(0.5, 1.0, 1.0).mu1) == ()
    assert found(POINTS[:, None], np.array([0.5, 1.0]), 1.0).mu1.shape == (41, 2)
    assert found(np.empty(0), 1.0, 1.0).mu1.shape == (0,)
    x = ha.Activation("z").expression
    (free,) = x.free_symbols
    pole = ha.compile(1 / x, (free,), backend="auto")
    assert pole(np.array([0.0, 2.0])).tolist() == [np.inf, 0.5]  # as compiled loops, without a warning


def test_no_scalar_function(empty_cache):
    with pytest.raises(InputError, match="has no scalar function"):
        kernel("erf(z)").scalar  # noqa: B018


@pytest.mark.slow
def test_points_of_many_nodes_are_compiled(first_arrays, monkeypatch):
    """c = 10^4 makes tanh a step of width 1/100, and arrays would give its nodes to every point."""
    asked = []
    answer = tiers.ArrayBackEnd.evaluate

    def counted(self, module, outputs, values):
        asked.append(1)
        return answer(self, module, outputs, values)

    monkeypatch.setattr(tiers.ArrayBackEnd, "evaluate", counted)
    found = kernel("tanh(z)")
    values = found(POINTS, 1e4, 0.8)
    found(POINTS, 1.3, 0.8)
    assert found.answered_by == "numba" and len(asked) == 1
    assert np.allclose(values.mu1, np.sqrt(2 / np.pi / 1e4), rtol=1e-3)  # of a sign


def test_a_step_too_small_is_no_crash(empty_cache):
    """Arrays leave such points open: NaN, where they once raised."""
    found = kernel("tanh(z)", "array")
    assert np.isnan(found(POINTS, 1e10, 0.8).mu1).all()


def test_where_someone_waits_kernels_are_compiled_in_between(empty_cache, monkeypatch):
    monkeypatch.setattr(tiers, "FEW_POINTS", 500)
    found = kernel("sin(z) + z")
    with tiers.compiled_when_idle():
        first = found(POINTS, 1.3, 0.8)
        assert not tiers.compile_waiting()
        found(POINTS, 1.3, 0.8)  # 82 points, more than a tenth as many
        assert found.answered_by == "array"
        assert tiers.compile_waiting()
        assert not tiers.compile_waiting()
        compiled = sys.modules[source_name(compiled_source(found))]
        signatures = [list(f.signatures) for f in (compiled.over_arrays, compiled.repair)]
        last = found(POINTS, 1.3, 0.8)
        assert found.answered_by == "numba"
        assert [list(f.signatures) for f in (compiled.over_arrays, compiled.repair)] == signatures
        assert all(signatures)
    assert largest_difference(first, last) < 1e-12


def test_a_kernel_does_not_wait_for_ever(empty_cache, monkeypatch):
    monkeypatch.setattr(tiers, "FEW_POINTS", 5)
    found = kernel("sin(z) + z")
    with tiers.compiled_when_idle():
        found(POINTS, 1.3, 0.8)
        assert found.answered_by == "array"
        found(POINTS, 1.3, 0.8)  # 82 points, more than ten times as many
        assert found.answered_by == "numba"
        assert tiers.compile_waiting()  # it costs nothing any more
        assert not tiers.compile_waiting()


def test_values_without_quadratures_stay_arrays_for_long(empty_cache, monkeypatch):
    """A point takes a thousandth of the time: so many that compiling pays are many more."""
    monkeypatch.setattr(tiers, "FEW_POINTS", 5)
    monkeypatch.setattr(tiers, "FEW_VALUES", 100)
    (x,) = ha.Activation("tanh(z)").expression.free_symbols
    made = ha.compile(sympy.tanh(x) ** 2 + x, (x,), backend="auto")
    sys.modules.pop(source_name(made.source), None)
    plain = pickle.loads(pickle.dumps(made))
    first = plain(POINTS)
    plain(POINTS)
    assert plain.answered_by == "array"  # 82 points
    last = plain(POINTS)
    assert plain.answered_by == "numba"
    assert np.allclose(first, last, rtol=1e-14)
