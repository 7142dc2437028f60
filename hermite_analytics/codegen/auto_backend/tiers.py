"""Which of two evaluations of the same formulas answers a call."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar
from types import ModuleType
from typing import Literal

import numpy as np

from hermite_analytics.codegen.array_backend.back_end import ArrayBackEnd
from hermite_analytics.codegen.array_backend.quadrature import TooManyNodes, nodes_limited
from hermite_analytics.codegen.cache import load_module
from hermite_analytics.codegen.numba_backend.back_end import NumbaBackEnd
from hermite_analytics.foundation.arrays import Floats, Values

__all__ = [
    "FEW_POINTS",
    "FEW_SOLUTIONS",
    "FEW_VALUES",
    "Solutions",
    "Tiers",
    "compile_waiting",
    "compiled_at_once",
    "compiled_when_idle",
]

FEW_POINTS = 20_000
"""Points of a kernel with quadratures in one process before its loops are compiled.

A point of a quadrature takes arrays up to 30 us and compiled loops a tenth of it; compiling takes 3 to 10 s.
"""
FEW_VALUES = 10_000_000
"""The same of a kernel without quadratures: a point takes arrays .02 to .3 us, compiling 1 to 3 s."""
FEW_SOLUTIONS = 300
"""Saddle points that a process solves by arrays: one takes 1 ms, loading loops .4 s, compiling them 3 s."""
_SOONER = 10  # times, where nobody waits for the compiler: after a few moves of a slider
_PATIENCE = 10  # times as many where compiling waits: arrays have then taken as long as it would
_MOST_NODES = 4_000  # of a quadrature: .1 s for some hundred points
_CHUNK = 2_048  # points of one array: what is summed over nodes stays in the processor's cache
_When = Literal["at once", "after some points", "when idle"]
_WHEN: ContextVar[_When] = ContextVar("_WHEN", default="after some points")
_WAITING: dict[str, Tiers] = {}  # by their sources


@contextmanager
def _compiled(when: _When) -> Iterator[None]:
    token = _WHEN.set(when)
    try:
        yield
    finally:
        _WHEN.reset(token)


def compiled_at_once() -> AbstractContextManager[None]:
    """Kernels are compiled from their first point on: the digits do not depend on what was asked before."""
    return _compiled("at once")


def compiled_when_idle() -> AbstractContextManager[None]:
    """Nobody waits for a compiler: arrays answer until `compile_waiting` was called, or for very long."""
    return _compiled("when idle")


def compile_waiting() -> bool:
    """Compile one of the kernels that were asked for many points; whether there was one."""
    if not _WAITING:
        return False
    _WAITING.pop(next(iter(_WAITING))).compile()
    return True


class Solutions:
    """The saddle points that a process has asked one compiled loop for."""

    def __init__(self) -> None:
        self.asked = 0

    def ask(self, count: int) -> None:
        """For so many points."""
        self.asked += count

    @property
    def are_few(self) -> bool:
        """Whether arrays answer: never where a process shares its work, or somebody moves a slider."""
        return _WHEN.get() == "after some points" and self.asked <= FEW_SOLUTIONS


class Tiers:
    """The sources of one kernel for arrays and for compiled loops.

    Arrays answer until `FEW_POINTS` were asked for, or `FEW_VALUES` without quadratures, whether machine code
    is kept or not: a process that does the same gives the same digits. Work that is shared by processes is
    `compiled_at_once`, so that its digits do not depend on who did which part. Where someone waits for each
    answer they are `compiled_when_idle`. A call in which arrays leave a point open, NaN, is answered by the
    compiled loops, which refine each point for itself, and so are all calls once a point has taken very many
    nodes.

    Parameters
    ----------
    arrays, compiled : str
        What the back ends "array" and "numba" print.
    quadratures : bool
        Whether a point takes many evaluations.

    Attributes
    ----------
    answered_by : {"array", "numba"}
        Which of them gave the last values.
    """

    def __init__(self, *, arrays: str, compiled: str, quadratures: bool) -> None:
        self._arrays = arrays
        self._source = compiled
        self._quadratures = quadratures
        self._points = 0
        self._loops: ModuleType | None = None
        self._last: tuple[int, tuple[Floats, ...]] | None = None  # outputs, and a point
        self.answered_by = "array"

    def evaluate(self, outputs: int, values: tuple[Values, ...]) -> list[object]:
        """One array for each output, of the broadcast shape of the values."""
        given = [np.asarray(v, dtype=np.float64) for v in values]
        shape = np.broadcast_shapes(*(v.shape for v in given))
        self._points += math.prod(shape)
        if not self._is_due(outputs, given):
            found = self._by_arrays(outputs, [np.broadcast_to(v, shape).reshape(-1) for v in given])
            if found is None:
                self._points += self._few
            elif not np.any(np.isnan(found)):
                self.answered_by = "array"
                return [row.reshape(shape)[()] for row in found]
        self.answered_by = "numba"
        if self._loops is None:  # kept here: the hash of its source takes as long as 1000 points
            self._loops = load_module(self._source)
        return NumbaBackEnd().evaluate(self._loops, outputs, values)

    def compile(self) -> None:
        """Compile the loops, which answer from now on."""
        if self._last is not None:
            self._loops = load_module(self._source)
            NumbaBackEnd().prepare(self._loops, *self._last)

    @property
    def _few(self) -> int:
        return FEW_POINTS if self._quadratures else FEW_VALUES

    def _is_due(self, outputs: int, given: list[Floats]) -> bool:
        """Whether the loops answer; where they have to wait they are noted."""
        when = _WHEN.get()
        if when != "when idle":
            return when == "at once" or self._points > self._few
        if self._loops is not None or self._points > _PATIENCE * self._few:
            return True
        if self._points > self._few // _SOONER and self._last is None and all(v.size for v in given):
            self._last = outputs, tuple(v if v.ndim == 0 else v.reshape(-1)[:1] for v in given)
            _WAITING[self._source] = self
        return False

    def _by_arrays(self, outputs: int, flat: list[Floats]) -> Floats | None:
        """None where a point takes so many nodes that arrays, which give them to all points, are slow."""
        module, back_end, points = load_module(self._arrays), ArrayBackEnd(), flat[0].size
        most = _MOST_NODES * (_PATIENCE if _WHEN.get() == "when idle" else 1)
        found = np.empty((outputs, points))
        # as compiled loops: a pole is infinite, 0/0 is NaN
        with suppress(TooManyNodes), nodes_limited(most), np.errstate(all="ignore"):
            for start in range(0, points, _CHUNK):
                part = slice(start, start + _CHUNK)
                values = back_end.evaluate(module, outputs, tuple(v[part] for v in flat))
                for row, value in zip(found, values, strict=True):
                    row[part] = np.asarray(value, dtype=np.float64)
            return found
        return None
