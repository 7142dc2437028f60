"""One branch of a conditional law."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sympy import Expr

from hermite_analytics.evidence import Quantity

__all__ = ["Branch", "Kind"]

Kind = Literal["point", "cell", "smoothed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """A part of the law of z given a label y.

    Attributes
    ----------
    kind : "point", "cell" or "smoothed"
        A preimage of y; a set where the target equals y; all z, weighted by the density of the label noise.
    weight : Quantity
        Not normalised: the coarea weight phi(z)/|f'(z)| of a point, the probability of a cell, the density
        of the label for a smoothed law.
    point : Quantity or None
        The preimage.
    factor : sympy expression or None
        For a cell and a smoothed law: its law is the normal one times this factor, over the weight.
    """

    kind: Kind
    weight: Quantity
    point: Quantity | None = None
    factor: Expr | None = None
