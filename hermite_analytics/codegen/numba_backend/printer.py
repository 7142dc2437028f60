"""A `Program` to the source of one self-contained numba module.

The module has `scalar(*arguments)`, a compiled function that other compiled code can call,
`over_arrays(out, *arguments)`, which fills out[output, point] from one-dimensional arrays and numbers and
returns the number of NaNs, and `repair(out, *arguments)`, which computes those by `scalar`.
"""

from __future__ import annotations

from hermite_analytics.codegen.ir import Program
from hermite_analytics.codegen.numba_backend.loops import loop_functions, repair_function
from hermite_analytics.codegen.scalar_code import ScalarPrinter, function, scalar_functions

__all__ = ["module_source"]

_MATH = {name: f"math.{name}" for name in ("exp", "log", "sin", "cos", "tanh", "sinh", "cosh", "sqrt")}
_MATH |= {name: f"math.{name}" for name in ("erf", "erfc", "asin", "acos", "atan")}
_SPECIAL = {
    "sign": "sign",
    "step": "step",
    "Phi": "normal_cdf",
    "phi": "normal_density",
    "sigmoid": "sigmoid",
    "softplus": "softplus",
    "leaky_relu": "leaky_relu",
    "OwenT": "owen_t",
    "Phi2": "normal_pair_cdf",
    "He": "hermite",
    "HermiteSum": "hermite_sum",
}
_SCALAR = {
    **_MATH,
    "abs": "abs",
    "max": "max",
    "min": "min",
    **{k: f"special.{v}" for k, v in _SPECIAL.items()},
}
_VECTOR = _SCALAR | {
    name: f"vector.{name}" for name in ("exp", "log", "sin", "cos", "tanh", "sinh", "cosh", "erf", "erfc")
}
_VECTOR |= {
    name: f"vector.{_SPECIAL[name]}" for name in ("Phi", "phi", "sigmoid", "softplus", "OwenT", "Phi2")
}

_HEADER = '''"""{title}

{documentation}
"""

import math

import numpy as np
from numba import njit, prange

from hermite_analytics.codegen.numba_backend import special, vector
from hermite_analytics.codegen.numba_backend.arrays import at, part

_OPTIONS = {{"cache": True, "error_model": "numpy", "nogil": True}}
_FUSED = _OPTIONS | {{"fastmath": {{"contract"}}}}  # products and sums may be fused
_INLINED = _FUSED | {{"forceinline": True}}  # without calls the loops vectorise
'''
_DECORATORS = ("njit(**_OPTIONS)", "njit(**_INLINED)", "njit(**_FUSED)")
_TASK = 4096  # points of one task of the parallel loop


class _VectorPrinter(ScalarPrinter):
    def guard(self, value: str, check: str, scale: str, fallback: str) -> str:
        return super(ScalarPrinter, self).guard(value, check, scale, "math.nan")


def module_source(program: Program, title: str, *, accuracy: float, parallel: bool) -> str:
    """The text of the module; `title` names the library, its version and the generator's."""
    scalar = ScalarPrinter(_SCALAR, "numba", program.arguments)
    vector = _VectorPrinter(_VECTOR, "numba", program.arguments)
    parts = [_HEADER.format(title=title, documentation="\n".join(program.documentation))]
    parts += scalar_functions(program, scalar, "scalar", _DECORATORS[0], accuracy)
    parts += loop_functions(program, vector, _DECORATORS, accuracy)
    parts += [_over_arrays(program, parallel), repair_function(program, _DECORATORS[0])]
    return "\n\n".join(parts)


def _over_arrays(program: Program, parallel: bool) -> str:
    arguments, listed = ["out", *program.arguments], ", ".join(program.arguments)
    if not parallel:
        body = [f"return over_points(out, 0, out.shape[1], {listed})"]
        return function("over_arrays", arguments, body, _DECORATORS[0])
    body = [
        "lost = 0",
        f"for task in prange((out.shape[1] + {_TASK - 1}) // {_TASK}):",
        f"    lost += over_points(out, task * {_TASK}, min((task + 1) * {_TASK}, out.shape[1]), {listed})",
        "return lost",
    ]
    return function("over_arrays", arguments, body, "njit(parallel=True, **_OPTIONS)")
