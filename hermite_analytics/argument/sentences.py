r"""Sentences with mathematics in them, written once and shown as text, LaTeX, Markdown or HTML.

A paragraph is a tuple of pieces: words, or a `Math` that knows its plain text and its LaTeX.
"""

from __future__ import annotations

import html
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = [
    "Math",
    "Paragraph",
    "Piece",
    "as_html",
    "as_latex",
    "as_markdown",
    "as_text",
    "escaped_latex",
    "said",
    "wrapped",
]


@dataclass(frozen=True, slots=True)
class Math:
    """A formula: what a terminal shows, and what LaTeX sets."""

    text: str
    latex: str


Piece = str | Math
Paragraph = tuple[Piece, ...]

_SPACE = "\N{NO-BREAK SPACE}"
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "±": r"\ensuremath{\pm}",
}
_MARKDOWN = str.maketrans({c: f"\\{c}" for c in r"\`*_{}[]<>#|$~"})


def said(*parts: Piece | Iterable[Piece]) -> Paragraph:
    r"""One paragraph from words, formulas and paragraphs.

    Examples
    --------
    >>> as_text(said("here ", Math("k >= 1", r"k \ge 1"), "."))
    'here k >= 1.'
    """
    pieces: list[Piece] = []
    for part in parts:
        pieces += [part] if isinstance(part, str | Math) else part
    return tuple(pieces)


def as_text(paragraph: Paragraph) -> str:
    """For a terminal."""
    return "".join(piece.text if isinstance(piece, Math) else piece for piece in paragraph)


def wrapped(paragraph: Paragraph, width: int, *, first: str = "") -> list[str]:
    """Lines of text that do not break short formulas.

    Examples
    --------
    >>> wrapped(said("the span of ", Math("(0, 1)", "(0, 1)")), 15)
    ['the span of', '(0, 1)']
    """
    whole = [
        p.text.replace(" ", _SPACE) if isinstance(p, Math) and len(p.text) < width / 2 else as_text((p,))
        for p in paragraph
    ]
    lines = textwrap.wrap(
        "".join(whole),
        width,
        initial_indent=first,
        subsequent_indent=" " * len(first),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(_SPACE, " ") for line in lines] or [""]


def escaped_latex(words: str) -> str:
    r"""Words as LaTeX text, plain ASCII.

    Examples
    --------
    >>> print(escaped_latex("50% of {a_b}, 1 ± 2"))
    50\% of \{a\_b\}, 1 \ensuremath{\pm} 2
    """
    return "".join(_LATEX.get(c, c if c.isascii() else "?") for c in words)


def as_latex(paragraph: Paragraph) -> str:
    """For a paper."""
    shown = [f"${p.latex}$" if isinstance(p, Math) else escaped_latex(p) for p in paragraph]
    return "".join(shown).replace("$$", "${}$")


def as_markdown(paragraph: Paragraph) -> str:
    """For a notebook or a page that sets $...$."""
    shown = [f"${p.latex}$" if isinstance(p, Math) else p.translate(_MARKDOWN) for p in paragraph]
    return "".join(shown).replace("$$", "$ $")


def as_html(paragraph: Paragraph) -> str:
    r"""For a notebook: formulas between \( and \), everything escaped."""
    return "".join(
        rf"\({html.escape(p.latex)}\)" if isinstance(p, Math) else html.escape(p) for p in paragraph
    )
