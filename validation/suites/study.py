"""Claims with the experiment that decides them, and named lists of these."""

from __future__ import annotations

from dataclasses import dataclass

from hermite_analytics.errors import InputError
from hermite_analytics.validation.experiments.experiment import Experiment
from hermite_analytics.validation.statistics.decision import MAX_LOOKS
from hermite_analytics.validation.suites.claim import Claim, check_id

__all__ = ["Study", "Suite"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """An experiment on a grid of sizes and seeds, and the claims that it decides.

    Parameters
    ----------
    id : str
        Name within the suite.
    title : str
        Heading in the report.
    experiment : Experiment
        What is simulated and predicted.
    sizes : tuple of int
        At least two distinct dimensions d; every ratio of the experiment must be an integer at each.
    seeds : tuple of int
        Seeds a size at the first look, at least two each; look k uses 2^k times as many.
    looks : int in 1..5
        The budget: largest number of looks.
    claims : tuple of Claim
        With distinct ids.

    Examples
    --------
    >>> from hermite_analytics.validation import load_suite
    >>> study = load_suite("quick").studies[0]
    >>> study.id, len(study.sizes), len(study.claims)
    ('step-tanh-beta-0.5', 3, 3)
    """

    id: str
    title: str
    experiment: Experiment
    sizes: tuple[int, ...]
    seeds: tuple[int, ...]
    claims: tuple[Claim, ...]
    looks: int = MAX_LOOKS

    def __post_init__(self) -> None:
        check_id("study", self.id)
        if len(set(self.sizes)) < max(2, len(self.sizes)) or min(self.sizes) < 1:
            raise InputError(
                f"study {self.id!r}: sizes {self.sizes} must be at least two distinct integers > 0"
            )
        if len(self.seeds) != len(self.sizes) or min(self.seeds) < 2:
            raise InputError(f"study {self.id!r}: seeds {self.seeds} must be one integer >= 2 for each size")
        if not 1 <= self.looks <= MAX_LOOKS:
            raise InputError(f"study {self.id!r}: looks is {self.looks}; 1 to {MAX_LOOKS} is accepted")
        if not self.claims:
            raise InputError(f"study {self.id!r} has no claim")
        _check_distinct(f"study {self.id!r}: claim", [claim.id for claim in self.claims])
        for claim in self.claims:
            fault = claim.rule.fault(self.sizes)
            if fault:
                raise InputError(f"study {self.id!r}, claim {claim.id!r}: {fault}")
        for size in self.sizes:
            self.experiment.cell(size)

    def claim_id(self, claim: Claim) -> str:
        """Name of the claim within the suite."""
        return f"{self.id}/{claim.id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """A named list of studies with distinct ids.

    Examples
    --------
    >>> from hermite_analytics.validation import load_suite
    >>> "zeta" in [study.id for study in load_suite("quick").studies]
    True
    """

    name: str
    title: str
    studies: tuple[Study, ...]

    def __post_init__(self) -> None:
        _check_distinct(f"suite {self.name!r}: study", [study.id for study in self.studies])


def _check_distinct(what: str, names: list[str]) -> None:
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise InputError(f"{what} {repeated[0]!r} occurs more than once")
