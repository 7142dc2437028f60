"""A `Program` to a function over numpy arrays, and to a file around it.

The special functions and quadratures that the function uses stand in the file, as text of `special` and
`quadrature`: nothing of this library is imported.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hermite_analytics.codegen.excerpt import Excerpt
from hermite_analytics.codegen.ir import Assign, Integral, Loop, Node, Number, Program
from hermite_analytics.codegen.printing import SAFE_SHARE, ExpressionPrinter
from hermite_analytics.codegen.scalar_code import integrand_body, listed, used_names
from hermite_analytics.codegen.spellings import Place, Spellings
from hermite_analytics.codegen.standalone_backend import special
from hermite_analytics.codegen.standalone_backend.lines import wrapped

__all__ = ["Section", "assembled", "function_texts", "module_source", "paragraph", "support_of"]

_FOLDER = "hermite_analytics.codegen.standalone_backend"
_ARCS = {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}  # the names that numpy has always had
_FUNCTIONS = Spellings(Place(special.__all__), Place(set(dir(np)) - set(_ARCS), "np."), other=_ARCS)
_WIDTH = 100

_HEADING = '''"""{summary}

{formulas}
{notes}
"""

from __future__ import annotations
'''
_MAIN = """
if __name__ == "__main__":
    import sys

    if len(sys.argv) != {count}:
        sys.exit(f"usage: python {{sys.argv[0]}} {arguments}")
    print({call})
"""


class _NumpyPrinter(ExpressionPrinter):
    nan = "np.nan"

    def __init__(self, prefix: str, arguments: Sequence[str]) -> None:
        super().__init__(_FUNCTIONS, "standalone")
        self.prefix = prefix
        self.arguments = ", ".join(arguments)

    def call(self, function: str, arguments: tuple[Node, ...]) -> str:
        if function == "relu":
            return f"np.maximum({self(arguments[0])}, 0.0)"
        if function == "hermite" and isinstance(arguments[0], Number):
            return self.function("hermite", f"{int(float(arguments[0].text))}, {self(arguments[1])}")
        if function in {"chebyshev_sum", "angle_sum"}:
            tables = [self.prefix + self(a) for a in arguments[:-1]]
            return self.function(function, ", ".join([*tables, self(arguments[-1])]))
        return super().call(function, arguments)

    @staticmethod
    def choice(condition: str, then: str, otherwise: str) -> str:
        return f"np.where({condition}, {then}, {otherwise})"

    def guard(self, value: str, check: str, scale: str, fallback: str) -> str:
        safe = f"{check} >= {SAFE_SHARE!r} * {scale}"
        return f"guarded({safe}, {value}, lambda: {self.prefix}{fallback}({self.arguments}))"


def module_source(program: Program, title: str, *, accuracy: float, source: str) -> str:
    """The text of the file, with one function `evaluate(*arguments)`.

    It returns an array, or a tuple of arrays if there are several outputs.
    """
    docstring = "At numbers or arrays, which are broadcast against each other."
    texts = function_texts("evaluate", program, accuracy, docstring=docstring)
    names, arguments = (", ".join(n) for n in ([n for n, _ in program.outputs], program.arguments))
    notes = [_accuracy_note(program, accuracy)]
    notes += [f"Source of the formulas: {source}."] if source else []
    notes.append(f"{title}. It needs numpy only.")
    heading = _HEADING.format(
        summary=f"{names} as functions of {arguments}.",
        formulas="".join(f"{_formula(line)}\n" for line in program.formulas),
        notes="\n\n".join(paragraph(note) for note in notes),
    )
    floats = [f"float(sys.argv[{j + 1}])" for j in range(len(program.arguments))]
    call = ("" if len(program.outputs) == 1 else "*") + f"evaluate({', '.join(floats)})"
    main = _MAIN.format(
        count=len(program.arguments) + 1, arguments=" ".join(a.upper() for a in program.arguments), call=call
    )
    support = support_of(texts)
    sections = [
        Section("Quadrature and special functions", support.functions()),
        Section("The functions", texts),
    ]
    return assembled(heading, support, sections=sections) + "\n" + main


def _accuracy_note(program: Program, accuracy: float) -> str:
    """What the file says about its errors."""
    found = ["Closed forms are accurate to the rounding of float64."]
    if program.loops() or any(p.loops() for _, p in program.fallbacks):
        found.append(
            "E[...] is the mean over the standard normal variable in it; where it is computed by quadrature "
            f"it is accurate to {accuracy:g} relative to E|...|, and NaN where that is out of reach."
        )
    found += [f"Values from a table are accurate to {t.error:.1g} of their scale." for t in program.tables]
    return " ".join(found)


@dataclass(frozen=True, slots=True)
class Section:
    """Functions of a file below a title."""

    title: str
    texts: Sequence[str]


def assembled(
    heading: str, support: Excerpt, *, sections: Sequence[Section], constants: Sequence[str] = ()
) -> str:
    """Docstring, imports, constants, and the sections that are not empty."""
    head = [heading + "\n" + support.import_lines()]
    head += ["\n".join(lines) for lines in (constants, support.constants()) if lines]
    parts = ["\n\n".join(head)]
    for section in sections:
        if section.texts:
            rule = f"# {section.title} ".ljust(_WIDTH, "-")
            parts.append("\n\n\n".join([rule, *section.texts]))
    return "\n\n\n".join(parts) + "\n"


def function_texts(name: str, program: Program, accuracy: float, *, docstring: str = "") -> list[str]:
    """The function of a program, after the tables and the fallbacks that it needs.

    Their names begin with that of the function, so that several programs may stand in one file.
    """
    prefix = f"{name}_"
    texts = [f"{prefix}{constant} = {numbers}" for constant, numbers in program.constants()]
    for fallback, inner in program.fallbacks:
        note = f"What {name} computes where a difference in it loses its digits."
        texts.append(_function(f"{prefix}{fallback}", prefix, inner, accuracy, note))
    texts.append(_function(name, prefix, program, accuracy, docstring))
    return texts


def support_of(texts: Sequence[str]) -> Excerpt:
    """What printed functions use of `special` and `quadrature`."""
    found = Excerpt()
    code = "\n".join(texts)
    found.add(f"{_FOLDER}.special", used_names(code, ["np", *special.__all__]))
    found.add(f"{_FOLDER}.quadrature", used_names(code, ["trapezoid", "panels", "integral"]))
    found.add(f"{_FOLDER}.points", used_names(code, ["as_arrays", "guarded"]))
    return found


def _function(name: str, prefix: str, program: Program, accuracy: float, docstring: str) -> str:
    printer = _NumpyPrinter(prefix, program.arguments)
    arguments = ", ".join(program.arguments)
    target = f"({arguments},)" if len(program.arguments) == 1 else arguments
    body = [f'"""{docstring}"""'] if docstring else []
    body += [f"{target} = as_arrays({arguments})", f"shape = {program.arguments[0]}.shape"]
    for statement in program.statements:
        if isinstance(statement, Assign):
            body.append(f"{statement.target} = {printer(statement.value)}")
        else:
            body += _quadrature(statement, printer, accuracy)
    values = ", ".join(printer(value) for _, value in program.outputs)
    is_one = len(program.outputs) == 1
    body.append(
        f"return np.broadcast_to({values}, shape)" if is_one else f"return as_arrays({values}, shape=shape)"
    )
    lines = [wrapped(f"    {line}".rstrip()) for line in body]
    return "\n".join(['@np.errstate(all="ignore")', f"def {name}({arguments}):", *lines])


def _quadrature(statement: Loop | Integral, printer: ExpressionPrinter, accuracy: float) -> list[str]:
    results = [n for n, _ in statement.values]
    integrand = f"integrand_{results[0].rsplit('_', 1)[1]}"
    lines = ["", f"def {integrand}({statement.variable}):"]
    lines += [f"    {line}" for line in integrand_body(statement, printer)]
    if isinstance(statement, Integral):
        call = f"integral({integrand}, {printer(statement.end)}, shape)"
    elif statement.breakpoints:
        strip = "1.0" if statement.strip is None else printer(statement.strip)
        points = listed(printer(b) for b in statement.edges)
        call = f"panels({integrand}, {strip}, {points}, shape, {accuracy!r})"
    else:
        strip = "None" if statement.strip is None else printer(statement.strip)
        call = f"trapezoid({integrand}, {strip}, shape, {accuracy!r})"
    target = f"({results[0]},)" if len(results) == 1 else ", ".join(results)
    return [*lines, "", f"{target} = {call}"]


def _formula(line: str) -> str:
    return textwrap.fill(
        line, _WIDTH, initial_indent="    ", subsequent_indent="        ", break_long_words=False
    )


def paragraph(text: str) -> str:
    """Text broken into lines of a docstring."""
    return textwrap.fill(text, _WIDTH, break_long_words=False, break_on_hyphens=False)
