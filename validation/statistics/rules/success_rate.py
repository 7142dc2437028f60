"""Rule `success-rate`: how often runs succeed, on either side of a transition."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, bdtrc

from hermite_analytics.errors import InputError
from hermite_analytics.validation.statistics.clopper_pearson import lower_bound, upper_bound
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

__all__ = ["SuccessRate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SuccessRate:
    """The fraction of seeds whose observable exceeds a threshold is near 1, or near 0, as predicted.

    Near a transition the mean of an overlap follows no power law in d; bracket the transition by two claims
    and do not extrapolate. The theory predicts success if its own number exceeds the threshold. With the
    margin 0.2 the claim passes if at every size a one-sided Clopper-Pearson bound shows a rate >= 0.8 (or
    <= 0.2), and fails if at the largest size it shows a rate < 0.8 (or > 0.2).

    Parameters
    ----------
    threshold : float
        Success is observable > threshold: 0.9 for a squared overlap, or half-way between two fixed points.
    """

    __pydantic_config__: ClassVar = FORBID_EXTRA
    own_margin: ClassVar[Margin | None] = Margin(absolute=0.2)
    relations: ClassVar[tuple[Relation, ...]] = ("equal",)
    phrase: ClassVar[str] = "fraction of runs with large {}"

    kind: Literal["success-rate"] = "success-rate"
    threshold: float

    def __post_init__(self) -> None:
        if not math.isfinite(self.threshold):
            raise InputError(f"threshold is {self.threshold}; a finite number is needed")

    def fault(self, sizes: tuple[int, ...]) -> str:
        """Why these sizes cannot serve; empty if they can."""
        return ""

    def predicted(self, value: float, error: float) -> tuple[float, float]:
        """The predicted rate, 1 or 0, with its error; nan if the prediction lies on the threshold."""
        if not abs(value - self.threshold) > error:
            return math.nan, 0.0
        return float(value > self.threshold), 0.0

    def compare(self, samples: Mapping[int, NDArray[np.float64]], question: Question) -> Comparison:
        """Compare the seeds of one look with a predicted rate."""
        if not all(np.isfinite(values).all() for values in samples.values()):
            return undecided(question)
        counts = {
            size: (int(np.sum(values > self.threshold)), values.size) for size, values in samples.items()
        }
        high = question.theory > 0.5
        # Failures are the successes of the opposite claim: one computation serves both.
        odd = {size: (total - k if high else k, total) for size, (k, total) in counts.items()}
        margin, largest = question.margin, max(samples)
        p_pass = max(float(bdtr(k, total, margin)) for k, total in odd.values())
        p_fail = float(bdtrc(odd[largest][0] - 1, odd[largest][1], margin))
        status = Status.INCONCLUSIVE
        if p_pass < question.pass_level:
            status = Status.PASSED
        elif p_fail < question.fail_level:
            status = Status.FAILED
        successes, total = counts[largest]
        rate = successes / total
        return Comparison(
            status=status,
            value=rate,
            stderr=math.sqrt(rate * (1 - rate) / total),
            low=lower_bound(successes, total, question.pass_level),
            high=upper_bound(successes, total, question.pass_level),
            theory=question.theory,
            margin=margin,
            p_pass=p_pass,
            p_fail=p_fail,
            power=_power([total for _, total in counts.values()], margin, question.pass_level),
            points=tuple(
                SizePoint(
                    size=size,
                    count=total,
                    value=k / total,
                    low=lower_bound(k, total, PASS_LEVEL),
                    high=upper_bound(k, total, PASS_LEVEL),
                )
                for size, (k, total) in sorted(counts.items())
            ),
        )


# A run of finite size may end in the wrong basin now and then: "exact" means this rate of it.
_STRAY = 0.03


def _power(totals: list[int], margin: float, level: float) -> float:
    """Probability that every size passes if the theory is right but for stray runs."""
    power = 1.0
    for total in totals:
        allowed = np.arange(total + 1)
        enough = bdtr(allowed, total, margin) < level
        power *= float(bdtr(allowed[enough].max(), total, _STRAY)) if enough.any() else 0.0
    return power
