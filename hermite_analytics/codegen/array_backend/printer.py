"""A `Program` to the source of a module that works on arrays of any array-API namespace."""

from __future__ import annotations

from hermite_analytics.codegen.ir import Assign, Node, Program
from hermite_analytics.codegen.printing import ExpressionPrinter
from hermite_analytics.errors import UnsupportedExpression

__all__ = ["module_source"]

_STANDARD = {
    name: f"xp.{name}" for name in ("exp", "log", "sin", "cos", "tanh", "sinh", "cosh", "sqrt", "abs")
}
_STANDARD |= {name: f"xp.{name}" for name in ("asin", "acos", "atan")}
_SPECIAL = {
    "erf": "erf",
    "erfc": "erfc",
    "OwenT": "owen_t",
    "Phi": "normal_cdf",
    "phi": "normal_density",
    "sign": "sign",
    "step": "step",
    "max": "maximum",
    "min": "minimum",
    "leaky_relu": "leaky_relu",
    "sigmoid": "sigmoid",
    "softplus": "softplus",
    "He": "hermite",
}

_HEADER = '''"""{title}

{documentation}
"""

from array_api_compat import array_namespace

from hermite_analytics.codegen.array_backend import special
'''


class _ArrayPrinter(ExpressionPrinter):
    def call(self, function: str, arguments: tuple[Node, ...]) -> str:
        if function in _SPECIAL:
            return f"special.{_SPECIAL[function]}({', '.join(['xp', *(self(a) for a in arguments)])})"
        if function in {"silu", "gelu"}:
            x = self(arguments[0])
            return f"({x}) * special.{'sigmoid' if function == 'silu' else 'normal_cdf'}(xp, {x})"
        if function == "relu":
            return f"special.maximum(xp, {self(arguments[0])}, 0.0)"
        return super().call(function, arguments)


def module_source(program: Program, title: str) -> str:
    """The text of the module, with one function `evaluate(*arguments) -> tuple of arrays`.

    Raises
    ------
    UnsupportedExpression
        If an output holds an expectation without a closed form.
    """
    printer = _ArrayPrinter(_STANDARD, "array")
    arguments = ", ".join(program.arguments)
    lines = [f"xp = array_namespace({arguments})"]
    for statement in program.statements:
        if not isinstance(statement, Assign):
            raise UnsupportedExpression(
                "the array back end has no quadrature: compile this expectation for backend 'numba'"
            )
        lines.append(f"{statement.target} = {printer(statement.value)}")
    outputs = ", ".join(printer(value) for _, value in program.outputs)
    lines.append(f"return special.spread(xp, ({outputs},), ({arguments},))")
    body = "\n".join(f"    {line}" for line in lines)
    header = _HEADER.format(title=title, documentation="\n".join(program.documentation))
    return f"{header}\n\ndef evaluate({arguments}):\n{body}\n"
