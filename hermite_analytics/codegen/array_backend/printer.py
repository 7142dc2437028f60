"""A `Program` to the source of a module that works on arrays of any array-API namespace."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hermite_analytics.codegen.array_backend import special
from hermite_analytics.codegen.ir import Assign, Integral, Loop, Node, Program
from hermite_analytics.codegen.printing import SAFE_SHARE, ExpressionPrinter
from hermite_analytics.codegen.rounding import roundings
from hermite_analytics.codegen.scalar_code import integrand_body, listed
from hermite_analytics.codegen.spellings import Place, Spellings

__all__ = ["module_source"]

_FUNCTIONS = Spellings(Place(special.__all__, "special.", first="xp, "), Place(dir(np), "xp."))

_HEADER = '''"""{title}; not to be edited.

{documentation}
"""

from hermite_analytics.codegen.array_backend import quadrature, special
'''


class _ArrayPrinter(ExpressionPrinter):
    def __init__(self, arguments: Sequence[str]) -> None:
        super().__init__(_FUNCTIONS, "array")
        self.arguments = ", ".join(arguments)

    def call(self, function: str, arguments: tuple[Node, ...]) -> str:
        if function == "relu":
            return f"special.maximum(xp, {self(arguments[0])}, 0.0)"
        return super().call(function, arguments)

    def select(self, condition: str, complement: str, then: str, otherwise: str) -> str:
        like = self.arguments.split(", ")[0]
        return f"special.select(xp, {condition}, {complement}, {then}, {otherwise}, {like})"

    def guard(self, value: str, check: str, scale: str, fallback: str) -> str:
        safe = f"{check} >= {SAFE_SHARE!r} * ({scale})"
        return f"special.guarded(xp, {safe}, {value}, lambda: {fallback}(xp, {self.arguments}))"


def module_source(program: Program, title: str, *, accuracy: float) -> str:
    """The text of the module, with one function `evaluate(*arguments) -> tuple of arrays`.

    Raises
    ------
    UnsupportedExpression
        If a function is not available.
    """
    arguments = ", ".join(program.arguments)
    parts = [_HEADER.format(title=title, documentation="\n".join(program.documentation))]
    parts += [f"{name} = {numbers}" for name, numbers in program.constants()]
    for name, inner in program.fallbacks:
        body, outputs = _body(inner, accuracy)
        parts.append(_function(name, f"xp, {arguments}", [*body, f"return {outputs[0]}"]))
    body, outputs = _body(program, accuracy)
    body = [f"xp = special.namespace_of({arguments})", *body]
    body.append(f"return special.spread(xp, {listed(outputs)}, ({arguments},))")
    parts.append(_function("evaluate", arguments, body))
    return "\n\n".join(parts)


def _function(name: str, arguments: str, body: Sequence[str]) -> str:
    lines = "\n".join(f"    {line}" for line in body)
    return f"def {name}({arguments}):\n{lines}\n"


def _body(program: Program, accuracy: float) -> tuple[list[str], list[str]]:
    """(statements, outputs)."""
    printer = _ArrayPrinter(program.arguments)
    lines: list[str] = []
    for statement in program.statements:
        if isinstance(statement, Assign):
            lines.append(f"{statement.target} = {printer(statement.value)}")
        else:
            lines += _quadrature(statement, printer, program, accuracy)
    return lines, [printer(value) for _, value in program.outputs]


def _quadrature(
    statement: Loop | Integral, printer: ExpressionPrinter, program: Program, accuracy: float
) -> list[str]:
    results = [n for n, _ in statement.values]
    integrand = f"integrand_{results[0].rsplit('_', 1)[1]}"
    lines = [f"def {integrand}({statement.variable}):"]
    bounds = roundings(statement)
    lines += [f"    {line}" for line in integrand_body(statement, printer, bounds.values())]
    rounded = tuple(results.index(n) for n in bounds)
    last = f", rounded={rounded!r}" if rounded else ""
    like = f"({', '.join(program.arguments)},)"
    if isinstance(statement, Integral):
        call = f"quadrature.integral(xp, {integrand}, {printer(statement.end)}, {like})"
    else:
        strip = "None" if statement.strip is None else printer(statement.strip)
        if statement.breakpoints:
            points = listed(printer(b) for b in statement.edges)
            call = f"quadrature.panels(xp, {integrand}, {strip}, {points}, {like}, {accuracy!r}{last})"
        else:
            call = f"quadrature.trapezoid(xp, {integrand}, {strip}, {like}, {accuracy!r}{last})"
    return [*lines, f"{listed(results)} = {call}"]
