"""What `learns` returns: the steps of a staircase, and what neurons make of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from hermite_analytics.evidence import Quantity
from hermite_analytics.exponents.results import Rows
from hermite_analytics.learning.rates import written

__all__ = ["DecidingCoefficient", "LearnedStep", "Learning", "Verdict"]

Verdict = Literal["learned", "partly learned", "not learned", "undecided"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidingCoefficient:
    """mu_n = E[He_n(z) sigma(z)], which multiplies C_n in the gradient.

    Attributes
    ----------
    degree : int
        n.
    value : Quantity
        `zero` says whether the neurons are blind to C_n.
    """

    degree: int
    value: Quantity

    def __str__(self) -> str:
        return f"mu_{self.degree} = {self.value}"

    def to_dict(self) -> dict[str, Any]:
        """{"degree", "value", "zero"}, JSON-ready."""
        return {"degree": self.degree, "value": self.value.to_dict(), "zero": self.value.zero}


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedStep:
    """One giant step.

    Attributes
    ----------
    step : int
        1, 2, ...
    order : int
        The samples are n ~ d^order.
    wanted : tuple of rows
        Reduced row echelon basis of what the staircase reaches from the subspace learned before.
    wanted_dimension : int
        Its number of new directions.
    realised : tuple of rows, or None
        Basis of what the neurons reach; None where it is not decided or depends on the step size.
    realised_dimension : int or None
        Its number of new directions, for almost every step size.
    coefficients : tuple of DecidingCoefficient
    verdict : "learned", "partly learned", "not learned" or "undecided"
    status : str
        Theorem or conjecture.
    reason : str
    """

    step: int
    order: int
    wanted: Rows
    wanted_dimension: int
    realised: Rows | None
    realised_dimension: int | None
    coefficients: tuple[DecidingCoefficient, ...]
    verdict: Verdict
    status: str
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready, with the names of the attributes."""
        return {
            "step": self.step,
            "order": self.order,
            "wanted": [list(row) for row in self.wanted],
            "wanted_dimension": self.wanted_dimension,
            "realised": None if self.realised is None else [list(row) for row in self.realised],
            "realised_dimension": self.realised_dimension,
            "coefficients": [c.to_dict() for c in self.coefficients],
            "verdict": self.verdict,
            "status": self.status,
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Learning:
    """Step by step, what neurons of an activation learn of a target.

    Attributes
    ----------
    target, activation, readout : str
    samples_power : str
    steps : tuple of LearnedStep
        Up to the first step that is not fully realised in known directions.
    end : str
        Why there are no more rows.
    is_realised : bool or None
        Whether each of these steps is learned (True where there is none to learn); None where that is open.

    Examples
    --------
    >>> from hermite_analytics import learns
    >>> found = learns("z1 + z1*z2", "relu", steps=2)
    >>> [step.verdict for step in found.steps]
    ['learned', 'learned']
    """

    target: str
    activation: str
    readout: str
    samples_power: str
    steps: tuple[LearnedStep, ...]
    end: str
    is_realised: bool | None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "target": self.target,
            "activation": self.activation,
            "readout": self.readout,
            "samples_power": self.samples_power,
            "is_realised": self.is_realised,
            "steps": [row.to_dict() for row in self.steps],
            "end": self.end,
        }

    def __str__(self) -> str:
        samples = f"n ~ {written(self.samples_power)}"
        lines = [f"{self.activation} on {self.target}, {self.readout} readout, {samples}"]
        for row in self.steps:
            realised = "?" if row.realised_dimension is None else row.realised_dimension
            lines.append(
                f"step {row.step}: {row.verdict}, {realised} of {row.wanted_dimension} new directions "
                f"[{row.status}]: {row.reason}"
            )
        return "\n".join([*lines, self.end])
