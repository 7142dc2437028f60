"""Facts about the steps of a staircase: what an order adds, that it adds nothing else, where it ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from hermite_analytics.argument.fact import Fact, Facts, joined, line_of, sentence_of
from hermite_analytics.argument.formulas import (
    Rows,
    decimal_latex,
    row_math,
    rows_text,
    span_math,
)
from hermite_analytics.argument.sentences import Math, Paragraph, said

__all__ = [
    "AtMost",
    "Basis",
    "EmptyOrder",
    "EstimatedDirections",
    "LargestOrder",
    "LevelEnds",
    "NoFurther",
    "NoOther",
    "NothingBelow",
    "NothingElse",
    "OpenOrder",
    "WholeSpace",
    "unlocking",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis(Fact):
    """A subspace, by its reduced row echelon form.

    Attributes
    ----------
    rows : tuple of rows
        In z-coordinates: closed forms, or formulas that define the number.

    Examples
    --------
    >>> from sympy import S, sqrt
    >>> print(Basis(rows=((S.One, sqrt(2)),)))
    (1, sqrt(2))
    """

    kind: ClassVar[str] = "basis"
    rows: Rows

    def line(self) -> Paragraph:
        if not self.rows:
            return (Math("{0}", r"\{0\}"),)
        return tuple(piece for row in self.rows for piece in (" ", row_math(row)))[1:]

    def span(self) -> Math:
        """The span of the rows, as a formula."""
        return span_math(self.rows)

    @property
    def dimension(self) -> int:
        """Of the subspace."""
        return len(self.rows)

    @property
    def text(self) -> tuple[tuple[str, ...], ...]:
        """The rows as text."""
        return rows_text(self.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoOther(Fact):
    """Why a step learns no other direction."""

    kind: ClassVar[str] = "no_other"
    because: Facts

    def line(self) -> Paragraph:
        return said("no other: ", line_of(self.because))


@dataclass(frozen=True, slots=True, kw_only=True)
class EmptyOrder(Fact):
    """Why an order adds nothing."""

    kind: ClassVar[str] = "empty_order"
    order: int
    because: Facts

    def line(self) -> Paragraph:
        return said(f"none of order {self.order}: ", line_of(self.because))


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenOrder(Fact):
    """What is known of an order that is not decided."""

    kind: ClassVar[str] = "open_order"
    order: int
    because: Facts

    def line(self) -> Paragraph:
        return said(f"order {self.order} is open: ", line_of(self.because))

    def sentence(self) -> Paragraph:
        return said(f"order {self.order} is open: ", sentence_of(self.because))


@dataclass(frozen=True, slots=True, kw_only=True)
class NoFurther(Fact):
    """Why a staircase of steps of one order has no further one."""

    kind: ClassVar[str] = "no_further"
    order: int
    because: Facts

    def line(self) -> Paragraph:
        return said(f"no further direction of order {self.order}: ", line_of(self.because))


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeSpace(Fact):
    """All directions of the space are reached."""

    kind: ClassVar[str] = "whole_space"
    dimension: int

    def line(self) -> Paragraph:
        return (f"the dimension {self.dimension} is reached",)


@dataclass(frozen=True, slots=True, kw_only=True)
class NothingElse(Fact):
    """No further direction was found in the tensors up to a degree."""

    kind: ClassVar[str] = "nothing_else"
    degree: int

    def line(self) -> Paragraph:
        return (f"nothing else up to degree {self.degree}",)


@dataclass(frozen=True, slots=True, kw_only=True)
class NothingBelow(Fact):
    """After a subspace of this dimension no lower order has a step."""

    kind: ClassVar[str] = "nothing_below"
    dimension: int
    order: int

    def line(self) -> Paragraph:
        return (f"after dimension {self.dimension} nothing below order {self.order}",)


@dataclass(frozen=True, slots=True, kw_only=True)
class LargestOrder(Fact):
    """The answer is the largest order of several steps."""

    kind: ClassVar[str] = "largest_order"
    steps: int

    def line(self) -> Paragraph:
        return (f"the largest order of {self.steps} steps",)


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelEnds(Fact):
    """Why steps of at most one order end at a dimension."""

    kind: ClassVar[str] = "level_ends"
    order: int
    dimension: int
    because: Facts

    def line(self) -> Paragraph:
        start = f"steps of order {self.order} end at dimension {self.dimension}: "
        return said(start, line_of(self.because))


@dataclass(frozen=True, slots=True, kw_only=True)
class AtMost(Fact):
    """How many of the directions of a bound are proved to be new.

    Attributes
    ----------
    proved : int
        New for sure.
    most : int
        Allowed by the bound.
    because : facts
        The bound.
    """

    kind: ClassVar[str] = "at_most"
    proved: int
    most: int
    because: Facts

    def line(self) -> Paragraph:
        some = f"at least {self.proved}" if self.proved else "none is proved to be new"
        return said(f"{some} and at most {self.most} of the directions (", line_of(self.because), ")")


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimatedDirections(Fact):
    """A proved bound of a step, and estimates that the step fills it.

    Attributes
    ----------
    because : facts
        The bound.
    eigenvalues : tuple of (float, float)
        Of the second moment of what the step learns, from samples, with their standard errors.
    """

    kind: ClassVar[str] = "estimated_directions"
    because: Facts
    eigenvalues: tuple[tuple[float, float], ...]

    def line(self) -> Paragraph:
        sizes = joined([(_with_error(*pair),) for pair in self.eigenvalues], ", ")
        start, middle = "directions estimated: at most these (", "); samples give eigenvalues "
        return said(start, line_of(self.because), middle, sizes)


def _with_error(value: float, error: float) -> Math:
    digits, margin = f"{value:.2g}", f"{error:.1g}"
    return Math(f"{digits} ± {margin}", rf"{decimal_latex(digits)} \pm {decimal_latex(margin)}")


def unlocking(facts: Sequence[Fact]) -> Facts:
    """What makes a step: the facts that do not say why there is no other or no lower one."""
    return tuple(fact for fact in facts if not isinstance(fact, NoOther | EmptyOrder))
