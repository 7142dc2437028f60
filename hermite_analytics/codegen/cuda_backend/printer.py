"""A `Program` to the source of a module for numba-cuda.

The module has `scalar(*arguments)`, a device function that other device code can call, and
`over_arrays(out, *arguments)`, a kernel that fills out[output, point] with one thread a point; an argument
of one entry stands for all points. The special functions are those of the numba back end: numba-cuda
compiles a function of the CPU for the device when device code calls it (`special` of this back end).
"""

from __future__ import annotations

from hermite_analytics.codegen.ir import Program
from hermite_analytics.codegen.numba_backend.printer import SCALAR
from hermite_analytics.codegen.scalar_code import ScalarPrinter, function, scalar_functions

__all__ = ["module_source"]

_DECORATOR = "cuda.jit(device=True)"

_HEADER = '''"""{title}; not to be edited.

{documentation}
"""

import math

import numpy as np
from numba import cuda

from hermite_analytics.codegen.cuda_backend.special import special
'''


def module_source(program: Program, title: str, *, accuracy: float) -> str:
    """The text of the module; `title` names the library, its version and the generator's."""
    printer = ScalarPrinter(SCALAR, "cuda", program.arguments)
    parts = [_HEADER.format(title=title, documentation="\n".join(program.documentation))]
    parts += [f"{name} = np.array({numbers})" for name, numbers in program.constants()]
    parts += scalar_functions(program, printer, "scalar", _DECORATOR, accuracy)
    indexed = ", ".join(f"{a}[min(i, {a}.size - 1)]" for a in program.arguments)
    body = ["i = cuda.grid(1)", "if i < out.shape[1]:", f"    values = scalar({indexed})"]
    body += [f"    out[{k}, i] = values[{k}]" for k in range(len(program.outputs))]
    parts.append(function("over_arrays", ["out", *program.arguments], body, "cuda.jit"))
    return "\n\n".join(parts)
