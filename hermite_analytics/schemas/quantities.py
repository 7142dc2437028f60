"""Numbers with their evidence, exponents, staircases: parts of many documents."""

from __future__ import annotations

from typing import Annotated, Literal

from hermite_analytics.foundation.shapes import Count, Keywords, Number, Positive
from hermite_analytics.schemas.document import NotNegative, Part

__all__ = [
    "Basis",
    "Evidence",
    "Exponent",
    "Quantity",
    "Staircase",
    "UnboundedQuantity",
    "Value",
]

Evidence = Literal["exact", "proved", "estimated", "undecided"]
Discrete = Literal["exact", "proved", "undecided"]
Integer = Count | Literal["inf"]
Row = Annotated[list[str], Keywords(minItems=1)]
Basis = list[Row]


class Value(Part):
    """A number and what it rests on."""

    exact: Annotated[str | None, Keywords(description="closed form; null where there is none")]
    value: Annotated[Number, Keywords(description="null: not known, or beyond floating point")]
    evidence: Evidence


class Quantity(Value):
    """A number with a bound on its error."""

    error: Annotated[
        NotNegative | None,
        Keywords(description="bound on |value - truth|, rigorous unless estimated; null: no bound"),
    ]


class UnboundedQuantity(Value):
    """A number whose error may be infinite, where only its terms are bounded."""

    error: Annotated[
        NotNegative | Literal["inf"] | None,
        Keywords(description="bound on |value - truth|, rigorous unless estimated; null: no bound"),
    ]


class Exponent(Part):
    """An integer that is decided, or a bound below it."""

    value: Annotated[Integer | None, Keywords(description="null: not decided, or not defined")]
    at_least: Annotated[Integer, Keywords(description="a proved lower bound")]
    evidence: Discrete
    degree: Annotated[
        Count | None,
        Keywords(description="largest degree that was looked at, where the value is not decided"),
    ]
    reason: str


class Staircase(Part):
    """Subspaces that are learned one after the other."""

    dimensions: Annotated[list[Count], Keywords(minItems=1, description="of U_0 = {0}, U_1, ...")]
    orders: Annotated[
        list[Positive], Keywords(description="orders[t] is that of the step from U_t to U_(t+1)")
    ]
    bases: Annotated[
        list[Basis], Keywords(minItems=1, description="reduced row echelon bases, rows in z-coordinates")
    ]
    limit_dimension: Annotated[Count | None, Keywords(description="null: not decided where the steps end")]
    undecided_up_to_degree: Count | None
    evidence: Discrete
    reasons: Annotated[list[str], Keywords(minItems=1, description="one line a step, and why it ends")]
