"""Decide whether an extrapolated simulation agrees with a theory within a margin.

Equivalence by two one-sided tests, so that too little data is inconclusive and never a pass, with doubling
looks and Holm's correction over claims; the error rates stand in `docs/validation.md`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Literal

import numpy as np
from scipy.special import stdtr, stdtrit

from hermite_analytics.errors import InputError
from hermite_analytics.validation.extrapolation import Extrapolation

__all__ = [
    "FAIL_LEVEL",
    "FORBID_EXTRA",
    "MAX_LOOKS",
    "PASS_LEVEL",
    "Comparison",
    "Margin",
    "Relation",
    "Status",
    "combine",
    "compare",
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One look at one claim.

    Parameters
    ----------
    status : Status
        Decision at the levels of this look.
    fit : Extrapolation
        The simulation (the first fit, where several had to agree).
    theory, margin : float
        Prediction and margin.
    p_pass : float
        p-value of "the difference is at least the margin" (the larger of the two one-sided ones).
    p_fail : float
        Two-sided p-value of "the difference is at most the margin"; one-sided for one-sided relations.
    """

    status: Status
    fit: Extrapolation
    theory: float
    margin: float
    p_pass: float
    p_fail: float

    @property
    def difference(self) -> float:
        """Simulation minus theory."""
        return self.fit.intercept - self.theory


def compare(
    fit: Extrapolation,
    theory: float,
    margin: float,
    *,
    relation: Relation = "equal",
    numerical_error: float = 0.0,
    pass_level: float = PASS_LEVEL / MAX_LOOKS,
    fail_level: float = FAIL_LEVEL / MAX_LOOKS,
) -> Comparison:
    """Compare one extrapolation with one prediction.

    Passed if |D| + t_{1-pass_level} se < m, failed if |D| - t_{1-fail_level/2} se > m, else inconclusive,
    where D = simulation - theory: two one-sided tests.

    Parameters
    ----------
    fit : Extrapolation
    theory, margin : float
        Prediction, and the margin m > 0 around it.
    relation : {"equal", "at_least", "at_most"}
        What the simulation must be; the one-sided relations ignore the other side and give it no error.
    numerical_error : float >= 0
        Bound on the prediction's own error: it narrows the margin for a pass and widens it for a fail.
    pass_level, fail_level : float in (0, 1)
        Error rates of this look (the defaults are Bonferroni over five looks).

    Returns
    -------
    Comparison
        Inconclusive with p-values 1 if a number is not finite.

    Raises
    ------
    InputError
        If the margin is not positive.
    """
    if not margin > 0:
        raise InputError(f"the margin is {margin}; a number > 0 is needed")
    difference = fit.intercept - theory
    if not (math.isfinite(difference) and math.isfinite(fit.stderr) and math.isfinite(numerical_error)):
        return Comparison(
            status=Status.INCONCLUSIVE, fit=fit, theory=theory, margin=margin, p_pass=1.0, p_fail=1.0
        )
    excess = {"equal": abs(difference), "at_least": -difference, "at_most": difference}[relation]
    sides = 2.0 if relation == "equal" else 1.0
    inner, outer = margin - numerical_error, margin + numerical_error
    if excess + float(stdtrit(fit.df, 1 - pass_level)) * fit.stderr < inner:
        status = Status.PASSED
    elif excess - float(stdtrit(fit.df, 1 - fail_level / sides)) * fit.stderr > outer:
        status = Status.FAILED
    else:
        status = Status.INCONCLUSIVE
    return Comparison(
        status=status,
        fit=fit,
        theory=theory,
        margin=margin,
        p_pass=_upper_tail((inner - excess), fit),
        p_fail=min(1.0, sides * _upper_tail((excess - outer), fit)),
    )


def _upper_tail(distance: float, fit: Extrapolation) -> float:
    """P(t > distance/se); without noise 0, 1/2 or 1 by the sign."""
    if fit.stderr == 0:
        return 0.5 * (1.0 - float(np.sign(distance)))
    return float(stdtr(fit.df, -distance / fit.stderr))


def combine(comparisons: Sequence[Comparison]) -> Comparison:
    """Ask several fits for the same verdict: any disagreement is inconclusive.

    An observable whose leading finite-size term may be d^-1/2 must pass, or fail, under q = 1 and q = 1/2
    both: under the wrong exponent alone a wrong theory passes most of the time. The numbers reported are
    those of the first fit, the p-values the largest.
    """
    agreed = {comparison.status for comparison in comparisons}
    first = comparisons[0]
    return Comparison(
        status=agreed.pop() if len(agreed) == 1 else Status.INCONCLUSIVE,
        fit=first.fit,
        theory=first.theory,
        margin=first.margin,
        p_pass=max(comparison.p_pass for comparison in comparisons),
        p_fail=max(comparison.p_fail for comparison in comparisons),
    )


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
        return min(1.0, MAX_LOOKS * min(look.p_pass for look in self.looks))

    @property
    def p_fail(self) -> float:
        """p-value of the fail, corrected for the five looks."""
        return min(1.0, MAX_LOOKS * min(look.p_fail for look in self.looks))


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
