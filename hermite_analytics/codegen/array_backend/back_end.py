"""Array-API source for numpy, torch, cupy and others."""

from __future__ import annotations

from types import ModuleType

import numpy as np

from hermite_analytics.codegen.array_backend.printer import module_source
from hermite_analytics.codegen.back_end import BackEnd, Options
from hermite_analytics.codegen.ir import Program
from hermite_analytics.foundation.arrays import Values

__all__ = ["BACK_END", "ArrayBackEnd"]


class ArrayBackEnd:
    """Arrays of any array-API namespace, in their own precision and on their own device."""

    name = "array"
    has_scalar = False
    has_threads = False
    is_portable = False

    def module_source(self, program: Program, title: str, options: Options) -> str:
        return module_source(program, title, accuracy=options.accuracy)

    def evaluate(self, module: ModuleType, outputs: int, values: tuple[Values, ...]) -> list[object]:
        return list(module.evaluate(*_in_one_namespace(values)))


def _in_one_namespace(values: tuple[Values, ...]) -> list[object]:
    """Arrays of floats: numbers become arrays of the type and on the device of the others."""
    if all(type(v) is np.ndarray and v.dtype == np.float64 for v in values):
        return list(values)
    from array_api_compat import array_namespace, device

    values = tuple(v.item() if isinstance(v, np.generic) else v for v in values)
    arrays = [v for v in values if hasattr(v, "dtype")]
    if not arrays:
        return [np.asarray(v, dtype=np.float64) for v in values]
    xp = array_namespace(*arrays)
    place = device(arrays[0])
    floats = [v if xp.isdtype(v.dtype, "real floating") else xp.astype(v, xp.float64) for v in arrays]
    common = xp.result_type(*floats)
    waiting = iter(floats)
    return [
        next(waiting) if any(v is a for a in arrays) else xp.asarray(v, dtype=common, device=place)
        for v in values
    ]


BACK_END: BackEnd = ArrayBackEnd()
