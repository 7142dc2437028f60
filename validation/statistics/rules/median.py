"""Rule `median`: the median over seeds, for runs that end in one of several basins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, bdtrc

from hermite_analytics.validation.statistics.decision import (
    FORBID_EXTRA,
    PASS_LEVEL,
    Comparison,
    Margin,
    Relation,
    SizePoint,
    Status,
)
from hermite_analytics.validation.statistics.question import Question, undecided

__all__ = ["Median", "order_statistic_interval"]

# One standard error of a normal estimate, as a one-sided level.
_ONE_SIGMA = 0.15865525393145707


@dataclass(frozen=True, slots=True, kw_only=True)
class Median:
    """The median over seeds equals the theory within the margin, at every size.

    The interval between two order statistics is exact for any distribution; at level 1 % it needs 8 seeds.
    Nothing is extrapolated: the margin must hold the finite-size difference of the smallest size. The claim
    fails on the largest size alone.
    """

    __pydantic_config__: ClassVar = FORBID_EXTRA
    own_margin: ClassVar[Margin | None] = None
    relations: ClassVar[tuple[Relation, ...]] = ("equal", "at_least", "at_most")
    phrase: ClassVar[str] = "median of {}"

    kind: Literal["median"] = "median"

    def fault(self, sizes: tuple[int, ...]) -> str:
        """Why these sizes cannot serve; empty if they can."""
        return ""

    def predicted(self, value: float, error: float) -> tuple[float, float]:
        """The number that is compared, and a bound on its error."""
        return value, error

    def compare(self, samples: Mapping[int, NDArray[np.float64]], question: Question) -> Comparison:
        """Compare the seeds of one look with a prediction, by sign tests."""
        if not all(np.isfinite(values).all() for values in samples.values()):
            return undecided(question)
        largest = samples[max(samples)]
        p_pass = max(_p_inside(values, question) for values in samples.values())
        p_fail = _p_outside(largest, question)
        status = Status.INCONCLUSIVE
        if p_pass < question.pass_level:
            status = Status.PASSED
        elif p_fail < question.fail_level:
            status = Status.FAILED
        low, high = order_statistic_interval(largest, question.pass_level)
        left, right = order_statistic_interval(largest, _ONE_SIGMA)
        return Comparison(
            status=status,
            value=float(np.median(largest)),
            stderr=(right - left) / 2,
            low=low,
            high=high,
            theory=question.theory,
            margin=question.margin,
            p_pass=p_pass,
            p_fail=p_fail,
            power=float("nan"),
            points=tuple(_point(size, values) for size, values in sorted(samples.items())),
        )


def order_statistic_interval(values: NDArray[np.float64], level: float) -> tuple[float, float]:
    """Bounds of the median, each with error rate at most `level`; infinite where there are too few values.

    Examples
    --------
    >>> order_statistic_interval(np.arange(8.0), 0.01)
    (0.0, 7.0)
    >>> order_statistic_interval(np.arange(4.0), 0.01)
    (-inf, inf)
    """
    ordered = np.sort(values)
    # Largest j with P(Bin(n, 1/2) <= j) <= level: the j-th smallest value is then a lower bound.
    rank = int(np.sum(bdtr(np.arange(values.size), values.size, 0.5) <= level))
    if rank == 0:
        return -np.inf, np.inf
    return float(ordered[rank - 1]), float(ordered[-rank])


def _p_inside(values: NDArray[np.float64], question: Question) -> float:
    """p-value of "the median lies outside the margin": the larger of two sign tests."""
    reach = question.margin - question.numerical_error
    sides = []
    if question.relation != "at_most":
        sides.append(int(np.sum(values > question.theory - reach)))
    if question.relation != "at_least":
        sides.append(int(np.sum(values < question.theory + reach)))
    return max(float(bdtrc(count - 1, values.size, 0.5)) for count in sides)


def _p_outside(values: NDArray[np.float64], question: Question) -> float:
    """p-value of "the median lies within the margin"."""
    reach = question.margin + question.numerical_error
    sides = []
    if question.relation != "at_most":
        sides.append(int(np.sum(values < question.theory - reach)))
    if question.relation != "at_least":
        sides.append(int(np.sum(values > question.theory + reach)))
    tails = [float(bdtrc(count - 1, values.size, 0.5)) for count in sides]
    return min(1.0, len(tails) * min(tails))


def _point(size: int, values: NDArray[np.float64]) -> SizePoint:
    low, high = order_statistic_interval(values, PASS_LEVEL)
    return SizePoint(size=size, count=values.size, value=float(np.median(values)), low=low, high=high)
