"""Device functions and an elementwise kernel."""

from __future__ import annotations

from types import ModuleType

from hermite_analytics.codegen.back_end import BackEnd, Options
from hermite_analytics.codegen.cuda_backend.printer import module_source
from hermite_analytics.codegen.ir import Program
from hermite_analytics.foundation.arrays import Values

__all__ = ["BACK_END", "CudaBackEnd"]


class CudaBackEnd:
    """numba-cuda, with a device function `scalar`."""

    name = "cuda"
    has_scalar = True
    has_threads = False
    is_portable = False

    def module_source(self, program: Program, title: str, options: Options) -> str:
        return module_source(program, title, accuracy=options.accuracy)

    def evaluate(self, module: ModuleType, outputs: int, values: tuple[Values, ...]) -> list[object]:
        from hermite_analytics.codegen.cuda_backend.launch import launch

        return launch(module.over_arrays, outputs, values)


BACK_END: BackEnd = CudaBackEnd()
