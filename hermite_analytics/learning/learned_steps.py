"""What `learns` returns: the steps of a staircase, and what neurons make of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from hermite_analytics.argument import Facts, text_of
from hermite_analytics.argument.fact import line_of
from hermite_analytics.argument.formulas import decimal_latex, formula
from hermite_analytics.argument.sentences import Math, Paragraph, as_text, said
from hermite_analytics.evidence import Evidence, Quantity
from hermite_analytics.exponents.results import Rows
from hermite_analytics.exponents.spans import Span
from hermite_analytics.foundation.json import Document
from hermite_analytics.learning.rates import written
from hermite_analytics.rendering import Column, Drawing, Frame, Result, Role
from hermite_analytics.rendering.text import cut

__all__ = ["DecidingCoefficient", "LearnedStep", "Learning", "Verdict", "rows_of", "verdict_of"]

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
        return self.math().text

    def math(self) -> Math:
        """ "mu_2 = 1/2" as a formula."""
        value = str(self.value)
        closed = None if self.value.closed_text is None else self.value.exact
        shown = Math(value, decimal_latex(value)) if closed is None else formula(closed, value)
        return Math(f"mu_{self.degree} = {shown.text}", rf"\mu_{{{self.degree}}} = {shown.latex}")

    def to_dict(self) -> Document:
        """{"degree", "value", "zero"}, JSON-ready."""
        return {"degree": self.degree, "value": self.value.to_dict(), "zero": self.value.zero}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class LearnedStep(Result):
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
        Theorem or conjecture; of a full batch "mean-field limit".
    evidence : Evidence
        Of the verdict: exact or proved, or undecided.
    facts : facts
        Why; `reason` is their text.
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
    evidence: Evidence
    facts: Facts

    @property
    def reason(self) -> str:
        """Why, in one line."""
        return text_of(self.facts)

    def line(self) -> Paragraph:
        """What is learned, and why."""
        realised = "?" if self.realised_dimension is None else self.realised_dimension
        counted = f"{realised} of {self.wanted_dimension} new directions"
        return said(f"step {self.step}: {self.verdict}, {counted} [{self.status}]: ", line_of(self.facts))

    def __str__(self) -> str:
        return as_text(self.line())

    def row(self) -> dict[str, object]:
        """The cells of a table: the status of the statement stands under "kind"."""
        return {
            "step": self.step,
            "order": self.order,
            "wanted_dimension": self.wanted_dimension,
            "realised_dimension": self.realised_dimension,
            "verdict": self.verdict,
            "kind": self.status,
            "evidence": str(self.evidence),
            "reason": self.reason,
        }

    def frame(self) -> Frame:
        """One row."""
        return Frame(title=f"step {self.step}", rows=(self.row(),))

    def document(self) -> Document:
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
            "evidence": str(self.evidence),
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Learning(Result):
    """Step by step, what neurons of an activation learn of a target.

    Attributes
    ----------
    target, activation, readout : str
    samples_power : str
    schedule : str
        "one-pass", giant steps with a fresh batch each; or which of n = alpha d samples each step sees.
    loss : str
    steps : tuple of LearnedStep
        Up to the first step that is not fully realised in known directions.
    ending : facts
        Why there are no more rows; `end` is their text.
    is_realised : bool or None
        Whether each of these steps is learned (True where there is none to learn); None where that is open.
        With n = alpha d samples whether the last one is: what a step leaves out a later one may learn.

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
    schedule: str
    loss: str
    steps: tuple[LearnedStep, ...]
    ending: Facts
    is_realised: bool | None

    @property
    def end(self) -> str:
        """Why there are no more rows, in one line."""
        return text_of(self.ending)

    def frame(self) -> Frame:
        """One row a step."""
        rows = [row.row() for row in self.steps]
        names = ("target", "activation", "readout", "samples_power", "schedule", "loss")
        return Frame(
            title="learning",
            rows=tuple(rows or [{"step": 0, "verdict": "nothing to learn"}]),
            columns={"step": Column(name="step", role=Role.PARAMETER)},
            fixed={name: getattr(self, name) for name in names},
            remarks=(self.end,),
        )

    def drawing(self) -> Drawing:
        """The numbers of new directions, step by step."""
        values = ("wanted_dimension", "realised_dimension")
        return Drawing(frame=self.frame(), values=values, ordinate="new directions", points=True)

    def document(self) -> Document:
        """JSON-ready."""
        return {
            "target": self.target,
            "activation": self.activation,
            "readout": self.readout,
            "samples_power": self.samples_power,
            "schedule": self.schedule,
            "loss": self.loss,
            "is_realised": self.is_realised,
            "steps": [row.document() for row in self.steps],
            "end": self.end,
        }

    def __str__(self) -> str:
        return cut("\n".join(as_text(line) for line in self.lines()))

    def lines(self) -> Iterator[Paragraph]:
        """What is asked, one line a step, and why it ends."""
        rate = written(self.samples_power)
        samples = Math(f"n ~ {rate}", rf"n \sim {rate}")
        name = {"full": ", full batch"}.get(self.schedule, f", {self.schedule}")
        batch = () if self.schedule == "one-pass" else (name,)
        if self.loss != "square":
            batch = (*batch, f", loss {self.loss}")
        yield f"{self.activation} on {self.target}, {self.readout} readout, ", samples, *batch
        for row in self.steps:
            yield row.line()
        yield line_of(self.ending)


def verdict_of(realised: int | None, asked: int) -> Verdict:
    """In a word, from the number of new directions."""
    if realised is None:
        return "undecided"
    if realised == asked:
        return "learned"
    return "partly learned" if realised else "not learned"


def rows_of(span: Span) -> Rows:
    """The basis as text."""
    return tuple(tuple(row) for row in span.text())
