"""State of one study while its cells arrive, and the comparisons made on them."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import InputError
from hermite_analytics.validation.claims import Claim, Prediction, Study
from hermite_analytics.validation.decision import (
    FAIL_LEVEL,
    MAX_LOOKS,
    Comparison,
    Decision,
    Status,
    combine,
    compare,
    decide,
    seeds_at_look,
)
from hermite_analytics.validation.extrapolation import CellMean, extrapolations
from hermite_analytics.validation.store import CellResult

__all__ = ["StudyRun", "first_seed"]


def first_seed(identity: str, size: int) -> int:
    """First of the consecutive seeds of one experiment and size; a hash keeps those of different ones apart.

    Examples
    --------
    >>> first_seed("an experiment", 100) == first_seed("an experiment", 200)
    False
    """
    digest = hashlib.sha256(f"{identity}|{size}".encode()).digest()
    # The simulator takes 32-bit seeds; the last million leaves room to count upwards.
    return int.from_bytes(digest[:8], "big") % (2**32 - 10**6)


@dataclass(slots=True, kw_only=True)
class StudyRun:
    """One study while it runs.

    Parameters
    ----------
    study : Study
    prediction : Prediction
        The theory.
    mutants : mapping of str to Prediction
        Wrong theories that its claims name.
    """

    study: Study
    prediction: Prediction
    mutants: Mapping[str, Prediction]
    look: int = 0
    missing: int = 0
    results: dict[int, dict[int, CellResult]] = field(init=False)
    comparisons: dict[str, list[Comparison]] = field(init=False)

    def __post_init__(self) -> None:
        self.results = {size: {} for size in self.study.sizes}
        self.comparisons = {claim.id: [] for claim in self.study.claims}

    @classmethod
    def start(cls, study: Study) -> StudyRun:
        """Solve the theory and its mutants, and check each claim against them.

        Raises
        ------
        InputError
            If a claim names a number or a mutant that there is not, its prediction is not finite, or its
            margin is 0.
        """
        names = sorted({name for claim in study.claims for name in claim.mutants})
        run = cls(
            study=study,
            prediction=study.experiment.predict(),
            mutants={name: study.experiment.predict(name) for name in names},
        )
        for claim in study.claims:
            run._check(claim)
        return run

    def _check(self, claim: Claim) -> None:
        """Refuse a claim without a prediction or a margin before anything is simulated for it."""
        theory, name = self.theory(claim), self.study.claim_id(claim)
        if not math.isfinite(theory):
            raise InputError(f"claim {name!r}: the theory gives {theory}; a finite prediction is needed")
        if not self.margin(claim) > 0:
            raise InputError(
                f"claim {name!r}: the margin is {claim.margin.relative:g} of a prediction that is 0; "
                "an absolute margin is needed"
            )

    def seeds(self, size: int, look: int) -> list[int]:
        """Seeds of a size that a look uses: the first n 2^look, whoever computed them."""
        start = first_seed(self.study.experiment.identity, size)
        count = seeds_at_look(self.study.seeds, look)[self.study.sizes.index(size)]
        return list(range(start, start + count))

    def theory(self, claim: Claim, mutant: str | None = None) -> float:
        """What the theory, or a mutant of it, predicts for a claim."""
        prediction = self.prediction if mutant is None else self.mutants[mutant]
        return claim.theory(prediction, self.prediction)

    def margin(self, claim: Claim) -> float:
        """Difference from the theory that counts as agreement."""
        return claim.margin.at(self.theory(claim))

    def cells(self, claim: Claim, look: int) -> tuple[CellMean, ...]:
        """Mean over the seeds of a look, at each size."""
        means = []
        for size in self.study.sizes:
            results = [self.results[size][seed].result for seed in self.seeds(size, look)]
            samples = [claim.measure(result, self.prediction) for result in results]
            means.append(CellMean.of(size, np.array(samples)))
        return tuple(means)

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
        return combine(
            [
                compare(
                    fit,
                    self.theory(claim, mutant),
                    self.margin(claim),
                    relation=claim.relation,
                    numerical_error=claim.numerical_error(self.prediction),
                    fail_level=fail_level,
                )
                for fit in extrapolations(self.cells(claim, look), claim.exponents)
            ]
        )

    def samples(self) -> dict[tuple[str, int], NDArray[np.float64]]:
        """All simulated values, of shape (seeds, ...), by number and size."""
        samples = {}
        for size in self.study.sizes:
            cells = [self.results[size][seed].result for seed in self.seeds(size, self.look)]
            for name in cells[0]:
                samples[name, size] = np.array([cell[name] for cell in cells], dtype=float)
        return samples

    def seconds(self) -> float:
        """Processor time of all cells."""
        return sum(cell.seconds for cells in self.results.values() for cell in cells.values())
