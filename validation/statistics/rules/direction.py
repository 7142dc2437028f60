"""Rule `direction`: whether a network has learned a direction."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtr, chdtrc, chdtri, stdtr, stdtrit

from hermite_analytics.errors import InputError
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

__all__ = ["Direction", "fisher"]

# Against the control directions of the same runs, combined over seeds by Fisher.
_LEARNED_P = 1e-6
# d S of a direction that is learned, and of one that is not (whose mean is near 1).
_LEARNED_SIGNAL = 10.0
_UNLEARNED_SIGNAL = 5.0
# S(2 d)/S(d): 1 if learned, 1/2 if not.
_LEARNED_RATIO = 0.7
_UNLEARNED_RATIO = 0.35


@dataclass(frozen=True, slots=True, kw_only=True)
class Direction:
    """A direction u of the target is learned, or is not, as predicted.

    The signal S of a seed is the squared cosine of weights with u, averaged over neurons. Neurons of one
    network share their batch, so it is judged against the same number for K control directions of the same
    run, orthogonal to the target's: p = (1 + number of controls above)/(K + 1), combined over seeds by
    Fisher. A direction has been learned if at every size p < 1e-6 and d S > 10, and S(2d)/S(d) > 0.7; it
    has not if at every size a 1 % upper bound of d S lies below 5, and S(2d)/S(d) is between 0.35 and 0.7.
    (Directions outside the target's span can have d S of a few without being learned, as the label
    depends on them.)

    The observable of a seed is the array S, S of control 1, ..., S of control K. The prediction is 1
    (learned) or 0 (not).
    """

    __pydantic_config__: ClassVar = FORBID_EXTRA
    own_margin: ClassVar[Margin | None] = Margin(absolute=0.5)
    relations: ClassVar[tuple[Relation, ...]] = ("equal",)
    phrase: ClassVar[str] = "whether it is learned, by {}"

    kind: Literal["direction"] = "direction"

    def fault(self, sizes: tuple[int, ...]) -> str:
        """Why these sizes cannot serve; empty if they can."""
        return ""

    def predicted(self, value: float, error: float) -> tuple[float, float]:
        """1 or 0; nan if the prediction is neither."""
        return (value if value in (0.0, 1.0) else math.nan), 0.0

    def compare(self, samples: Mapping[int, NDArray[np.float64]], question: Question) -> Comparison:
        """Compare the seeds of one look, arrays of shape (seeds, 1 + K), with a prediction."""
        sizes = sorted(samples)
        for size in sizes:
            if samples[size].ndim != 2 or samples[size].shape[1] < 2:
                raise InputError(
                    "the rule 'direction' needs an array of the signal and at least one control a seed, "
                    f"not the shape {samples[size].shape[1:]}"
                )
        if not all(np.isfinite(values).all() for values in samples.values()):
            return undecided(question)
        signals = {size: size * samples[size][:, 0] for size in sizes}
        unlearned_level = question.fail_level if question.theory else question.pass_level
        learned, unlearned = _learned(samples), _unlearned(samples, unlearned_level)
        right, wrong = (learned, unlearned) if question.theory else (unlearned, learned)
        status = Status.INCONCLUSIVE
        if right.holds:
            status = Status.PASSED
        elif wrong.holds:
            status = Status.FAILED
        verdict = float(learned.looks) if learned.looks or unlearned.looks else math.nan
        return Comparison(
            status=status,
            value=verdict,
            stderr=0.0,
            low=verdict,
            high=verdict,
            theory=question.theory,
            margin=question.margin,
            p_pass=right.p_value,
            p_fail=wrong.p_value,
            power=float("nan"),
            points=tuple(_point(size, signals[size]) for size in sizes),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Verdict:
    """One of the two answers: whether the means look like it, the p-value against it, and its level."""

    looks: bool
    p: float
    level: float

    @property
    def holds(self) -> bool:
        return self.looks and self.p < self.level

    @property
    def p_value(self) -> float:
        """1 where the means do not look like it."""
        return self.p if self.looks else 1.0


def _learned(samples: Mapping[int, NDArray[np.float64]]) -> _Verdict:
    """A large d S at every size, that stays as d grows, above the controls of the same runs."""
    least = min(size * float(values[:, 0].mean()) for size, values in samples.items())
    return _Verdict(
        looks=least > _LEARNED_SIGNAL and _doubling_ratio(samples) > _LEARNED_RATIO,
        p=max(fisher(values) for values in samples.values()),
        level=_LEARNED_P,
    )


def _unlearned(samples: Mapping[int, NDArray[np.float64]], level: float) -> _Verdict:
    """S falls like 1/d, and d S is small at every size."""
    return _Verdict(
        looks=_UNLEARNED_RATIO <= _doubling_ratio(samples) <= _LEARNED_RATIO,
        p=max(_p_below(size * values[:, 0], _UNLEARNED_SIGNAL) for size, values in samples.items()),
        level=level,
    )


def _doubling_ratio(samples: Mapping[int, NDArray[np.float64]]) -> float:
    """S(2d)/S(d), from the smallest size to the largest; nan where the first is not positive."""
    small, large = min(samples), max(samples)
    first, last = float(samples[small][:, 0].mean()), float(samples[large][:, 0].mean())
    return (last / first) ** (1 / math.log2(large / small)) if first > 0 else math.nan


def fisher(samples: NDArray[np.float64]) -> float:
    """Combined p-value of "the signal is one of the controls", of shape (seeds, 1 + K).

    Examples
    --------
    >>> samples = np.vstack([[1.0, *np.linspace(0, 0.9, 99)]] * 4)
    >>> 1e-6 < fisher(samples) < 1e-4  # p = 1/100 four times
    True
    """
    above = np.sum(samples[:, 1:] >= samples[:, :1], axis=1)
    p_values = (1 + above) / samples.shape[1]
    return float(chdtrc(2 * len(p_values), -2 * np.sum(np.log(p_values))))


def _p_below(values: NDArray[np.float64], bound: float) -> float:
    """p-value of "the mean is at least `bound`" for skew positive values, the larger of two.

    A squared cosine is near chi^2 with one degree of freedom, or with more when averaged over neurons: the
    chi^2 test is exact for the first and cautious for the others; Student's serves for heavier tails.
    """
    count, mean = values.size, float(values.mean())
    gamma = float(chdtr(count, count * mean / bound))
    spread = float(values.std(ddof=1)) / math.sqrt(count)
    student = float(stdtr(count - 1, (mean - bound) / spread)) if spread > 0 else float(mean >= bound)
    return max(gamma, student)


def _point(size: int, signals: NDArray[np.float64]) -> SizePoint:
    """d S with its upper bound."""
    count, mean = signals.size, float(signals.mean())
    spread = float(signals.std(ddof=1)) / math.sqrt(count)
    half = float(stdtrit(count - 1, 1 - PASS_LEVEL)) * spread
    gamma = count * mean / float(chdtri(count, 1 - PASS_LEVEL))
    return SizePoint(
        size=size, count=count, value=mean, low=max(0.0, mean - half), high=max(mean + half, gamma)
    )
