"""The same formulas twice in one module: for arrays, and to be compiled when the work pays for it."""

from __future__ import annotations

from types import ModuleType

from hermite_analytics.codegen.array_backend.printer import module_source as array_source
from hermite_analytics.codegen.back_end import BackEnd, Options
from hermite_analytics.codegen.ir import Program
from hermite_analytics.codegen.numba_backend.printer import module_source as numba_source
from hermite_analytics.foundation.arrays import Values

__all__ = ["BACK_END", "AutoBackEnd"]

_MODULE = '''"""{title}; not to be edited.

{documentation}
"""

from hermite_analytics.codegen.auto_backend.tiers import Tiers

ARRAYS = r\'\'\'
{arrays}\'\'\'

COMPILED = r\'\'\'
{compiled}\'\'\'

TIERS = Tiers(arrays=ARRAYS.lstrip("\\n"), compiled=COMPILED.lstrip("\\n"), quadratures={quadratures})
'''


class AutoBackEnd:
    """A kernel answers its first points within milliseconds, where compiling its loops takes seconds."""

    name = "auto"
    has_scalar = False
    has_threads = False
    is_portable = False

    def module_source(self, program: Program, title: str, options: Options) -> str:
        return _MODULE.format(
            title=title,
            documentation="\n".join(program.documentation),
            arrays=array_source(program, title, accuracy=options.accuracy),
            compiled=numba_source(program, title, accuracy=options.accuracy, parallel=False),
            quadratures=program.has_quadratures,
        )

    def evaluate(self, module: ModuleType, outputs: int, values: tuple[Values, ...]) -> list[object]:
        found: list[object] = module.TIERS.evaluate(outputs, values)
        return found


BACK_END: BackEnd = AutoBackEnd()
