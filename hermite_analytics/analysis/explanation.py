"""The argument for every claim about a target: sections of sentences, shown in four ways."""

from __future__ import annotations

import html
from dataclasses import dataclass

from hermite_analytics.argument.sentences import (
    Paragraph,
    as_html,
    as_latex,
    as_markdown,
    as_text,
    escaped_latex,
    said,
    wrapped,
)
from hermite_analytics.foundation.json import Document
from hermite_analytics.rendering import Frame, Result
from hermite_analytics.rendering.text import MOST_LINES, cut

__all__ = ["Explanation", "Section", "Steps"]

_WIDTH = 100
_BEGIN = 2  # lines of a section in the overview


@dataclass(frozen=True, slots=True)
class Steps:
    """Paragraphs that are numbered."""

    items: tuple[Paragraph, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A title, and paragraphs and numbered steps under it."""

    title: str
    blocks: tuple[Paragraph | Steps, ...]

    @property
    def paragraphs(self) -> tuple[Paragraph, ...]:
        """Those of its steps too."""
        return tuple(
            p for block in self.blocks for p in (block.items if isinstance(block, Steps) else (block,))
        )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Explanation(Result):
    """Why the answers about a target are what they are.

    `text` is all of it, `.latex` is for the appendix of a paper (amsmath and amssymb); notebooks show it with
    formulas, one section unfolded at a time. `print` shows how each section begins where all is too long.

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
        if len(self.text.splitlines()) <= MOST_LINES:
            return self.text
        width = max(len(section.title) for section in self.sections)
        begins = [line for section in self.sections for line in _begin(section, width)]
        whole = len(self.text.splitlines())
        return cut("\n".join([self.title, *begins, f"all {whole} lines: .text; for a paper: .latex"]))

    @property
    def text(self) -> str:
        """All of it, for a terminal."""
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

    def frame(self) -> Frame:
        """One row a section: its title, and what it says, as text."""
        rows = [
            {"section": section.title, "argument": " ".join(map(as_text, section.paragraphs))}
            for section in self.sections
        ]
        return Frame(title=self.title, rows=tuple(rows))

    def document(self) -> Document:
        """{"title", "sections": a list of {"title", "paragraphs"}}, JSON-ready, as text."""
        sections = [
            {"title": s.title, "paragraphs": [as_text(p) for p in s.paragraphs]} for s in self.sections
        ]
        return {"title": self.title, "sections": sections}

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
            parts.append(f"<details><summary>{html.escape(section.title)}</summary>")
            for block in section.blocks:
                if isinstance(block, Steps):
                    items = "".join(f"<li>{as_html(item)}</li>" for item in block.items)
                    parts.append(f"<ol>{items}</ol>")
                else:
                    parts.append(f"<p>{as_html(block)}</p>")
            parts.append("</details>")
        return "\n".join([*parts, "</div>"])


def _begin(section: Section, width: int) -> list[str]:
    """The first lines of a section, beside its title."""
    lines = wrapped(said(*((*p, " ") for p in section.paragraphs)), _WIDTH - width - 8)
    shown = lines if len(lines) <= _BEGIN else [*lines[: _BEGIN - 1], lines[_BEGIN - 1] + " ..."]
    return [f"  {section.title if k == 0 else '':<{width}}  {line}" for k, line in enumerate(shown)]
