"""State of one study while its cells arrive, and the comparisons made on them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import HermiteAnalyticsError, InputError
from hermite_analytics.validation.campaign.store import CellResult, Store
from hermite_analytics.validation.experiments.experiment import Prediction
from hermite_analytics.validation.statistics.decision import (
    FAIL_LEVEL,
    MAX_LOOKS,
    Comparison,
    Decision,
    Margin,
    Status,
    decide,
    seeds_at_look,
)
from hermite_analytics.validation.statistics.question import Question
from hermite_analytics.validation.suites.claim import Claim
from hermite_analytics.validation.suites.study import Study

__all__ = ["StudyRun", "Theory"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Theory:
    """The predictions of a study: by the right formulas, and by the wrong ones that its claims name."""

    prediction: Prediction
    mutants: Mapping[str, Prediction]

    @classmethod
    def of(cls, study: Study) -> Theory:
        """Solve them; raises InputError if the theory does not cover the study or one of its mutants."""
        names = sorted({name for claim in study.claims for name in claim.mutants})
        try:  # mutants first: a name that is none is refused before the theory is solved
            mutants = {name: study.experiment.predict(name) for name in names}
            return cls(prediction=study.experiment.predict(), mutants=mutants)
        except HermiteAnalyticsError as error:
            raise InputError(f"study {study.id!r}: {error}") from error


@dataclass(slots=True, kw_only=True)
class StudyRun:
    """One study while it runs.

    Parameters
    ----------
    study : Study
    starts : mapping of int to int
        First seed of each size.
    prediction : Prediction
        The theory.
    mutants : mapping of str to Prediction
        Wrong theories that its claims name.
    stopped : str
        The error that ended its simulations; empty if there was none.
    """

    study: Study
    starts: Mapping[int, int]
    prediction: Prediction
    mutants: Mapping[str, Prediction]
    look: int = 0
    missing: int = 0
    stopped: str = ""
    results: dict[int, dict[int, CellResult]] = field(init=False)
    comparisons: dict[str, list[Comparison]] = field(init=False)

    def __post_init__(self) -> None:
        self.results = {size: {} for size in self.study.sizes}
        self.comparisons = {claim.id: [] for claim in self.study.claims}

    @classmethod
    def start(cls, study: Study, theory: Theory, starts: Mapping[int, int]) -> StudyRun:
        """A run without cells.

        Raises
        ------
        InputError
            If a claim names a number that there is not, its prediction is not finite, or its margin is 0.
        """
        run = cls(study=study, starts=starts, prediction=theory.prediction, mutants=theory.mutants)
        for claim in study.claims:
            run._check(claim)
        return run

    def _check(self, claim: Claim) -> None:
        """Refuse a claim without a prediction or a margin before anything is simulated for it."""
        theory, name = self.theory(claim), self.study.claim_id(claim)
        if not math.isfinite(theory):
            raise InputError(
                f"claim {name!r}: the theory gives {theory} for the rule {claim.rule.kind!r}; "
                "a finite prediction is needed"
            )
        if not self.margin(claim) > 0:
            raise InputError(
                f"claim {name!r}: the margin is {self._margin(claim).relative:g} of a prediction that is 0; "
                "an absolute margin is needed"
            )

    def seeds(self, size: int, look: int) -> list[int]:
        """Seeds of a size that a look uses: the first n 2^look, whoever computed them."""
        count = seeds_at_look(self.study.seeds, look)[self.study.sizes.index(size)]
        return list(range(self.starts[size], self.starts[size] + count))

    def theory(self, claim: Claim, mutant: str | None = None) -> float:
        """What the theory, or a mutant of it, predicts for a claim."""
        prediction = self.prediction if mutant is None else self.mutants[mutant]
        return claim.theory(prediction, self.prediction, abscissa=self._abscissa())[0]

    def numerical_error(self, claim: Claim) -> float:
        """Bound on the error of the prediction."""
        return claim.theory(self.prediction, abscissa=self._abscissa())[1]

    def margin(self, claim: Claim) -> float:
        """Difference from the theory that counts as agreement."""
        return self._margin(claim).at(self.theory(claim))

    def discriminating(self, claim: Claim) -> bool | None:
        """Whether the margin is at most half of the smallest mutant effect; None without mutants."""
        if not claim.mutants:
            return None
        theory = self.theory(claim)
        return self.margin(claim) <= min(abs(self.theory(claim, name) - theory) for name in claim.mutants) / 2

    def _margin(self, claim: Claim) -> Margin:
        margin = claim.margin or claim.rule.own_margin
        assert margin is not None  # claims are checked when they are made
        return margin

    def _abscissa(self) -> tuple[float, ...] | None:
        curve = self.study.experiment.abscissa()
        return None if curve is None else curve[1]

    def measured(self, claim: Claim, look: int) -> dict[int, NDArray[np.float64]]:
        """What a claim's rule takes of the seeds of a look, by size."""
        abscissa = self._abscissa()
        return {
            size: np.array(
                [
                    claim.measure(self.results[size][seed].result, self.prediction, abscissa=abscissa)
                    for seed in self.seeds(size, look)
                ]
            )
            for size in self.study.sizes
        }

    def fetch(self, store: Store) -> dict[int, list[int]]:
        """Take the cells of the current look from the store; the seeds that it lacks, by size."""
        missing = {}
        for size in self.study.sizes:
            new = [seed for seed in self.seeds(size, self.look) if seed not in self.results[size]]
            self.results[size].update(store.load(self.study.experiment.identity, size, new))
            missing[size] = [seed for seed in new if seed not in self.results[size]]
        return missing

    def take_look(self, fail_level: float) -> list[tuple[Claim, Comparison]]:
        """Compare every open claim with the seeds of the current look."""
        made = []
        for claim in self.open_claims():
            comparison = self.compare(claim, self.look, fail_level=fail_level)
            self.comparisons[claim.id].append(comparison)
            made.append((claim, comparison))
        return made

    def next_look(self) -> bool:
        """Go on to the next look if a claim is open and the budget allows it."""
        if not self.open_claims() or self.look + 1 >= self.study.looks:
            return False
        self.look += 1
        return True

    def replay(self, store: Store, *, fail_level: float) -> None:
        """Take the looks whose cells are all in the store."""
        while not any(self.fetch(store).values()):
            self.take_look(fail_level)
            if not self.next_look():
                return

    def open_claims(self) -> list[Claim]:
        """Claims without a decisive look."""
        return [claim for claim in self.study.claims if self.decision(claim).status is Status.INCONCLUSIVE]

    def decision(self, claim: Claim) -> Decision:
        """The verdict of the looks so far."""
        return decide(self.comparisons[claim.id])

    def compare(
        self,
        claim: Claim,
        look: int,
        *,
        fail_level: float = FAIL_LEVEL / MAX_LOOKS,
        mutant: str | None = None,
    ) -> Comparison:
        """Compare the seeds of a look with the theory, or with a mutant of it, at the claim's margin."""
        question = Question(
            theory=self.theory(claim, mutant),
            margin=self.margin(claim),
            relation=claim.relation,
            numerical_error=self.numerical_error(claim),
            fail_level=fail_level,
        )
        return claim.rule.compare(self.measured(claim, look), question)

    def samples(self) -> dict[tuple[str, int], NDArray[np.float64]]:
        """All simulated values, of shape (seeds, ...), by number and size; of the cells that there are."""
        samples = {}
        for size in self.study.sizes:
            cells = [cell.result for _, cell in sorted(self.results[size].items())]
            for name in cells[0] if cells else ():
                samples[name, size] = np.array([cell[name] for cell in cells], dtype=float)
        return samples

    def seconds(self) -> float:
        """Processor time of all cells."""
        return sum(cell.seconds for cells in self.results.values() for cell in cells.values())
