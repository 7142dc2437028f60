"""A `Program` to the source of a plain Python module that computes one point at 30 digits."""

from __future__ import annotations

from collections.abc import Iterable

import mpmath

from hermite_analytics.codegen.ir import Assign, Integral, Loop, Node, Number, Program
from hermite_analytics.codegen.printing import ExpressionPrinter
from hermite_analytics.codegen.python_backend import special
from hermite_analytics.codegen.scalar_code import ScalarPrinter, integrand_body, listed
from hermite_analytics.codegen.spellings import Place, Spellings

__all__ = ["module_source"]

_FUNCTIONS = Spellings(Place(special.__all__, "special."), Place(dir(mpmath), "mpmath."))

_HEADER = '''"""{title}; not to be edited.

{documentation}
"""

import mpmath

from hermite_analytics.codegen.python_backend import quadrature, special
'''


class _ReferencePrinter(ScalarPrinter):
    nan = "mpmath.nan"

    def number(self, node: Number) -> str:
        return f'mpmath.mpf("{node.digits}")' if node.digits else f"mpmath.mpf({node.text})"

    def guard(self, value: str, check: str, scale: str, fallback: str) -> str:
        safe = f"{check} >= special.SAFE_SHARE * {scale}"
        return self.choice(safe, value, f"{fallback}({self.arguments})")

    def call(self, function: str, arguments: tuple[Node, ...]) -> str:
        if function == "hermite" and isinstance(arguments[0], Number):
            return self.function("hermite", f"{int(float(arguments[0].text))}, {self(arguments[1])}")
        return super().call(function, arguments)


def module_source(program: Program, title: str) -> str:
    """The text of the module, with one function `evaluate(*arguments) -> tuple of numbers`."""
    tables = "\n".join(f"{name} = {numbers}" for name, numbers in program.constants())
    parts = [_function(name, inner, "[0]") for name, inner in program.fallbacks]
    parts.append(_function("evaluate", program, ""))
    header = _HEADER.format(title=title, documentation="\n".join(program.documentation))
    return "\n\n".join([header + tables, *parts])


def _function(name: str, program: Program, chosen: str) -> str:
    """The text of one function; `chosen` picks from the tuple of outputs."""
    printer = _ReferencePrinter(_FUNCTIONS, "python", program.arguments)
    body = [f"{a} = mpmath.mpf({a})" for a in program.arguments]
    for statement in program.statements:
        if isinstance(statement, Assign):
            body.append(f"{statement.target} = {printer(statement.value)}")
        else:
            body += _quadrature(statement, printer)
    body.append(f"return {listed(printer(value) for _, value in program.outputs)}{chosen}")
    lines = "\n".join(f"    {line}" for line in body)
    arguments = ", ".join(program.arguments)
    return f"@mpmath.workdps(special.DIGITS)\ndef {name}({arguments}):\n{lines}\n"


def _quadrature(statement: Loop | Integral, printer: ExpressionPrinter) -> list[str]:
    results = [n for n, _ in statement.values]
    integrand = f"integrand_{results[0].rsplit('_', 1)[1]}"
    lines = [f"def {integrand}({statement.variable}):"]
    lines += [f"    {line}" for line in integrand_body(statement, printer)]
    if isinstance(statement, Integral):
        call = f"quadrature.integral({integrand}, {printer(statement.end)}, {len(results)})"
    else:
        points = _list(printer(b) for b in statement.breakpoints)
        strip = "None" if statement.strip is None else printer(statement.strip)
        call = f"quadrature.expectation({integrand}, {points}, {strip}, {len(results)})"
    return [*lines, f"{listed(results)} = {call}"]


def _list(items: Iterable[str]) -> str:
    return f"[{', '.join(items)}]"
