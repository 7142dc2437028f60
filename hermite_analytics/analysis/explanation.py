"""The argument for every claim about a target: sections of sentences, shown in four ways."""

from __future__ import annotations

import html
from dataclasses import dataclass

from hermite_analytics.argument.sentences import (
    Paragraph,
    as_html,
    as_latex,
    as_markdown,
    escaped_latex,
    wrapped,
)

__all__ = ["Explanation", "Section", "Steps"]

_WIDTH = 100


@dataclass(frozen=True, slots=True)
class Steps:
    """Paragraphs that are numbered."""

    items: tuple[Paragraph, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A title, and paragraphs and numbered steps under it."""

    title: str
    blocks: tuple[Paragraph | Steps, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why the answers about a target are what they are.

    `print` shows text; `.latex` is for the appendix of a paper (amsmath and amssymb); notebooks show it with
    formulas.

    Attributes
    ----------
    title : str
    sections : tuple of Section

    Examples
    --------
    >>> from hermite_analytics.analysis import analyze
    >>> argument = analyze("z1").explain()
    >>> [section.title for section in argument.sections][:3]
    ['Function', 'Moments', 'First nonzero tensor']
    """

    title: str
    sections: tuple[Section, ...]

    def __str__(self) -> str:
        lines = [self.title, "=" * min(len(self.title), _WIDTH)]
        for section in self.sections:
            lines += ["", section.title, "-" * len(section.title)]
            for block in section.blocks:
                if isinstance(block, Steps):
                    for number, item in enumerate(block.items, 1):
                        lines += wrapped(item, _WIDTH, first=f"  {number}. ")
                else:
                    lines += wrapped(block, _WIDTH)
        return "\n".join(lines)

    @property
    def latex(self) -> str:
        """For a paper: \\paragraph headings, enumerations and inline formulas; needs amsmath and amssymb."""
        lines = [rf"% {self.title}".encode("ascii", "replace").decode()]
        for section in self.sections:
            lines += ["", rf"\paragraph{{{escaped_latex(section.title)}.}}"]
            for block in section.blocks:
                if isinstance(block, Steps):
                    lines.append(r"\begin{enumerate}")
                    lines += [rf"  \item {as_latex(item)}" for item in block.items]
                    lines.append(r"\end{enumerate}")
                else:
                    lines += [as_latex(block), ""]
        return "\n".join(lines).rstrip() + "\n"

    def _repr_latex_(self) -> None:
        """Nothing: notebooks take the HTML, as MathJax knows no enumerate."""
        return

    def _repr_markdown_(self) -> str:
        lines = [f"## {as_markdown((self.title,))}"]
        for section in self.sections:
            lines += ["", f"### {section.title}", ""]
            for block in section.blocks:
                if isinstance(block, Steps):
                    lines += [f"{n}. {as_markdown(item)}" for n, item in enumerate(block.items, 1)]
                    lines.append("")
                else:
                    lines += [as_markdown(block), ""]
        return "\n".join(lines).rstrip() + "\n"

    def _repr_html_(self) -> str:
        parts = [f"<div><h3>{html.escape(self.title)}</h3>"]
        for section in self.sections:
            parts.append(f"<h4>{html.escape(section.title)}</h4>")
            for block in section.blocks:
                if isinstance(block, Steps):
                    items = "".join(f"<li>{as_html(item)}</li>" for item in block.items)
                    parts.append(f"<ol>{items}</ol>")
                else:
                    parts.append(f"<p>{as_html(block)}</p>")
        return "\n".join([*parts, "</div>"])
