"""One file of Python from formulas, functions of this library and a command line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hermite_analytics.codegen import generated_by
from hermite_analytics.codegen.request import Request
from hermite_analytics.codegen.standalone_backend.printer import (
    assembled,
    function_texts,
    paragraph,
    support_of,
)
from hermite_analytics.errors import InputError

__all__ = ["Flag", "Formula", "document", "one_number"]

_ACCURACY = 1e-12
_MAIN = '''def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
{flags}
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    args = parser.parse_args()
{body}


if __name__ == "__main__":
    main()
'''


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
class Flag:
    """A flag of the file: required, or with the value that it was exported with.

    Attributes
    ----------
    name : str
    kind : str
        Python of the reader: "number_above(0.0)".
    help : str
    value : float, optional
    """

    name: str
    kind: str
    help: str
    value: float | None = None

    @property
    def text(self) -> str:
        given = "required=True" if self.value is None else f"default={_number(self.value)}"
        shown = "" if self.value is None else " (%(default)g)"
        return f'    parser.add_argument("--{self.name}", type={self.kind}, {given}, help="{self.help}{shown}")'


def document(
    *,
    summary: str,
    sections: Sequence[str],
    constants: Sequence[tuple[str, Any, str]],
    formulas: Sequence[Formula],
    excerpts: Sequence[tuple[str, Iterable[str]]],
    functions: Sequence[str],
    flags: Sequence[Flag],
    body: str,
) -> str:
    """The text of the file.

    Parameters
    ----------
    summary : str
        First line of the docstring.
    sections : sequence of str
        The rest of it: paragraphs, and indented blocks that stay as they are.
    constants : sequence of (name, value, comment)
        Of the problem.
    formulas : sequence of Formula
    excerpts : sequence of (module, names)
        Functions of this library that use numpy only.
    functions : sequence of str
        Text of further functions.
    flags : sequence of Flag
    body : str
        What `main` does with `args`, indented.
    """
    texts = [f"{name} = {_constant(value)}" + (f"  # {comment}" if comment else "") for name, value, comment in constants]
    heading = ["\n".join(texts)] if texts else []
    programs = []
    for formula in formulas:
        program = Request.of(formula.expressions, formula.arguments).program()
        programs += function_texts(formula.name, program, _ACCURACY, docstring=formula.docstring)
    support = support_of(programs)
    for module, names in excerpts:
        support.add(module, names)
    support.add("hermite_analytics.numeric.exported.command_line", [*_readers(flags), "print_results", "argparse"])
    main = _MAIN.format(flags="\n".join(flag.text for flag in flags), body=body.rstrip("\n"))
    docstring = "\n\n".join(s if s.startswith(" ") else paragraph(s) for s in sections)
    top = f'"""{summary}\n\n{docstring}\n\n{generated_by()}. It needs numpy only.\n"""\n\nfrom __future__ import annotations\n'
    return assembled(top, support, [*programs, *functions, main.rstrip("\n")], constants=heading)


def one_number(name: str, value: Any) -> float | None:
    """A parameter that the file will have as its default.

    Raises
    ------
    InputError
        If it is no single number.
    """
    if value is None:
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputError(
            f"{name} is {str(value)[:40]}; a file is exported with one number for it (alpha takes a list when "
            "the file runs)"
        ) from None


def _readers(flags: Sequence[Flag]) -> list[str]:
    text = " ".join(flag.kind for flag in flags)
    return [name for name in ("number_above", "at_least", "list_of") if name in text]


def _number(value: float) -> str:
    return f'float("{value}")' if value in (float("inf"), -float("inf")) else repr(float(value))


def _constant(value: Any) -> str:
    return value if isinstance(value, str) else repr(value)
