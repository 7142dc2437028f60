r"""Formulas: how expressions, numbers and rows stand in sentences."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from sympy import Expr, S

from hermite_analytics.argument.sentences import Math
from hermite_analytics.language import display

__all__ = ["Entry", "Rows", "decimal_latex", "entry_math", "formula", "row_math", "rows_text", "span_math"]

Entry: TypeAlias = Expr | Math
"""A number: in closed form, or by the formula that defines it."""

Rows: TypeAlias = tuple[tuple[Entry, ...], ...]

_ZERO, _ONE = Math("0", "0"), Math("1", "1")


def formula(expr: Expr, text: str | None = None) -> Math:
    r"""An expression, its text as sympy writes it where none is given.

    Examples
    --------
    >>> from sympy import Symbol, sqrt
    >>> formula(sqrt(2) * Symbol("z1", real=True))
    Math(text='sqrt(2)*z1', latex='\\sqrt{2} z_{1}')
    """
    if text is None and (expr is S.Zero or expr is S.One):  # most entries of bases of many coordinates
        return _ZERO if expr is S.Zero else _ONE
    plain = str(expr) if text is None else text
    return Math(plain, display.latex(expr).replace(r"\operatorname{He}", r"\mathrm{He}"))


def entry_math(entry: Entry) -> Math:
    """A number as a formula."""
    return entry if isinstance(entry, Math) else formula(entry)


def decimal_latex(digits: str) -> str:
    r"""A decimal as Python writes it, its power of ten set.

    Examples
    --------
    >>> print(decimal_latex("2.5e-17"), decimal_latex("0.5"))
    2.5 \cdot 10^{-17} 0.5
    """
    mantissa, e, power = digits.partition("e")
    return rf"{mantissa} \cdot 10^{{{int(power)}}}" if e else digits


def row_math(row: tuple[Entry, ...]) -> Math:
    """A vector."""
    shown = [entry_math(x) for x in row]
    return Math(_bracketed(x.text for x in shown), _bracketed(x.latex for x in shown))


def span_math(rows: Rows) -> Math:
    r"""The span of rows.

    Examples
    --------
    >>> from sympy import S
    >>> print(span_math(((S.One, S.Zero),)).latex)
    \operatorname{span}\{(1, 0)\}
    """
    if not rows:
        return Math("{0}", r"\{0\}")
    shown = [row_math(row) for row in rows]
    plain = ", ".join(row.text for row in shown)
    tex = r",\; ".join(row.latex for row in shown)
    return Math(f"span{{{plain}}}", rf"\operatorname{{span}}\{{{tex}\}}")


def rows_text(rows: Rows) -> tuple[tuple[str, ...], ...]:
    """The rows as text."""
    return tuple(tuple(entry_math(x).text for x in row) for row in rows)


def _bracketed(entries: Iterable[str]) -> str:
    return f"({', '.join(entries)})"
