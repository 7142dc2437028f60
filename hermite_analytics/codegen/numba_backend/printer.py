"""A `Program` to the source of one self-contained numba module.

The module has `scalar(*arguments)`, a compiled function that other compiled code can call,
`over_arrays(out, first, last, *arguments)`, which fills out[output, first:last] from one-dimensional arrays
and numbers and returns the number of NaNs, and `repair(out, *arguments)`, which computes those by `scalar`.
"""

from __future__ import annotations

import math

from hermite_analytics.codegen.ir import Program
from hermite_analytics.codegen.numba_backend import special, vector
from hermite_analytics.codegen.numba_backend.loops import loop_functions, repair_function
from hermite_analytics.codegen.scalar_code import ScalarPrinter, function, scalar_functions
from hermite_analytics.codegen.spellings import Place, Spellings

__all__ = ["SCALAR", "module_source"]

_PLACES = (Place(special.__all__, "special."), Place(dir(math), "math."))
SCALAR = Spellings(*_PLACES)
_VECTOR = Spellings(Place(vector.__all__, "vector."), *_PLACES)

_HEADER = '''"""{title}; not to be edited.

{documentation}
"""

import math

import numpy as np
from numba import njit, prange

from hermite_analytics.codegen.numba_backend import special, vector
from hermite_analytics.codegen.numba_backend.arrays import at, part

_OPTIONS = {{"cache": True, "error_model": "numpy", "nogil": True}}
# what only compiled code calls is part of the machine code of its callers, and no other is made
_INNER = _OPTIONS | {{"cache": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}}
_FUSED = _INNER | {{"fastmath": {{"contract"}}}}  # products and sums may be fused
_INLINED = _FUSED | {{"forceinline": True}}  # without calls the loops vectorise
'''
_DECORATORS = ("njit(**_OPTIONS)", "njit(**_INLINED)", "njit(**_FUSED)")
_TASK = 4096  # points of one task of the parallel loop


class _VectorPrinter(ScalarPrinter):
    def guard(self, value: str, check: str, scale: str, fallback: str) -> str:
        return super(ScalarPrinter, self).guard(value, check, scale, "math.nan")


def module_source(program: Program, title: str, *, accuracy: float, parallel: bool) -> str:
    """The text of the module; `title` names the library, its version and the generator's."""
    scalar = ScalarPrinter(SCALAR, "numba", program.arguments)
    vectorised = _VectorPrinter(_VECTOR, "numba", program.arguments)
    parts = [_HEADER.format(title=title, documentation="\n".join(program.documentation))]
    parts += [f"{name} = np.array({numbers})" for name, numbers in program.constants()]
    parts += scalar_functions(program, scalar, "scalar", _DECORATORS[0], accuracy, inner="njit(**_INNER)")
    parts += loop_functions(
        program, vectorised, "over_piece" if parallel else "over_arrays", _DECORATORS, accuracy
    )
    parts += [_in_parallel(program)] if parallel else []
    parts.append(repair_function(program, _DECORATORS[0]))
    return "\n\n".join(parts)


def _in_parallel(program: Program) -> str:
    """over_arrays as a parallel loop over pieces of the points."""
    arguments = ["out", "first", "last", *program.arguments]
    listed = ", ".join(program.arguments)
    body = [
        "lost = 0",
        f"for task in prange((last - first + {_TASK - 1}) // {_TASK}):",
        f"    start = first + task * {_TASK}",
        f"    lost += over_piece(out, start, min(start + {_TASK}, last), {listed})",
        "return lost",
    ]
    return function("over_arrays", arguments, body, "njit(parallel=True, **_OPTIONS)")
