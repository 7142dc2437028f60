"""One file of Python from formulas, functions of this library and a command line."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hermite_analytics.codegen import generated_by
from hermite_analytics.codegen.excerpt import Excerpt
from hermite_analytics.codegen.names import plain
from hermite_analytics.codegen.request import Request
from hermite_analytics.codegen.standalone_backend.printer import (
    Section,
    assembled,
    function_texts,
    paragraph,
    support_of,
)
from hermite_analytics.numeric.exported.flags import Flag

__all__ = ["Constant", "Document", "Formula"]

_ACCURACY = 1e-12
_WIDTH = 110
_INFINITE = re.compile(r"\binf\b")
_HEADING = '''"""{summary}

{sections}

{title}.
"""

from __future__ import annotations
'''
_MAIN = """def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
{flags}
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    args = parser.parse_args()
    try:
{body}
    except ArithmeticError as error:
        parser.exit(1, f"{{parser.prog}}: no solution was found: {{error}}\\n")
    print_results("{model}", rows, ({shown}), args.json)


if __name__ == "__main__":
    main()"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula:
    """Expressions that become one function of the file.

    Attributes
    ----------
    name : str
    expressions : mapping of names to expressions of sympy
    arguments : tuple of str
    docstring : str
    """

    name: str
    expressions: Mapping[str, Any]
    arguments: tuple[str, ...]
    docstring: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant:
    """A number, nested sequences of numbers or an array at the top of the file."""

    name: str
    value: Any
    comment: str

    @property
    def text(self) -> str:
        """The statement; long ones run over several lines."""
        is_array = isinstance(self.value, np.ndarray)
        shown = _INFINITE.sub("math.inf", repr(self.value.ravel().tolist() if is_array else self.value))
        if is_array:
            shape = self.value.shape
            shown = f"np.array({shown})" + (
                f".reshape({', '.join(map(str, shape))})" if len(shape) > 1 else ""
            )
        line = f"{self.name} = {shown}  # {self.comment}"
        if len(line) <= _WIDTH:
            return line
        return "\n".join(
            [f"# {self.comment}", *textwrap.wrap(f"{self.name} = {shown}", _WIDTH, subsequent_indent="    ")]
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What a file consists of.

    Attributes
    ----------
    model : str
        The name on the command line.
    summary : str
        First line of the docstring.
    sections : sequence of str
        The rest of it: paragraphs, and indented blocks that stay as they are.
    constants : sequence of Constant
        Of the problem.
    formulas : sequence of Formula
    functions : sequence of str
        Text of the functions of the problem.
    solver : (module, names)
        Functions of this library that use numpy only.
    tools : (module, names), optional
        What the solver needs and a reader does not.
    flags : sequence of Flag
    body : str
        Python that makes `rows` from `args`, indented twice.
    shown : tuple of str
        Columns of the table.
    """

    model: str
    summary: str
    sections: Sequence[str]
    constants: Sequence[Constant]
    formulas: Sequence[Formula]
    functions: Sequence[str]
    solver: tuple[str, Iterable[str]]
    tools: tuple[str, Iterable[str]] | None
    flags: Sequence[Flag]
    body: str
    shown: tuple[str, ...]

    def text(self) -> str:
        """The file."""
        programs = []
        for formula in self.formulas:
            program = Request.of(formula.expressions, formula.arguments).program()
            programs += function_texts(formula.name, program, _ACCURACY, docstring=formula.docstring)
        support = support_of(programs)
        if self.tools is not None:
            support.add(*self.tools)
        tools = _functions(support, ())
        support.add(*self.solver)
        solver = _functions(support, tools)
        readers = " ".join(flag.reader for flag in self.flags)
        needed = [name for name in ("number_above", "at_least", "list_of") if name in readers]
        support.add("hermite_analytics.numeric.exported.command_line", [*needed, "print_results", "argparse"])
        command_line = [*_functions(support, (*tools, *solver)), self._main()]
        heading = _HEADING.format(
            summary=self.summary,
            sections="\n\n".join(
                plain(s) if s.startswith(" ") else paragraph(plain(s)) for s in self.sections
            ),
            title=generated_by() + f". It needs {'numpy only' if support.needs('numpy') else 'Python alone'}",
        )
        return assembled(
            heading,
            support,
            constants=[constant.text for constant in self.constants],
            sections=[
                Section("The functions of this activation and target", programs),
                Section("Quadrature and special functions", tools),
                Section("Equations", [*solver, *self.functions]),
                Section("Command line", command_line),
            ],
        )

    def _main(self) -> str:
        return _MAIN.format(
            flags="\n".join(flag.text for flag in self.flags),
            body=self.body.rstrip("\n"),
            model=self.model,
            shown=", ".join(f'"{name}"' for name in self.shown),
        )


def _functions(support: Excerpt, known: Sequence[str]) -> list[str]:
    """The functions and classes that were added after `known`."""
    return [b for b in support.functions() if b not in known]
