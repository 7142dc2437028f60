"""One branch of a conditional law."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sympy import Expr

from hermite_analytics.evidence import Quantity
from hermite_analytics.foundation.json import Document
from hermite_analytics.language import display
from hermite_analytics.rendering import Frame, Result

__all__ = ["Branch", "Kind"]

Kind = Literal["point", "cell", "smoothed"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Branch(Result):
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

    def frame(self) -> Frame:
        """One row: what the branch has."""
        row: dict[str, object] = {"kind": self.kind, "weight": self.weight}
        if self.point is not None:
            row["point"] = self.point
        if self.factor is not None:
            row["factor"] = display.formula(self.factor)
        return Frame(title="branch of a law given the label", rows=(row,))

    def document(self) -> Document:
        """{"kind", "weight", "point", "factor"}, JSON-ready."""
        return {
            "kind": self.kind,
            "weight": self.weight.to_dict(),
            "point": None if self.point is None else self.point.to_dict(),
            "factor": None if self.factor is None else display.text(self.factor),
        }
