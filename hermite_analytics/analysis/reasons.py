r"""The one-line reasons of answers, read back into words and formulas.

Reasons are written for terminals, as in "c_(2, 0) = 1/3; f(-z1) = f(z1)". The formulas in them are found by
their first characters and set in LaTeX; what is not understood stays words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sympy import Symbol

from hermite_analytics.argument.sentences import Math, Paragraph, Piece
from hermite_analytics.errors import ParseError
from hermite_analytics.language import display
from hermite_analytics.language.parser import parse, target_names

__all__ = ["decimal_latex", "expression_math", "read_reason", "rows_math"]

_COEFFICIENT = re.compile(r"c_\((\d+(?:, \d+)*)\)(?: = ([^; ](?:[^;]*[^; ])?))?")
_TENSOR = re.compile(r"C_(\d+)(?: (=|!=) 0\b)?")
_FUNCTION = re.compile(r"-?[fg]\(")
_TRANSFORMATION = re.compile(r"T = ([^;,]*[^;, ])")
_LETTER = re.compile(r"z\d+|[A-Za-z]_[a-z\d]|[fgwyTU]")
_MEAN = re.compile(r"E\[")
_ROW = re.compile(r"\((?=[-\d(sE])")
_STARTS = re.compile(
    r"c_\(|C_\d|-?\b[fg]\(|\bE\[|\bT = |\b(?:z\d+|[A-Za-z]_[a-z\d]|[fgwyTU])\b(?!['*\[({])|\("
)
_RELATION = {"=": "=", "!=": r"\neq"}


def read_reason(reason: str) -> Paragraph:
    """Words and formulas of a reason.

    Examples
    --------
    >>> [piece.latex for piece in read_reason("C_1 vanishes; c_(2) = sqrt(2)/3") if isinstance(piece, Math)]
    ['C_{1}', 'c_{(2)} = \\\\frac{\\\\sqrt{2}}{3}']
    """
    return tuple(_pieces(reason))


def expression_math(text: str) -> Math:
    """An expression of the language as a formula; verbatim if it is not one."""
    return Math(text, _expression(text) or _loose(text))


def rows_math(rows: tuple[tuple[str, ...], ...]) -> Math:
    """The span of rows."""
    plain = ", ".join(f"({', '.join(row)})" for row in rows)
    tex = ",\\; ".join(f"({', '.join(_expression(x) or _loose(x) for x in row)})" for row in rows)
    return Math(f"span{{{plain}}}", rf"\operatorname{{span}}\{{{tex}\}}") if rows else Math("{0}", r"\{0\}")


def _pieces(text: str) -> Iterator[Piece]:
    place = 0
    while place < len(text):
        start = _STARTS.search(text, place)
        if start is None:
            break
        if start.start() > place:
            yield text[place : start.start()]
        found = _formula(text, start.start())
        if found is None:
            place = start.start() + 1
            yield text[start.start()]
            continue
        formula, place = found
        yield formula
    if place < len(text):
        yield text[place:]


def _formula(text: str, at: int) -> tuple[Math, int] | None:
    """The formula that starts here, and where it ends."""
    if match := _COEFFICIENT.match(text, at):
        value = f" = {_number(match[2])}" if match[2] else ""
        return Math(match[0], f"c_{{({match[1]})}}{value}"), match.end()
    if match := _TENSOR.match(text, at):
        relation = f" {_RELATION[match[2]]} 0" if match[2] else ""
        return Math(match[0], f"C_{{{match[1]}}}{relation}"), match.end()
    if _FUNCTION.match(text, at):
        return _symmetry(text, at)
    if _MEAN.match(text, at):
        return _mean(text, at)
    if match := _TRANSFORMATION.match(text, at):
        return Math(match[0], f"T = {_expression(match[1]) or _loose(match[1])}"), match.end()
    if match := _LETTER.match(text, at):
        letter, digits = match[0][0], match[0][1:].lstrip("_")
        return Math(match[0], f"{letter}_{{{digits}}}" if digits else letter), match.end()
    return _row(text, at)


def _symmetry(text: str, at: int) -> tuple[Math, int] | None:
    """f(...) or f(...) = f(...)."""
    first = _value_of_f(text, at)
    if first is None:
        return None
    tex, end = first
    if text.startswith(" = ", end) and _FUNCTION.match(text, end + 3):
        second = _value_of_f(text, end + 3)
        if second is not None:
            tex, end = f"{tex} = {second[0]}", second[1]
    return Math(text[at:end], tex), end


def _value_of_f(text: str, at: int) -> tuple[str, int] | None:
    opened = text.index("(", at)
    end = _closing(text, opened)
    if end is None:
        return None
    arguments = [_expression(part) or _loose(part) for part in _split(text[opened + 1 : end - 1])]
    return f"{text[at:opened]}({', '.join(arguments)})", end


def _mean(text: str, at: int) -> tuple[Math, int] | None:
    """E[...], with a relation to 0 behind it if there is one."""
    end = _closing(text, at + 1)
    if end is None:
        return None
    inside = text[at + 2 : end - 1]
    tex = rf"\mathbb{{E}}[{_expression(inside) or _loose(inside)}]"
    if match := re.compile(r" (!=|=) 0\b").match(text, end):
        tex, end = f"{tex} {_RELATION[match[1]]} 0", match.end()
    return Math(text[at:end], tex), end


def _row(text: str, at: int) -> tuple[Math, int] | None:
    """A row of numbers in brackets, as in (1, -1/2)."""
    end = _closing(text, at)
    if end is None or not _ROW.match(text, at):
        return None
    entries = [_entry(part) for part in _split(text[at + 1 : end - 1])]
    if any(entry is None for entry in entries):
        return None
    return Math(text[at:end], f"({', '.join(map(str, entries))})"), end


def _entry(text: str) -> str | None:
    try:
        return display.latex(parse(text, lambda _: None, accepted="numbers"))
    except ParseError:
        return _loose(text) if text.strip().startswith("E[") else None


def _number(text: str) -> str:
    """A value, with or without the radius of a ball."""
    middle, sign, radius = text.partition(" ± ")
    tex = decimal_latex(middle) or _expression(middle) or _loose(middle)
    return f"{tex} \\pm {decimal_latex(radius) or _loose(radius)}" if sign else tex


def decimal_latex(text: str) -> str | None:
    """A decimal as it stands, its power of ten set; None for anything else.

    Examples
    --------
    >>> print(decimal_latex("2.5e-17"), decimal_latex("0.5"), decimal_latex("1/2"))
    2.5 \\cdot 10^{-17} 0.5 None
    """
    match = re.fullmatch(r"(-?\d+(?:\.\d+)?)(?:e([+-]?\d+))?", text)
    if match is None:
        return None
    return rf"{match[1]} \cdot 10^{{{int(match[2])}}}" if match[2] else match[1]


def _expression(text: str) -> str | None:
    """LaTeX of an expression of the language."""
    try:
        tex = display.latex(parse(text, _names, accepted="z1, z2, ..., xi"))
    except ParseError:
        return None
    return tex.replace(r"\operatorname{He}", r"\mathrm{He}")


def _names(name: str) -> Symbol | None:
    found = target_names(name)
    return Symbol(name) if found is None and name in ("x", "y") else found


def _loose(text: str) -> str:
    """A formula that is not of the language: names and powers are set, the rest stands as it is."""
    tex = text.replace("\\", "").replace("{", r"\{").replace("}", r"\}")
    tex = re.sub(r"\*\*(\d+)", r"^{\1}", tex)
    tex = re.sub(r"\b(He|z|C|c|T|U)_?(\d+|(?<=_)k)\b", lambda m: f"{_roman(m[1])}_{{{m[2]}}}", tex)
    tex = re.sub(r"\b(sign|tanh|relu|exp|sin|cos|erf|log|abs|step|sqrt)\b", r"\\operatorname{\1}", tex)
    tex = tex.replace("!=", r"\neq ").replace("*", r"\,").replace("|", r"\mid ").replace("±", r"\pm ")
    return re.sub(r"[$&%#~]|_(?!\{)|\^(?!\{)|[^\x00-\x7f]", " ", tex)


def _roman(name: str) -> str:
    return r"\mathrm{He}" if name == "He" else name


def _closing(text: str, opened: int) -> int | None:
    """The place after the bracket that closes the one at `opened`."""
    depth = 0
    for place in range(opened, len(text)):
        depth += (text[place] in "([{") - (text[place] in ")]}")
        if depth == 0:
            return place + 1
    return None


def _split(text: str) -> list[str]:
    """Parts between commas that stand in no bracket."""
    parts, depth = [""], 0
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip() for part in parts]
