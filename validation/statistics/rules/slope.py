"""Rule `slope`: the exponent of a power law in the dimension."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.numeric.sizes.line import CellMean, fit_line
from hermite_analytics.validation.statistics.decision import (
    FORBID_EXTRA,
    Comparison,
    Margin,
    Relation,
    SizePoint,
)
from hermite_analytics.validation.statistics.equivalence import compare
from hermite_analytics.validation.statistics.question import Question

__all__ = ["PowerLaw", "Slope"]

# Over a shorter range of sizes a slope says little.
_SMALLEST_RANGE = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerLaw:
    """Means of logarithms fitted by log prefactor + value log d.

    Parameters
    ----------
    value, stderr, df : float
        The exponent, its standard error (lack-of-fit inflation included) and degrees of freedom.
    prefactor : float
    chi2, inflation : float
        Lack of fit, and the factor that it put on the standard error.
    """

    value: float
    stderr: float
    df: float
    prefactor: float
    chi2: float
    inflation: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Slope:
    """The observable grows like d^k with the predicted k, up to a margin of 0.1 to 0.15.

    Regression of the means of logarithms on log d over sizes that differ by a factor of at least 4; curvature
    widens the standard error. For a power law along the curve of an experiment take the reduction "log-slope"
    and the rule `limit`.
    """

    __pydantic_config__: ClassVar = FORBID_EXTRA
    own_margin: ClassVar[Margin | None] = None
    relations: ClassVar[tuple[Relation, ...]] = ("equal", "at_least", "at_most")
    phrase: ClassVar[str] = "exponent of d in {}"

    kind: Literal["slope"] = "slope"

    def fault(self, sizes: tuple[int, ...]) -> str:
        """Why these sizes cannot serve; empty if they can."""
        if max(sizes) < _SMALLEST_RANGE * min(sizes):
            return f"the rule 'slope' needs sizes over a factor of {_SMALLEST_RANGE} or more, not {sizes}"
        return ""

    def predicted(self, value: float, error: float) -> tuple[float, float]:
        """The number that is compared, and a bound on its error."""
        return value, error

    def compare(self, samples: Mapping[int, NDArray[np.float64]], question: Question) -> Comparison:
        """Compare the seeds of one look with a predicted exponent."""
        cells = [CellMean.of(size, _logarithm(values)) for size, values in sorted(samples.items())]
        points = tuple(_point(cell) for cell in cells)
        line = fit_line(cells, np.log([cell.size for cell in cells]), noise_power=None)
        law = PowerLaw(
            value=line.estimate[1],
            stderr=line.stderr[1],
            df=line.df[1],
            prefactor=math.exp(line.estimate[0]) if abs(line.estimate[0]) < 700 else math.nan,
            chi2=line.chi2,
            inflation=line.inflation,
        )
        return compare(law, question, points=points)


def _logarithm(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logarithms, all nan if one value has none."""
    if not np.all((values > 0) & np.isfinite(values)):
        return np.full_like(values, np.nan)
    return np.log(values)


def _point(cell: CellMean) -> SizePoint:
    """Geometric mean over seeds with two standard errors."""
    half = 2 * math.sqrt(cell.variance / cell.count)
    value, low, high = (math.exp(x) for x in (cell.mean, cell.mean - half, cell.mean + half))
    return SizePoint(size=cell.size, count=cell.count, value=value, low=low, high=high)
