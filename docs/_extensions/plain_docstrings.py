"""Docstrings are plain text with formulas, which are set as mathematics; bars and asterisks are no markup."""

from __future__ import annotations

import re
from typing import Any

from plain_math import display, inline, is_block
from sphinx.addnodes import pending_xref
from sphinx.domains.python import PyClasslike

_COLON = "\ue000"  # stands for a colon between the two handlers
_INLINE = re.compile(r"``.+?``|`[^`]*`")
_FORMULA = re.compile("\ue001(\\d+)\ue002")
_UNDERLINE = re.compile(r"-{3,}$")
_CLASS = re.compile(r"([A-Z]\w+|\w+(\.\w+)+)$")
_WITH_HEADS = {"Parameters", "Other Parameters", "Returns", "Yields", "Attributes", "Raises", "Warns"}


def _escaped(line: str) -> str:
    """|x|, a*b and x_ as they stand, outside of back quotes."""
    parts, last = [], 0
    for quoted in _INLINE.finditer(line):
        name = quoted.group().strip("`")
        parts += [_plain(line[last : quoted.start()]), f"``{name}``" if name else quoted.group()]
        last = quoted.end()
    return "".join([*parts, _plain(line[last:])])


def _plain(text: str) -> str:
    return re.sub(r"(?<!\\)([*|])|(?<=\w)_(?=\W|$)", lambda m: "\\" + m.group(), text)


def _set(text: str) -> str:
    """A paragraph with its formulas as roles."""
    formulas: list[str] = []

    def kept(latex: str) -> str:
        formulas.append(latex)
        return f"\ue001{len(formulas) - 1}\ue002"

    return _FORMULA.sub(lambda m: f"\\ :math:`{formulas[int(m[1])]}`\\ ", _escaped(inline(text, kept)))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _paragraphs(lines: list[str]) -> list[list[str]]:
    """Runs of lines of one indentation; empty lines, heads of sections and examples stand alone."""
    found: list[list[str]] = []
    for line in lines:
        alone = not line.strip() or line.lstrip().startswith((">>>", "..."))
        if found and not alone and found[-1][0].strip() and _indent(found[-1][0]) == _indent(line):
            found[-1].append(line)
        else:
            found.append([line])
    return found


def _converted(lines: list[str]) -> list[str]:
    out: list[str] = []
    section, in_example, text_indent = "", False, 0
    for block in _paragraphs(lines):
        first = block[0].strip()
        in_example = first.startswith(">>>") or (in_example and bool(first))
        if len(block) > 1 and _UNDERLINE.match(
            block[1].strip()
        ):  # the head of a section, and what stands below it
            section, text_indent = first, 0
            out += block[:2]
            block = block[2:]
        if in_example or not first or not block:
            out += block
        elif _indent(block[0]) == 0 and section in _WITH_HEADS:
            out += [_escaped(line) for line in block]
        elif out and not out[-1].strip() and _indent(block[0]) >= text_indent + 4 and is_block(block):
            margin = " " * text_indent
            out += [
                f"{margin}.. math::",
                "",
                *(f"{margin}   {row}" for row in display(block).split("\n")),
                "",
            ]
        else:
            text_indent = _indent(block[0])
            margin = block[0][:text_indent]
            out += [margin + line for line in _set("\n".join(line.strip() for line in block)).split("\n")]
    return out


def _before(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Before napoleon sees the sections; examples stay as they are."""
    lines[:] = _converted(lines)
    if what in {"attribute", "property"} and lines:  # napoleon takes what stands before a colon for a type
        lines[0] = lines[0].replace(":", _COLON)


def _after(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    lines[:] = [line.replace(_COLON, ":") for line in lines]


def _types_in_words(app: Any, tree: Any) -> None:
    """Types such as "list of text" are words: they name no attribute called `text` or `list`."""
    for found in list(tree.findall(pending_xref)):
        if found.get("reftype") == "class" and not _CLASS.match(found["reftarget"]):
            found.replace_self(found.children)


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    for kind in PyClasslike.doc_field_types:
        if kind.name == "variable":
            kind.label = "Attributes"
    app.connect("autodoc-process-docstring", _before, priority=100)
    app.connect("autodoc-process-docstring", _after, priority=900)
    app.connect("doctree-read", _types_in_words)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
