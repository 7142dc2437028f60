"""Rule `limit`: the mean over seeds, extrapolated to infinite dimension."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import InputError
from hermite_analytics.numeric.sizes.extrapolation import extrapolations
from hermite_analytics.numeric.sizes.line import CellMean
from hermite_analytics.validation.statistics.decision import (
    FORBID_EXTRA,
    Comparison,
    Margin,
    Relation,
    SizePoint,
)
from hermite_analytics.validation.statistics.equivalence import combine, compare
from hermite_analytics.validation.statistics.question import Question

__all__ = ["Limit"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """The limit d -> infinity of the mean over seeds equals the theory within the margin.

    Parameters
    ----------
    exponents : tuple of float > 0
        q of the finite-size term a d^-q; the verdict must be the same for each. 1 for smooth functionals of
        resolvents, squared overlaps and risks; (1, 1/2) where the bias may start at d^-1/2 (absolute overlaps
        near zero, largest entries, misclassification near a transition); 2/3 at edges of spectra.
    scale : {"linear", "log"}
        "log" fits logarithms and takes log(1 + margin/theory) for the margin: for positive numbers with heavy
        tails.
    """

    __pydantic_config__: ClassVar = FORBID_EXTRA
    own_margin: ClassVar[Margin | None] = None
    relations: ClassVar[tuple[Relation, ...]] = ("equal", "at_least", "at_most")
    phrase: ClassVar[str] = "{}"

    kind: Literal["limit"] = "limit"
    exponents: tuple[float, ...] = (1.0,)
    scale: Literal["linear", "log"] = "linear"

    def __post_init__(self) -> None:
        if not self.exponents or any(not 0 < q < math.inf for q in self.exponents):
            raise InputError(f"exponents {self.exponents} must be numbers > 0")

    def fault(self, sizes: tuple[int, ...]) -> str:
        """Why these sizes cannot serve; empty if they can."""
        return ""

    def predicted(self, value: float, error: float) -> tuple[float, float]:
        """The number that is compared, and a bound on its error; nan if it has no logarithm."""
        return (math.nan if self.scale == "log" and not value > error else value), error

    def compare(self, samples: Mapping[int, NDArray[np.float64]], question: Question) -> Comparison:
        """Compare the seeds of one look with a prediction."""
        if self.scale == "linear":
            return self._compare(samples, question, noise_power=1.0)
        return self._compare_logarithms(samples, question)

    def _compare(
        self, samples: Mapping[int, NDArray[np.float64]], question: Question, *, noise_power: float | None
    ) -> Comparison:
        cells = [CellMean.of(size, values) for size, values in sorted(samples.items())]
        points = tuple(_point(cell) for cell in cells)
        fits = extrapolations(cells, self.exponents, noise_power=noise_power)
        return combine([compare(fit, question, points=points) for fit in fits])

    def _compare_logarithms(
        self, samples: Mapping[int, NDArray[np.float64]], question: Question
    ) -> Comparison:
        """The same on logarithms; numbers for reading are taken back."""
        with np.errstate(invalid="ignore", divide="ignore"):
            logarithms = {size: np.log(values) for size, values in samples.items()}
        if not all(np.isfinite(values).all() for values in logarithms.values()):
            logarithms = {size: np.full_like(values, np.nan) for size, values in logarithms.items()}
        made = self._compare(
            logarithms,
            replace(
                question,
                theory=math.log(question.theory),
                margin=math.log1p(question.margin / question.theory),
                numerical_error=-math.log1p(-question.numerical_error / question.theory),
            ),
            noise_power=None,
        )
        value = math.exp(made.value)
        return replace(
            made,
            value=value,
            stderr=value * made.stderr,
            low=math.exp(made.low),
            high=math.exp(made.high),
            theory=question.theory,
            margin=question.margin,
            points=tuple(
                replace(p, value=math.exp(p.value), low=math.exp(p.low), high=math.exp(p.high))
                for p in made.points
            ),
        )


def _point(cell: CellMean) -> SizePoint:
    """Mean over seeds with two standard errors."""
    half = 2 * math.sqrt(cell.variance / cell.count)
    return SizePoint(
        size=cell.size, count=cell.count, value=cell.mean, low=cell.mean - half, high=cell.mean + half
    )
