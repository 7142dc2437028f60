"""What a fact is: a frozen record that can say itself, in one line and as the end of a sentence."""

from __future__ import annotations

import abc
import functools
from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from hermite_analytics.argument.sentences import Paragraph, as_html, as_latex, as_text, said

__all__ = ["Fact", "Facts", "html_of", "joined", "latex_of", "line_of", "sentence_of", "text_of", "walk"]


class Fact(abc.ABC):
    """One ground of an argument; its classes are frozen records.

    A class says in `line` what stands in tables and reasons, and in `sentence` the same in full, where that
    differs. `kind` names the class in JSON. Facts on which it rests are its field `because`.

    Examples
    --------
    >>> from hermite_analytics.argument.coefficients import VanishingTensors
    >>> fact = VanishingTensors(last=3)
    >>> print(fact, fact.latex, fact.html)
    C_1 to C_3 vanish $C_{1}$ to $C_{3}$ vanish \\(C_{1}\\) to \\(C_{3}\\) vanish
    """

    __slots__ = ()
    kind: ClassVar[str]

    @abc.abstractmethod
    def line(self) -> Paragraph:
        """In one line."""

    def sentence(self) -> Paragraph:
        """In full, to stand behind a colon."""
        return self.line()

    def __str__(self) -> str:
        return as_text(self.line())

    @property
    def latex(self) -> str:
        """One line for a paper."""
        return as_latex(self.line())

    @property
    def html(self) -> str:
        r"""One line for a page: formulas between \( and \), everything escaped."""
        return as_html(self.line())


Facts = tuple[Fact, ...]


def walk(facts: Iterable[Fact]) -> Iterator[Fact]:
    """All facts, those on which others rest included."""
    for fact in facts:
        yield fact
        yield from walk(getattr(fact, "because", ()))


def joined(paragraphs: Iterable[Paragraph], separator: str = "; ") -> Paragraph:
    """Paragraphs one behind the other."""
    found = list(paragraphs)
    return functools.reduce(lambda a, b: said(a, separator, b), found) if found else ()


def line_of(facts: Sequence[Fact]) -> Paragraph:
    """All facts in one line."""
    return joined(fact.line() for fact in facts)


def sentence_of(facts: Sequence[Fact]) -> Paragraph:
    """All facts in full, to stand behind a colon."""
    return joined(fact.sentence() for fact in facts)


def text_of(facts: Sequence[Fact]) -> str:
    """One line for a terminal."""
    return as_text(line_of(facts))


def latex_of(facts: Sequence[Fact]) -> str:
    """One line for a paper."""
    return as_latex(line_of(facts))


def html_of(facts: Sequence[Fact]) -> str:
    """One line for a page."""
    return as_html(line_of(facts))
