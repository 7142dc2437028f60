"""Results of a validation run: frozen, and as one JSON document."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hermite_analytics.foundation.json import Document
from hermite_analytics.rendering import Column, Frame, Role
from hermite_analytics.rendering.result import ByFields
from hermite_analytics.validation.statistics.decision import Relation, Status

__all__ = ["ClaimResult", "LookResult", "MutantResult", "ValidationResult"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MutantResult:
    """What the same data say about a wrong formula; a claim that can tell has it `failed`."""

    name: str
    theory: float
    status: Status

    def to_dict(self) -> Document:
        """The JSON object."""
        return {"name": self.name, "theory": number(self.theory), "status": str(self.status)}


@dataclass(frozen=True, slots=True, kw_only=True)
class LookResult:
    """One look: the seeds at each size, and the estimate that they gave."""

    seeds: tuple[int, ...]
    simulation: float
    stderr: float
    status: Status

    def to_dict(self) -> Document:
        """The JSON object."""
        return {
            "seeds": list(self.seeds),
            "simulation": number(self.simulation),
            "stderr": number(self.stderr),
            "status": str(self.status),
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ClaimResult(ByFields):
    """Decision on one claim, with the numbers behind it.

    Parameters
    ----------
    id, statement, source, argument : str
        Of the claim; `id` is "study/claim".
    observable : str
        What is compared, in words.
    status : Status
    relation : {"equal", "at_least", "at_most"}
    rule : str
        Kind of the decision rule.
    theory, simulation, stderr, margin : float
        Prediction; extrapolated simulation and its standard error; difference that counts as agreement.
    low, high : float
        The interval that must lie within the margin for a pass.
    numerical_error : float
        Bound on the error of the prediction.
    df, chi2, inflation, curvature, slope : float
        Of the fit; see `Extrapolation`. nan where the rule does not fit.
    exponents : tuple of float
        Finite-size exponents q that had to agree on the verdict; empty where nothing is extrapolated.
    sizes, seeds : tuple of int
        Dimensions and seeds at each, as used by the last look.
    looks : tuple of LookResult
        The last is decisive, or the last that the budget allowed.
    p_pass, p_fail : float
        p-values of the pass and of the fail, corrected for the looks.
    holm_p, holm_p_fail : float
        The same after Holm's correction over the claims of the run.
    power : float
        Probability that as many seeds pass the claim if the theory is exact; nan where the rule gives none.
    seeds_factor : float
        How many times the seeds of the last look would make that 90 %; nan where the rule gives none.
    discriminating : bool or None
        Whether the margin is at most half of the smallest mutant effect; None without mutants.
    mutants : tuple of MutantResult
    """

    id: str
    statement: str
    source: str
    argument: str
    observable: str
    rule: str
    status: Status
    relation: Relation
    theory: float
    simulation: float
    stderr: float
    margin: float
    low: float
    high: float
    numerical_error: float
    df: float
    chi2: float
    inflation: float
    curvature: float
    slope: float
    exponents: tuple[float, ...]
    sizes: tuple[int, ...]
    seeds: tuple[int, ...]
    looks: tuple[LookResult, ...]
    p_pass: float
    p_fail: float
    holm_p: float
    holm_p_fail: float
    power: float
    seeds_factor: float
    discriminating: bool | None
    mutants: tuple[MutantResult, ...]

    @property
    def difference(self) -> float:
        """Simulation minus theory."""
        return self.simulation - self.theory

    @property
    def distance(self) -> float:
        """How far on the wrong side of the theory, in margins; 0 on the right one, and without data."""
        wrong = {"equal": abs(self.difference), "at_least": -self.difference, "at_most": self.difference}
        distance = wrong[self.relation] / self.margin if self.margin > 0 else math.nan
        return distance if distance > 0 else 0.0

    def row(self) -> dict[str, object]:
        """The cells of a table: the status stands under "verdict"."""
        return {
            "claim": self.id,
            "verdict": str(self.status),
            "theory": self.theory,
            "simulation": self.simulation,
            "stderr": self.stderr,
            "margin": self.margin,
            "statement": self.statement,
            "source": self.source,
        }

    def frame(self) -> Frame:
        """One row."""
        return Frame(title=f"claim {self.id}", rows=(self.row(),), sources=self.source)

    def document(self) -> Document:
        """JSON-ready; numbers that are not finite are None."""
        return {
            "id": self.id,
            "statement": self.statement,
            "source": self.source,
            "observable": self.observable,
            "rule": self.rule,
            "status": str(self.status),
            "relation": self.relation,
            "theory": number(self.theory),
            "simulation": number(self.simulation),
            "stderr": number(self.stderr),
            "margin": number(self.margin),
            "interval": [number(self.low), number(self.high)],
            "numerical_error": number(self.numerical_error),
            "df": number(self.df),
            "chi2": number(self.chi2),
            "inflation": number(self.inflation),
            "curvature": number(self.curvature),
            "q": list(self.exponents),
            "sizes": list(self.sizes),
            "seeds": list(self.seeds),
            "looks": [look.to_dict() for look in self.looks],
            "p_pass": number(self.p_pass),
            "p_fail": number(self.p_fail),
            "holm_p": number(self.holm_p),
            "holm_p_fail": number(self.holm_p_fail),
            "power": number(self.power),
            "discriminating": self.discriminating,
            "mutants": [mutant.to_dict() for mutant in self.mutants],
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ValidationResult(ByFields):
    """Everything that one run of a suite decided.

    Parameters
    ----------
    suite : str
    claims : tuple of ClaimResult
    report : Path
        The HTML file; `results.json` and the store lie beside it.
    seconds : float
        Wall time, of all sessions that worked on the store.
    environment : mapping of str to str
        Versions and machine.
    complete : bool
        Whether every claim is decided or out of budget; False for a report drawn while cells are missing.
    stopped : mapping of str to str
        Studies whose simulations ended with an error, and which; their open claims are inconclusive.

    Examples
    --------
    >>> from hermite_analytics.validation import Suite, run_suite
    >>> from tempfile import TemporaryDirectory
    >>> nothing = Suite(name="nothing", title="Nothing", studies=())
    >>> with TemporaryDirectory() as folder:
    ...     result = run_suite(nothing, Path(folder), workers=1)
    >>> result.passed, result.failed, result.inconclusive, result.complete
    (0, 0, 0, True)
    """

    suite: str
    claims: tuple[ClaimResult, ...]
    report: Path
    seconds: float
    environment: Mapping[str, str]
    complete: bool = True
    stopped: Mapping[str, str] = field(default_factory=dict)

    @property
    def passed(self) -> int:
        """Number of claims that passed."""
        return self._count(Status.PASSED)

    @property
    def failed(self) -> int:
        """Number of claims that failed."""
        return self._count(Status.FAILED)

    @property
    def inconclusive(self) -> int:
        """Number of claims that the data do not decide."""
        return self._count(Status.INCONCLUSIVE)

    def _count(self, status: Status) -> int:
        return sum(claim.status is status for claim in self.claims)

    def frame(self) -> Frame:
        """One row a claim."""
        counts = f"{self.passed} passed, {self.failed} failed, {self.inconclusive} inconclusive"
        return Frame(
            title=f"validation of {self.suite}: {counts}",
            rows=tuple(claim.row() for claim in self.claims),
            columns={"claim": Column(name="claim", role=Role.PARAMETER)},
            fixed={"seconds": f"{self.seconds:.0f}", "report": str(self.report)},
            sources="; ".join(dict.fromkeys(claim.source for claim in self.claims)),
            remarks=() if self.complete else ("cells are still missing",),
        )

    def document(self) -> Document:
        """JSON-ready; numbers that are not finite are None."""
        return {
            "suite": self.suite,
            "claims": [claim.document() for claim in self.claims],
            "passed": self.passed,
            "failed": self.failed,
            "inconclusive": self.inconclusive,
            "report": str(self.report),
            "seconds": number(self.seconds),
            "complete": self.complete,
            "stopped": dict(self.stopped),
            "environment": dict(self.environment),
        }


def number(value: float) -> float | None:
    """The value, or None where JSON has no word for it."""
    return float(value) if math.isfinite(value) else None
