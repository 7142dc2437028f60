"""alpha(m), the alpha of which an overlap is a fixed point: its extrema and its stable parts."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from hermite_analytics.foundation.json import Document
from hermite_analytics.foundation.numpy_arrays import Array, Bools
from hermite_analytics.numeric.frozen import json_number
from hermite_analytics.numeric.models.state_evolution.record import STATE_EVOLUTION
from hermite_analytics.rendering import Column, Drawing, Frame, Mark, Role
from hermite_analytics.rendering.result import ByFields

__all__ = ["Curve", "FixedPoint", "Spinodal"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedPoint:
    """An overlap with m = alpha F(m)/(1 + alpha F(m)).

    Attributes
    ----------
    overlap : float in [0, 1]
    stable : bool
        Under the iteration.
    """

    overlap: float
    stable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Spinodal:
    """An extremum of alpha(m): at a maximum a stable fixed point ends, at a minimum a larger one starts."""

    overlap: float
    alpha: float
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Curve(ByFields):
    """alpha(m) with its extrema.

    Attributes
    ----------
    overlap, alpha : ndarray, shape (n,)
        Increasing overlaps in (0, 1), and the alpha at which each is a fixed point.
    stable : ndarray of bool, shape (n,)
    spinodals : tuple of Spinodal
    at_zero, at_one : float
        Limits of alpha(m); `at_one` is inf where no alpha gives exact recovery.
    """

    overlap: Array
    alpha: Array
    stable: Bools
    spinodals: tuple[Spinodal, ...]
    at_zero: float
    at_one: float

    def rows(self) -> list[dict[str, Any]]:
        """One dictionary a fixed point of the table."""
        return [
            {"overlap": float(m), "alpha": float(a), "stable": bool(stable)}
            for m, a, stable in zip(self.overlap, self.alpha, self.stable, strict=True)
        ]

    def frame(self) -> Frame:
        """The table."""
        known = {
            "overlap": Column(name="overlap", role=Role.PARAMETER),
            "alpha": Column(name="alpha", symbol=r"\alpha", formula="n/d"),
        }
        sources = STATE_EVOLUTION.sources
        return Frame(title="fixed points", rows=tuple(self.rows()), columns=known, sources=sources)

    def drawing(self) -> Drawing:
        """The stable fixed points as lines, the unstable ones dashed, along the curve."""
        rows = tuple(
            {
                "alpha": row["alpha"],
                "stable": row["overlap"] if row["stable"] else math.nan,
                "unstable": math.nan if row["stable"] else row["overlap"],
            }
            for row in self.rows()
        )
        known = {"alpha": Column(name="alpha", role=Role.PARAMETER, symbol=r"\alpha", formula="n/d")}
        frame = replace(self.frame(), rows=rows, columns=known)
        return Drawing(
            frame=frame,
            values=("stable", "unstable"),
            ordinate="overlap",
            marks=self.marks(),
            sorts=False,
            linear=True,
        )

    def document(self) -> Document:
        """JSON-ready: the table, its extrema, and its limits."""
        return {
            "curve": self.rows(),
            "spinodals": [{"overlap": s.overlap, "alpha": s.alpha, "kind": s.kind} for s in self.spinodals],
            "at_zero": json_number(self.at_zero),
            "at_one": json_number(self.at_one),
        }

    def marks(self) -> tuple[Mark, ...]:
        """The spinodals."""
        return tuple(Mark(name="spinodal", place=s.alpha) for s in self.spinodals)
