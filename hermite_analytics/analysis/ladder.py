"""Staircases as ladders: subspaces are rungs, and between two rungs stands what unlocks the step."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from hermite_analytics.analysis.answers import Answers
from hermite_analytics.analysis.documents import staircase_of
from hermite_analytics.argument.fact import line_of
from hermite_analytics.argument.sentences import as_text
from hermite_analytics.argument.steps import unlocking
from hermite_analytics.exponents import Staircase

__all__ = ["Ladder", "Rung", "ladders", "text_of"]

_TITLES = {
    "staircase": "staircase (n ~ d)",
    "leap_decomposition": "leap decomposition",
    "grand_staircase": "grand staircase",
}
_WIDTH = 34
_MOST_LINES = 4  # of a reason
_RAILS = "  |  | "


@dataclass(frozen=True, slots=True, kw_only=True)
class Rung:
    """A subspace.

    Attributes
    ----------
    dimension : int
    basis : str
    order : int or None
        Of the step that leads here; None for the ground.
    unlocked_by : str
    """

    dimension: int
    basis: str
    order: int | None
    unlocked_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """One staircase.

    Attributes
    ----------
    title : str
    rungs : tuple of Rung
        From the ground up.
    end : str
        Why there is no further rung.
    is_open : bool
        Whether it is undecided that it ends.
    """

    title: str
    rungs: tuple[Rung, ...]
    end: str
    is_open: bool


def ladders(a: Answers) -> tuple[Ladder, ...]:
    """Staircase, leap decomposition and grand staircase of a target."""
    return tuple(_ladder(title, staircase_of(a, name)) for name, title in _TITLES.items())


def text_of(drawn: tuple[Ladder, ...]) -> str:
    """Ladders side by side, subspaces of one dimension on one line.

    Examples
    --------
    >>> print(text_of(ladders(Answers("z1 + z1*z2"))[:1]))
    staircase (n ~ d)
    ends: the dimension 2 is reached
    2 |==| (1, 0) (0, 1)
      |  | order 1: c_(1, 1) = 1
    1 |==| (1, 0)
      |  | order 1: c_(1, 0) = 1
    0 |==| {0}
    """
    heads = [_head(ladder) for ladder in drawn]
    tallest = max(len(head) for head in heads)
    columns = [[*head, *[""] * (tallest - len(head))] for head in heads]
    for dimension in sorted({rung.dimension for ladder in drawn for rung in ladder.rungs}, reverse=True):
        for column, lines in zip(columns, _storey(drawn, dimension), strict=True):
            column += lines
    return _side_by_side(columns)


def _storey(drawn: tuple[Ladder, ...], dimension: int) -> list[list[str]]:
    """The lines of each ladder at one dimension, equally many: below the own ones its rails go on."""
    blocks = [_block(ladder, dimension) for ladder in drawn]
    height = max(len(block) for block in blocks)
    storey = []
    for block, ladder in zip(blocks, drawn, strict=True):
        goes_on = 0 < dimension < ladder.rungs[-1].dimension or len(block) > 1
        storey.append([*block, *[_RAILS.rstrip() if goes_on else ""] * (height - len(block))])
    return storey


def _side_by_side(columns: list[list[str]]) -> str:
    widths = [max(len(line) for line in column) for column in columns]
    shown = [[cell.ljust(width) for cell in column] for column, width in zip(columns, widths, strict=True)]
    return "\n".join("   ".join(row).rstrip() for row in zip(*shown, strict=True))


def _ladder(title: str, steps: Staircase) -> Ladder:
    ground = Rung(dimension=0, basis="{0}", order=None, unlocked_by="")
    climbed = [
        Rung(
            dimension=basis.dimension,
            basis=str(basis),
            order=order,
            unlocked_by=as_text(line_of(unlocking(facts))),
        )
        for basis, order, facts in zip(steps.subspaces[1:], steps.orders, steps.steps, strict=True)
    ]
    end = as_text(line_of(steps.end))
    return Ladder(title=title, rungs=(ground, *climbed), end=end, is_open=steps.limit_dimension is None)


def _head(ladder: Ladder) -> list[str]:
    return [ladder.title, *_wrapped(("open: " if ladder.is_open else "ends: ") + ladder.end, "")]


def _block(ladder: Ladder, dimension: int) -> list[str]:
    """The rung of this dimension, and under it what unlocks it; empty if there is none."""
    lines = []
    for rung in ladder.rungs:
        if rung.dimension == dimension:
            lines += _wrapped(rung.basis, _RAILS, first=f"{rung.dimension} |==| ")
            if rung.order is not None:
                lines += _wrapped(f"order {rung.order}: {rung.unlocked_by}", _RAILS)
    return lines


def _wrapped(text: str, indent: str, *, first: str | None = None) -> list[str]:
    lines = textwrap.wrap(
        text.replace(", ", ",\N{NO-BREAK SPACE}"),  # rows of numbers stay whole
        _WIDTH,
        initial_indent=indent if first is None else first,
        subsequent_indent=indent,
        max_lines=_MOST_LINES,
        placeholder=" ...",
    )
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]
