"""Facts that are sentences: a theorem with its source, and a remark where no other record fits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hermite_analytics.argument.fact import Fact, Facts
from hermite_analytics.argument.sentences import Paragraph, Piece, said

__all__ = ["Remark", "Theorem", "remark"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Theorem(Fact):
    """A statement whose hypothesis was verified, and where it is proved.

    Attributes
    ----------
    statement : str
        What was verified.
    source : str
        Paper, and equation where there is one.
    """

    kind: ClassVar[str] = "theorem"
    statement: str
    source: str

    def line(self) -> Paragraph:
        return (self.statement,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark(Fact):
    """A free sentence, which only people read.

    Attributes
    ----------
    words : paragraph
        Words and formulas.
    """

    kind: ClassVar[str] = "remark"
    words: Paragraph

    def line(self) -> Paragraph:
        return self.words


def remark(*pieces: Piece) -> Facts:
    """One remark, as the facts of an argument.

    Examples
    --------
    >>> [str(fact) for fact in remark("the function is constant")]
    ['the function is constant']
    """
    return (Remark(words=said(*pieces)),)
