"""Formulas as MathML, which browsers draw without scripts or fonts from elsewhere."""

from __future__ import annotations

import html
import re
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert

_IN_HTML = re.compile(r"\\\((.+?)\\\)|\\\[(.+?)\\\]")


def _mathml(formula: str, display: str) -> str:
    """latex2mathml knows arrays, but not `aligned`."""
    text = re.sub(r"\\begin\{align(ed)?\*?\}", r"\\begin{array}{rl}", formula)
    text = re.sub(r"\\end\{align(ed)?\*?\}", r"\\end{array}", text)
    return convert(text, display=display)


def _inline(self: Any, node: Any) -> None:
    self.body.append(_mathml(node.astext(), "inline"))
    raise nodes.SkipNode


def _display(formula: str) -> str:
    return f'<div class="math" style="overflow-x: auto">{_mathml(formula, "block")}</div>\n'


def _block(self: Any, node: Any) -> None:
    self.body.append(_display(node.astext()))
    raise nodes.SkipNode


def _set(found: re.Match[str]) -> str:
    inline, block = found.groups()
    return _mathml(html.unescape(inline), "inline") if inline else _display(html.unescape(block))


def _in_outputs(app: Any, doctree: Any, docname: str) -> None:
    """Formulas between \\( and \\), \\[ and \\] in the HTML that objects show of themselves in notebooks."""
    for node in doctree.findall(nodes.raw):
        if node.get("format") == "html":
            node.children = [nodes.Text(_IN_HTML.sub(_set, node.astext()))]


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    app.connect("doctree-resolved", _in_outputs)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
