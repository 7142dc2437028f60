"""A `Program` to scalar functions in Python syntax, for the compilers of numba and CUDA."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from hermite_analytics.codegen.ir import Assign, Integral, Loop, Node, Program
from hermite_analytics.codegen.printing import ExpressionPrinter
from hermite_analytics.codegen.rounding import roundings
from hermite_analytics.codegen.scalar_quadrature import expectation_lines, integral_lines
from hermite_analytics.codegen.spellings import Spellings

__all__ = [
    "ScalarPrinter",
    "function",
    "integrand_body",
    "listed",
    "scalar_functions",
    "used_names",
]


class ScalarPrinter(ExpressionPrinter):
    """Expressions of one point; functions that are one operation are written out.

    Parameters
    ----------
    functions, backend
        As in `ExpressionPrinter`.
    arguments : sequence of str
        Of the program, which the fallbacks of guards take as well.
    """

    def __init__(self, functions: Spellings, backend: str, arguments: Sequence[str]) -> None:
        super().__init__(functions, backend)
        self.arguments = ", ".join(arguments)

    def call(self, function: str, arguments: tuple[Node, ...]) -> str:
        if function == "relu":
            return f"max({self(arguments[0])}, 0.0)"
        return super().call(function, arguments)

    def guard(self, value: str, check: str, scale: str, fallback: str) -> str:
        return super().guard(value, check, scale, f"{fallback}({self.arguments})")


def function(name: str, arguments: Sequence[str], body: Sequence[str], decorator: str) -> str:
    """The text of one function."""
    lines = "\n".join(f"    {line}" for line in body)
    return f"@{decorator}\ndef {name}({', '.join(arguments)}):\n{lines}\n"


def scalar_functions(
    program: Program,
    printer: ExpressionPrinter,
    name: str,
    decorator: str,
    accuracy: float,
    *,
    inner: str | None = None,
) -> list[str]:
    """The functions that `name(*arguments) -> tuple of outputs` needs, and that function, in order.

    Those have the decorator `inner`, if one is given, else the same.
    """
    parts: list[str] = []
    own = decorator if inner is None else inner
    for fallback, lost in program.fallbacks:
        parts += scalar_functions(lost, printer, f"_{fallback}", own, accuracy)
        call = f"return _{fallback}({', '.join(lost.arguments)})[0]"
        parts.append(function(fallback, lost.arguments, [call], own))
    body: list[str] = []
    defined = list(program.arguments)
    for statement in program.statements:
        if isinstance(statement, Assign):
            body.append(f"{statement.target} = {printer(statement.value)}")
            defined.append(statement.target)
            continue
        results = [n for n, _ in statement.values]
        parts_of_loop, call = _loop(statement, name, printer, defined, own, accuracy)
        parts += parts_of_loop
        body.append(f"{listed(results)} = {call}")
        defined += results
    body.append(f"return {listed(printer(value) for _, value in program.outputs)}")
    parts.append(function(name, program.arguments, body, decorator))
    return parts


def used_names(text: str, names: Sequence[str]) -> list[str]:
    """Those of the names that occur in printed code."""
    return [n for n in names if re.search(rf"\b{re.escape(n)}\b", text)]


def integrand_body(
    statement: Loop | Integral, printer: ExpressionPrinter, more: Iterable[Node] = ()
) -> list[str]:
    """Lines that evaluate all integrands at a node, and what else is asked for."""
    lines = [f"{a.target} = {printer(a.value)}" for a in statement.body]
    return [*lines, f"return {listed(printer(v) for v in (*(v for _, v in statement.values), *more))}"]


def _loop(
    statement: Loop | Integral,
    owner: str,
    printer: ExpressionPrinter,
    defined: Sequence[str],
    decorator: str,
    accuracy: float,
) -> tuple[list[str], str]:
    """The integrand and its quadrature as functions, and the call of the latter."""
    results = [n for n, _ in statement.values]
    number = results[0].rsplit("_", 1)[1]
    stem = "" if owner == "scalar" else f"{owner}_"
    bounds = roundings(statement)
    body = integrand_body(statement, printer, bounds.values())
    inside = used_names("\n".join(body), defined)
    integrand, driver = f"{stem}integrand_{number}", f"{stem}quadrature_{number}"
    call = f"{integrand}({', '.join(['node', *inside])})"
    if isinstance(statement, Integral):
        lines = integral_lines(results, call, printer(statement.end))
        outside = inside
    else:
        strip = None if statement.strip is None else printer(statement.strip)
        points = [printer(b) for b in statement.edges]
        lines = expectation_lines(results, call, strip, points, accuracy, list(bounds))
        outside = [
            n for n in defined if n in {*inside, *used_names("\n".join([strip or "", *points]), defined)}
        ]
    lines.append(f"return {listed(results)}")
    parts = [
        function(integrand, [statement.variable, *inside], body, decorator),
        function(driver, outside, lines, decorator),
    ]
    return parts, f"{driver}({', '.join(outside)})"


def listed(items: Iterable[str]) -> str:
    """The text of a tuple."""
    texts = list(items)
    return f"({texts[0]},)" if len(texts) == 1 else f"({', '.join(texts)})"
