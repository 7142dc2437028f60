"""What a finished campaign says about each claim: Holm over the claims, and the mutants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.foundation.json import Document
from hermite_analytics.numeric.frozen import json_number
from hermite_analytics.rendering import Column, Frame, Role
from hermite_analytics.rendering.result import ByFields
from hermite_analytics.validation.campaign.results import MutantResult
from hermite_analytics.validation.campaign.study_run import StudyRun
from hermite_analytics.validation.experiments.experiment import Prediction
from hermite_analytics.validation.statistics.decision import FAIL_LEVEL, Decision, Status, decide, holm
from hermite_analytics.validation.suites.claim import Claim
from hermite_analytics.validation.suites.study import Study

__all__ = ["ClaimOutcome", "StudyOutcome", "conclude"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimOutcome:
    """What the looks at one claim gave.

    Parameters
    ----------
    claim : Claim
    theory, margin, numerical_error : float
    decision : Decision
        Its status after Holm's correction; without looks where the first one is not complete.
    holm_p, holm_p_fail : float
        p-values of the pass and of the fail, corrected for the looks and for the claims of the campaign.
    discriminating : bool or None
        Whether the margin is at most half of the smallest mutant effect; None without mutants.
    mutants : tuple of MutantResult
    """

    claim: Claim
    theory: float
    margin: float
    numerical_error: float
    decision: Decision
    holm_p: float
    holm_p_fail: float
    discriminating: bool | None
    mutants: tuple[MutantResult, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class StudyOutcome(ByFields):
    """The claims of a study with the data behind them.

    Parameters
    ----------
    study : Study
    prediction : Prediction
    claims : tuple of ClaimOutcome
    starts : mapping of int to int
        First seed of each size.
    samples : mapping of (number, size) to array
        All simulated values, of shape (seeds, ...).
    seconds : float
        Processor time of the cells.
    stopped : str
        The error that ended the simulations before every claim was decided; empty if there was none.
    """

    study: Study
    prediction: Prediction
    claims: tuple[ClaimOutcome, ...]
    starts: Mapping[int, int]
    samples: Mapping[tuple[str, int], NDArray[np.float64]]
    seconds: float
    stopped: str

    @property
    def complete(self) -> bool:
        """Whether every claim is decided or out of budget."""
        return all(
            claim.decision.status is not Status.INCONCLUSIVE or len(claim.decision.looks) == self.study.looks
            for claim in self.claims
        )

    def frame(self) -> Frame:
        """One row a claim: the status of its decision stands under "verdict"."""
        return Frame(
            title=f"study {self.study.id}",
            rows=tuple(
                {
                    "claim": outcome.claim.id,
                    "verdict": str(outcome.decision.status),
                    "theory": outcome.theory,
                    "margin": outcome.margin,
                    "holm_p": outcome.holm_p,
                }
                for outcome in self.claims
            ),
            columns={"claim": Column(name="claim", role=Role.PARAMETER)},
            fixed={"seconds": f"{self.seconds:.1f}"} | ({"stopped": self.stopped} if self.stopped else {}),
        )

    def document(self) -> Document:
        """{"study", "claims", "seconds", "stopped"}, JSON-ready: the rows, without the samples."""
        claims = [json_number(row) for row in self.frame().records()]
        seconds = self.seconds
        return {"study": self.study.id, "claims": claims, "seconds": seconds, "stopped": self.stopped}


def conclude(runs: Sequence[StudyRun]) -> tuple[StudyOutcome, ...]:
    """Correct the decisions for the number of claims, and try the mutants on the same data.

    The looks stop for a fail at Bonferroni's level over the claims; Holm's step-down procedure (family level
    1 %) may reject some of the claims that stayed open. Passes are never revised: the p-value adjusted by
    Holm stands beside the badge.

    Parameters
    ----------
    runs : sequence of StudyRun
        Finished: every claim is decided or out of budget, or the study stopped with an error.
    """
    pairs = [(run, claim) for run in runs for claim in run.study.claims]
    decisions = [run.decision(claim) for run, claim in pairs]
    pass_values = holm([decision.p_pass for decision in decisions])
    fail_values = holm([decision.p_fail for decision in decisions])
    outcomes: dict[str, list[ClaimOutcome]] = {run.study.id: [] for run in runs}
    for (run, claim), decision, holm_pass, holm_fail in zip(
        pairs, decisions, pass_values, fail_values, strict=True
    ):
        rejected = decision.status is Status.INCONCLUSIVE and holm_fail <= FAIL_LEVEL
        outcomes[run.study.id].append(
            ClaimOutcome(
                claim=claim,
                theory=run.theory(claim),
                margin=run.margin(claim),
                numerical_error=run.numerical_error(claim),
                decision=replace(decision, status=Status.FAILED) if rejected else decision,
                holm_p=holm_pass,
                holm_p_fail=holm_fail,
                discriminating=run.discriminating(claim),
                mutants=tuple(_mutant(run, claim, name, len(decision.looks)) for name in claim.mutants),
            )
        )
    return tuple(
        StudyOutcome(
            study=run.study,
            prediction=run.prediction,
            claims=tuple(outcomes[run.study.id]),
            starts=run.starts,
            samples=run.samples(),
            seconds=run.seconds(),
            stopped=run.stopped,
        )
        for run in runs
    )


def _mutant(run: StudyRun, claim: Claim, name: str, looks: int) -> MutantResult:
    """The verdict of the same looks on a wrong formula; mutants are not corrected for their number."""
    comparisons = [run.compare(claim, look, mutant=name) for look in range(looks)]
    return MutantResult(name=name, theory=run.theory(claim, name), status=decide(comparisons).status)
