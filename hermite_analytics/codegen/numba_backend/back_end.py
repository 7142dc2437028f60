"""Compiled loops over NumPy arrays."""

from __future__ import annotations

import math
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.codegen.back_end import BackEnd, Options
from hermite_analytics.codegen.ir import Program
from hermite_analytics.codegen.numba_backend.printer import module_source
from hermite_analytics.foundation.arrays import Values

__all__ = ["BACK_END", "NumbaBackEnd"]


class NumbaBackEnd:
    """The default: numba, with a scalar function and, if asked, threads."""

    name = "numba"
    has_scalar = True
    has_threads = True
    is_portable = False

    def module_source(self, program: Program, title: str, options: Options) -> str:
        return module_source(program, title, accuracy=options.accuracy, parallel=options.parallel)

    def evaluate(self, module: ModuleType, outputs: int, values: tuple[Values, ...]) -> list[object]:
        """Arrays are broadcast against each other; numbers stay numbers, computed with once."""
        flat, shape = _flat(values)
        out = np.empty((outputs, math.prod(shape)))
        if module.over_arrays(out, 0, out.shape[1], *flat):
            module.repair(out, *flat)
        return [row.reshape(shape)[()] for row in out]

    def prepare(self, module: ModuleType, outputs: int, values: tuple[Values, ...]) -> None:
        """Compile all that values of such kinds, numbers or arrays, may need."""
        flat, shape = _flat(values)
        out = np.full((outputs, math.prod(shape)), np.nan)
        module.over_arrays(out, 0, out.shape[1], *flat)
        module.repair(np.full_like(out, np.nan), *flat)


def _flat(values: tuple[Values, ...]) -> tuple[list[float | NDArray[np.float64]], tuple[int, ...]]:
    """(numbers and columns of one length, the broadcast shape)."""
    arrays = [np.asarray(v, dtype=np.float64) for v in values]
    shape = np.broadcast_shapes(*(a.shape for a in arrays))
    point = all(a.ndim == 0 for a in arrays)
    return [float(a) if a.ndim == 0 and not point else _column(a, shape) for a in arrays], shape


def _column(values: NDArray[np.float64], shape: tuple[int, ...]) -> NDArray[np.float64]:
    """All points in one contiguous row, writeable so that one compiled loop serves every array."""
    full = values if values.shape == shape else np.broadcast_to(values, shape)
    return np.require(full, requirements=["C", "W"]).reshape(-1)


BACK_END: BackEnd = NumbaBackEnd()
