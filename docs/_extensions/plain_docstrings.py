"""Docstrings are plain text with formulas: bars and asterisks in them are no markup."""

from __future__ import annotations

import re
from typing import Any

from sphinx.domains.python import PyClasslike

_COLON = "\ue000"  # stands for a colon between the two handlers
_INLINE = re.compile(r"``.+?``|`[^`]*`")


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


def _before(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Before napoleon sees the sections; examples stay as they are."""
    if what in {"attribute", "property"} and lines:  # napoleon takes what stands before a colon for a type
        lines[0] = lines[0].replace(":", _COLON)
    in_example = False
    for i, line in enumerate(lines):
        in_example = line.lstrip().startswith(">>>") or (in_example and bool(line.strip()))
        if not in_example:
            lines[i] = _escaped(line)


def _after(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    lines[:] = [line.replace(_COLON, ":") for line in lines]


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    for kind in PyClasslike.doc_field_types:
        if kind.name == "variable":
            kind.label = "Attributes"
    app.connect("autodoc-process-docstring", _before, priority=100)
    app.connect("autodoc-process-docstring", _after, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
