"""The reference: one point after the other at 30 digits."""

from __future__ import annotations

from types import ModuleType

import numpy as np

from hermite_analytics.codegen.back_end import BackEnd, Options
from hermite_analytics.codegen.ir import Program
from hermite_analytics.codegen.python_backend.printer import module_source
from hermite_analytics.foundation.arrays import Values

__all__ = ["BACK_END", "PythonBackEnd"]


class PythonBackEnd:
    """mpmath, slow, with adaptive quadratures of its own accuracy."""

    name = "python"
    has_scalar = False
    has_threads = False
    is_portable = False

    def module_source(self, program: Program, title: str, options: Options) -> str:
        return module_source(program, title)

    def evaluate(self, module: ModuleType, outputs: int, values: tuple[Values, ...]) -> list[object]:
        arrays = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in values))
        points = [
            module.evaluate(*(float(x) for x in p)) for p in zip(*(a.flat for a in arrays), strict=True)
        ]
        out = np.array(points, dtype=np.float64).reshape(-1, outputs)
        return [out[:, k].reshape(arrays[0].shape)[()] for k in range(outputs)]


BACK_END: BackEnd = PythonBackEnd()
