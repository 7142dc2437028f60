"""Random expressions on every back end, against values that were built beside them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import array_api_strict
import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray

import hermite_analytics as ha
from tests.symbolic.codegen.drawn import ROUNDING, SYMBOLS, Rounded, batch

Array = NDArray[np.float64]
BATCH = 20
BATCHES = [(seed, 1 + seed % 3) for seed in range(15)]  # 300 expressions in 1 to 3 symbols
NUMBA_SEEDS = [1]


def points(seed: int, symbols: int, count: int = 6) -> Array:
    """Multiples of 1/64: exact in float32 too."""
    return np.round(np.random.default_rng(seed).uniform(-3.0, 3.0, (symbols, count)) * 64) / 64


@functools.cache
def references(seed: int, symbols: int, unit: Any, count: int = BATCH) -> list[list[Rounded]]:
    with mpmath.workdps(30):
        return [
            [d.evaluate([mpmath.mpf(float(x)) for x in p], unit) for p in points(seed, symbols).T]
            for d in batch(seed, symbols, count).values()
        ]


def kernel(seed: int, symbols: int, backend: str, count: int = BATCH) -> Any:
    expressions = {name: d.expression for name, d in batch(seed, symbols, count).items()}
    return ha.compile(expressions, SYMBOLS[:symbols], backend=backend)


def check(
    evaluate: Callable[..., Any],
    seed: int,
    symbols: int,
    *,
    relative: float = 1e-12,
    smallest: float = 0.0,
    unit: Any = ROUNDING,
    count: int = BATCH,
) -> None:
    """To `relative`, and where that is below 8 times the rounding of a computation, to that."""
    found = evaluate(*points(seed, symbols))
    exact = references(seed, symbols, unit, count)
    well_conditioned = total = 0
    for name, values, row in zip(batch(seed, symbols, count), found, exact, strict=True):
        for value, reference in zip(values, row, strict=True):
            rounding = 8 * reference.error
            tolerance = relative * abs(reference.value) + rounding + smallest
            assert abs(float(value) - reference.value) <= tolerance, name
            well_conditioned += rounding <= 5000 * unit * abs(reference.value)
            total += 1
    assert well_conditioned > 0.7 * total


@pytest.mark.slow
@pytest.mark.draws(4)
@pytest.mark.parametrize(("seed", "symbols"), BATCHES)
def test_numpy(seed: int, symbols: int) -> None:
    check(kernel(seed, symbols, "array"), seed, symbols)


@pytest.mark.cases(1)
@pytest.mark.draws(4)
@pytest.mark.parametrize(("seed", "symbols"), BATCHES)
def test_standalone(seed: int, symbols: int) -> None:
    check(kernel(seed, symbols, "standalone"), seed, symbols)


@pytest.mark.cases(1)
@pytest.mark.draws(4)
@pytest.mark.parametrize(("seed", "symbols"), BATCHES)
def test_strict_namespace(seed: int, symbols: int) -> None:
    compiled = kernel(seed, symbols, "array")
    check(lambda *p: compiled(*(array_api_strict.asarray(x) for x in p)), seed, symbols)


@pytest.mark.slow
def test_torch() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    for seed, symbols in BATCHES[:3]:
        compiled = kernel(seed, symbols, "array")
        check(lambda *p, compiled=compiled: compiled(*(torch.asarray(x) for x in p)), seed, symbols)


@pytest.mark.slow
@pytest.mark.draws(4)
@pytest.mark.parametrize(("seed", "symbols"), BATCHES[:5])
def test_python(seed: int, symbols: int) -> None:
    """The reference rounds once, at the end."""
    check(kernel(seed, symbols, "python"), seed, symbols, relative=1e-15)


@pytest.mark.slow
@pytest.mark.draws(3)
@pytest.mark.parametrize(("seed", "symbols"), BATCHES[5:])
def test_python_in_full(seed: int, symbols: int) -> None:
    check(kernel(seed, symbols, "python"), seed, symbols, relative=1e-15)


@pytest.mark.slow
@pytest.mark.draws(4)
@pytest.mark.parametrize("namespace", [np, array_api_strict], ids=["numpy", "strict"])
@pytest.mark.parametrize(("seed", "symbols"), BATCHES[:6])
def test_single_precision(seed: int, symbols: int, namespace: Any) -> None:
    compiled = kernel(seed, symbols, "array")

    def evaluate(*values: Array) -> Any:
        found = compiled(*(namespace.asarray(x, dtype=namespace.float32) for x in values))
        assert all(v.dtype == namespace.float32 for v in found)
        return found

    check(evaluate, seed, symbols, relative=1e-5, smallest=1e-37, unit=mpmath.mpf(2) ** -23)


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "symbols"), [b for b in BATCHES if b[0] in NUMBA_SEEDS])
def test_numba(seed: int, symbols: int) -> None:
    check(kernel(seed, symbols, "numba", 6), seed, symbols, count=6)


@pytest.mark.slow
@pytest.mark.draws(1)
@pytest.mark.parametrize(("seed", "symbols"), BATCHES[2:] + BATCHES[:2])
def test_numba_in_full(seed: int, symbols: int) -> None:
    compiled = kernel(seed, symbols, "numba")
    check(compiled, seed, symbols)

    def by_points(*values: Array) -> Any:
        return np.asarray([compiled.scalar(*p) for p in zip(*values, strict=True)]).T

    check(by_points, seed, symbols)


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "symbols"), BATCHES[:3])
def test_cuda(seed: int, symbols: int) -> None:
    check(kernel(seed, symbols, "cuda", 12), seed, symbols, count=12)


@pytest.mark.slow
@pytest.mark.draws(3)
@pytest.mark.parametrize(("seed", "symbols"), BATCHES[3:])
def test_cuda_in_full(seed: int, symbols: int) -> None:
    check(kernel(seed, symbols, "cuda"), seed, symbols)
