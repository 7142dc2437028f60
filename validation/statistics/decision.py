"""What a claim can come to: margins, verdicts, looks, and Holm's correction over claims.

Every decision rule (`rules/`) is an equivalence test, so that too little data is inconclusive and never a
pass; the error rates stand in `docs/validation.md`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Literal, Protocol

from hermite_analytics.errors import InputError

__all__ = [
    "FAIL_LEVEL",
    "FORBID_EXTRA",
    "MAX_LOOKS",
    "PASS_LEVEL",
    "Comparison",
    "Decision",
    "Fit",
    "Margin",
    "Relation",
    "SizePoint",
    "Status",
    "decide",
    "holm",
    "seeds_at_look",
]

PASS_LEVEL = 0.01
FAIL_LEVEL = 0.01
MAX_LOOKS = 5
# For the dataclasses that files fill: an unknown field is an error, not ignored.
FORBID_EXTRA = {"extra": "forbid"}

Relation = Literal["equal", "at_least", "at_most"]


class Status(StrEnum):
    """What the data say about a claim."""

    PASSED = "passed"
    FAILED = "failed"
    INCONCLUSIVE = "inconclusive"

    def meaning(self, relation: Relation = "equal") -> str:
        """One sentence for reports."""
        if self is Status.INCONCLUSIVE:
            return "too little data to decide at this margin; more seeds may decide"
        return _MEANINGS[self][relation]


_MEANINGS: dict[Status, dict[Relation, str]] = {
    Status.PASSED: {
        "equal": "theory and simulation agree within the margin",
        "at_least": "the simulation is at least what the theory says, up to the margin",
        "at_most": "the simulation is at most what the theory says, up to the margin",
    },
    Status.FAILED: {
        "equal": "theory and simulation differ by more than the margin",
        "at_least": "the simulation is below what the theory says by more than the margin",
        "at_most": "the simulation is above what the theory says by more than the margin",
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Margin:
    """Largest difference from the theory that counts as agreement: max(absolute, relative |theory|)."""

    __pydantic_config__: ClassVar = FORBID_EXTRA

    relative: float = 0.0
    absolute: float = 0.0

    def __post_init__(self) -> None:
        if not (0 <= self.relative < math.inf and 0 <= self.absolute < math.inf) or not (
            self.relative or self.absolute
        ):
            raise InputError(
                f"the margin (relative {self.relative}, absolute {self.absolute}) needs a positive part"
            )

    def at(self, theory: float) -> float:
        """The margin around this prediction."""
        return max(self.absolute, self.relative * abs(theory))


class Fit(Protocol):
    """An estimate whose error is Student's t times a standard error."""

    @property
    def value(self) -> float:
        """The estimate."""

    @property
    def stderr(self) -> float:
        """Its standard error, any inflation included."""

    @property
    def df(self) -> float:
        """Degrees of freedom of the variance behind it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SizePoint:
    """What the seeds of one size say, for reports.

    Parameters
    ----------
    size, count : int
        Dimension d and number of seeds.
    value, low, high : float
        Estimate at this size, and an interval around it.
    """

    size: int
    count: int
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One look at one claim.

    Parameters
    ----------
    status : Status
        Decision at the levels of this look.
    value, stderr : float
        The simulation and its standard error (the first fit, where several had to agree).
    low, high : float
        The interval that must lie within the margin for a pass.
    theory, margin : float
        Prediction and margin.
    p_pass : float
        p-value of "the difference is at least the margin" (the larger of the two one-sided ones).
    p_fail : float
        Two-sided p-value of "the difference is at most the margin"; one-sided for one-sided relations.
    power : float
        Probability that as many seeds pass the claim if the theory is exact; nan where the rule gives none.
    points : tuple of SizePoint
        The sizes one by one.
    fits : tuple
        The fits that had to agree; empty for rules that do not fit.
    """

    status: Status
    value: float
    stderr: float
    low: float
    high: float
    theory: float
    margin: float
    p_pass: float
    p_fail: float
    power: float
    points: tuple[SizePoint, ...] = ()
    fits: tuple[Fit, ...] = ()

    @property
    def difference(self) -> float:
        """Simulation minus theory."""
        return self.value - self.theory


def seeds_at_look(start: Sequence[int], look: int) -> tuple[int, ...]:
    """Seeds a size at a look: n 2^look. Look k uses the seeds 0 .. n 2^k - 1, whoever computed them."""
    return tuple(count * 2**look for count in start)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Outcome of all looks at one claim; `looks[-1]` is decisive or the last that the budget allowed."""

    status: Status
    looks: tuple[Comparison, ...]

    @property
    def p_pass(self) -> float:
        """p-value of the pass, corrected for the five looks."""
        return min(1.0, MAX_LOOKS * min((look.p_pass for look in self.looks), default=1.0))

    @property
    def p_fail(self) -> float:
        """p-value of the fail, corrected for the five looks."""
        return min(1.0, MAX_LOOKS * min((look.p_fail for look in self.looks), default=1.0))


def decide(looks: Sequence[Comparison]) -> Decision:
    """The first decisive look is final; later ones are not consulted."""
    for index, look in enumerate(looks):
        if look.status is not Status.INCONCLUSIVE:
            return Decision(status=look.status, looks=tuple(looks[: index + 1]))
    return Decision(status=Status.INCONCLUSIVE, looks=tuple(looks))


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Holm's adjusted p-values, in the order given.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    (0.03, 0.06, 0.06)
    """
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, (len(p_values) - rank) * p_values[index])
        adjusted[index] = min(1.0, largest)
    return tuple(adjusted)
