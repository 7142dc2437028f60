"""A `Program` to the source of one self-contained numba module.

The module has `scalar(*arguments)`, a compiled function that other compiled code can call, and
`over_arrays(out, *arguments)`, which fills out[output, point] from one-dimensional arrays.
"""

from __future__ import annotations

from hermite_analytics.codegen.ir import Assign, Loop, Node, Program
from hermite_analytics.codegen.numba_backend.quadrature import quadrature_lines
from hermite_analytics.codegen.printing import ExpressionPrinter

__all__ = ["module_source"]

_FUNCTIONS = {
    **{name: f"math.{name}" for name in ("exp", "log", "sin", "cos", "tanh", "sinh", "cosh", "sqrt")},
    **{name: f"math.{name}" for name in ("erf", "erfc", "asin", "acos", "atan")},
    "abs": "abs",
    "sign": "sign",
    "step": "step",
    "max": "max",
    "min": "min",
    "Phi": "normal_cdf",
    "phi": "normal_density",
    "sigmoid": "sigmoid",
    "softplus": "softplus",
    "leaky_relu": "leaky_relu",
    "OwenT": "owen_t",
    "Phi2": "normal_pair_cdf",
    "He": "hermite",
}

_HEADER = '''"""{title}

{documentation}
"""

import math

from numba import njit

from hermite_analytics.codegen.numba_backend.special import (
    hermite, leaky_relu, normal_cdf, normal_density, normal_pair_cdf, owen_t, sigmoid, sign, softplus, step,
)

_OPTIONS = {{"cache": True, "error_model": "numpy", "nogil": True}}
'''


class _NumbaPrinter(ExpressionPrinter):
    def call(self, function: str, arguments: tuple[Node, ...]) -> str:
        if function in {"silu", "gelu"}:
            x = self(arguments[0])
            return f"(({x}) * {'sigmoid' if function == 'silu' else 'normal_cdf'}({x}))"
        if function == "relu":
            return f"max({self(arguments[0])}, 0.0)"
        return super().call(function, arguments)


def module_source(program: Program, title: str) -> str:
    """The text of the module; `title` names the library, its version and the generator's."""
    printer = _NumbaPrinter(_FUNCTIONS, "numba")
    arguments = ", ".join(program.arguments)
    parts = [_HEADER.format(title=title, documentation="\n".join(program.documentation))]
    body: list[str] = []
    for number, statement in enumerate(program.statements):
        if isinstance(statement, Assign):
            body.append(f"{statement.target} = {printer(statement.value)}")
        else:
            integrand, lines = _loop(statement, number, printer, program)
            parts.append(integrand)
            body.extend(lines)
    outputs = ", ".join(printer(value) for _, value in program.outputs)
    body.append(f"return ({outputs},)")
    indented = "\n".join(f"    {line}" for line in body)
    parts.append(f"@njit(**_OPTIONS)\ndef scalar({arguments}):\n{indented}\n")
    parts.append(_over_arrays(program))
    return "\n\n".join(parts)


def _loop(loop: Loop, number: int, printer: ExpressionPrinter, program: Program) -> tuple[str, list[str]]:
    """The integrand as a function of its own, and the lines that integrate it."""
    outside = [*program.arguments]
    for statement in program.statements:
        if isinstance(statement, Assign):
            outside.append(statement.target)
        elif statement is loop:
            break
        else:
            outside.extend(name for name, _ in statement.values)
    lines = [f"{a.target} = {printer(a.value)}" for a in loop.body]
    lines.append(f"return ({', '.join(printer(v) for _, v in loop.values)},)")
    text = "\n".join(f"    {line}" for line in lines)
    used = [name for name in outside if _mentions(text, name)]
    signature = ", ".join([loop.variable, *used])
    function = f"@njit(**_OPTIONS)\ndef integrand_{number}({signature}):\n{text}\n"
    call = f"integrand_{number}({', '.join(['node', *used])})"
    strip = None if loop.strip is None else printer(loop.strip)
    points = [printer(b) for b in loop.breakpoints]
    return function, quadrature_lines([n for n, _ in loop.values], call, strip, points)


def _mentions(text: str, name: str) -> bool:
    import re

    return re.search(rf"\b{re.escape(name)}\b", text) is not None


def _over_arrays(program: Program) -> str:
    arguments = ", ".join(program.arguments)
    indexed = ", ".join(f"{name}[i]" for name in program.arguments)
    stores = "\n".join(f"        out[{k}, i] = values[{k}]" for k in range(len(program.outputs)))
    return (
        f"@njit(**_OPTIONS)\ndef over_arrays(out, {arguments}):\n"
        f"    for i in range(out.shape[1]):\n        values = scalar({indexed})\n{stores}\n"
    )
