"""What a rule is asked: the claim's numbers and the levels of one look."""

from __future__ import annotations

from dataclasses import dataclass

from hermite_analytics.errors import InputError
from hermite_analytics.validation.statistics.decision import (
    FAIL_LEVEL,
    MAX_LOOKS,
    PASS_LEVEL,
    Comparison,
    Relation,
    Status,
)

__all__ = ["Question", "undecided"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Is the simulation what the theory says, up to the margin?

    Parameters
    ----------
    theory : float
        Prediction.
    margin : float > 0
        Difference that counts as agreement.
    relation : {"equal", "at_least", "at_most"}
        What the simulation must be; the one-sided relations ignore the other side and give it no error.
    numerical_error : float >= 0
        Bound on the prediction's own error: it narrows the margin for a pass and widens it for a fail.
    pass_level, fail_level : float in (0, 1)
        Error rates of this look (the defaults are Bonferroni over five looks).
    """

    theory: float
    margin: float
    relation: Relation = "equal"
    numerical_error: float = 0.0
    pass_level: float = PASS_LEVEL / MAX_LOOKS
    fail_level: float = FAIL_LEVEL / MAX_LOOKS

    def __post_init__(self) -> None:
        if not self.margin > 0:
            raise InputError(f"the margin is {self.margin}; a number > 0 is needed")

    @property
    def sides(self) -> int:
        """Sides on which the simulation may be wrong."""
        return 2 if self.relation == "equal" else 1

    def excess(self, value: float) -> float:
        """How far a value lies from the theory, on the side where that counts."""
        difference = value - self.theory
        return {"equal": abs(difference), "at_least": -difference, "at_most": difference}[self.relation]


def undecided(question: Question, value: float = float("nan")) -> Comparison:
    """The answer where a number is not finite: inconclusive, with p-values 1."""
    nan = float("nan")
    return Comparison(
        status=Status.INCONCLUSIVE,
        value=value,
        stderr=nan,
        low=nan,
        high=nan,
        theory=question.theory,
        margin=question.margin,
        p_pass=1.0,
        p_fail=1.0,
        power=nan,
    )
