"""Files that run without this library."""

from __future__ import annotations

from types import ModuleType

import numpy as np

from hermite_analytics.codegen.back_end import BackEnd, Options
from hermite_analytics.codegen.ir import Program
from hermite_analytics.codegen.standalone_backend.printer import module_source
from hermite_analytics.foundation.arrays import Values

__all__ = ["BACK_END", "StandaloneBackEnd"]


class StandaloneBackEnd:
    """numpy and nothing else; the text is made to be read."""

    name = "standalone"
    has_scalar = False
    has_threads = False
    is_portable = True

    def module_source(self, program: Program, title: str, options: Options) -> str:
        return module_source(program, title, accuracy=options.accuracy, source=options.source)

    def evaluate(self, module: ModuleType, outputs: int, values: tuple[Values, ...]) -> list[object]:
        found = module.evaluate(*values)
        return [np.array(value)[()] for value in (found if outputs > 1 else (found,))]


BACK_END: BackEnd = StandaloneBackEnd()
