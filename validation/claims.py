"""Claims: what theory predicts, which experiment measures it, and how close they must come.

A `Study` is one experiment on a grid of sizes and seeds with the claims that its cells decide; a `Suite` is a
named list of studies. All are plain data, so that a text file can hold them (`loading.py`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hermite_analytics.errors import InputError
from hermite_analytics.validation.decision import FORBID_EXTRA, MAX_LOOKS, Margin, Relation

__all__ = ["Cell", "Claim", "Experiment", "Prediction", "Reduction", "Study", "Suite"]

Reduction = Literal["value", "mean-ratio"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """Numbers of a theory.

    Parameters
    ----------
    values : mapping of str to array
        Each number, of shape () or that of the experiment's curve.
    errors : mapping of str to float
        Bound on the numerical error of a number, 0 where there is no entry.
    """

    values: Mapping[str, NDArray[np.float64]]
    errors: Mapping[str, float]


class Cell(Protocol):
    """A simulation at one size; frozen and picklable."""

    def run(self, seed: int) -> Mapping[str, ArrayLike]:
        """Numbers of one seed: new weights, new data, new target direction."""


class Experiment(Protocol):
    """A simulation protocol with its parameters, and the theory of what it measures."""

    @property
    def identity(self) -> str:
        """Canonical text of the protocol and all parameters: the key of stored results."""

    def cell(self, size: int) -> Cell:
        """The simulation at dimension `size`; raises InputError if a ratio gives no integer there."""

    def predict(self, mutant: str | None = None) -> Prediction:
        """The limit d -> infinity, by the right formulas or with one of the known wrong ones."""

    def abscissa(self) -> tuple[str, tuple[float, ...]] | None:
        """Name and values of the parameter along the curve, None if the numbers are scalars."""

    def refined(self, values: tuple[float, ...]) -> Experiment:
        """The same experiment at other values of the abscissa, to draw the theory's curve."""

    def parameters(self) -> tuple[tuple[str, str], ...]:
        """Names and values of the parameters, for reading."""

    def reproduce(self, size: int, seeds: int, first_seed: int) -> str:
        """Code that repeats the simulation of one size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One sentence that the cells of a study can pass or fail.

    Parameters
    ----------
    id : str
        Name within the study.
    statement : str
        The sentence.
    source : str
        Paper and equation or figure.
    observable : str
        Number of the experiment.
    prediction : str
        Number of the theory; empty for the one of the same name.
    offset : float
        Subtracted from both (1 for "c - 1").
    reduction : {"value", "mean-ratio"}
        The number itself, or the mean over the curve of simulation/theory (whose theory is 1).
    relation : {"equal", "at_least", "at_most"}
        What the simulation must be.
    margin : Margin
        Difference that still counts as agreement.
    exponents : tuple of float
        q of the finite-size term; the verdict must be the same for each.
    argument : str
        Why these exponents, in one line.
    mutants : tuple of str
        Wrong formulas that this claim must be able to tell from the right one.
    formula : str
        The theory in LaTeX, for the report; empty where the source must do.
    """

    __pydantic_config__: ClassVar = FORBID_EXTRA

    id: str
    statement: str
    source: str
    observable: str
    margin: Margin
    argument: str
    prediction: str = ""
    offset: float = 0.0
    reduction: Reduction = "value"
    relation: Relation = "equal"
    exponents: tuple[float, ...] = (1.0,)
    mutants: tuple[str, ...] = ()
    formula: str = ""

    def __post_init__(self) -> None:
        _check_id("claim", self.id)
        for name in ("statement", "source", "observable", "argument"):
            if not getattr(self, name).strip():
                raise InputError(f"claim {self.id!r}: {name} is empty; a text is needed")
        if not self.exponents or any(not 0 < q < math.inf for q in self.exponents):
            raise InputError(f"claim {self.id!r}: exponents {self.exponents} must be numbers > 0")

    @property
    def observable_text(self) -> str:
        """What is compared, in words."""
        text = self.observable if not self.offset else f"{self.observable} - {self.offset:g}"
        if self.reduction == "mean-ratio":
            return f"mean over the curve of {text}, simulated over {self.prediction or 'predicted'}"
        return f"{text} with {self.prediction}" if self.prediction else text

    def theory(self, prediction: Prediction, reference: Prediction | None = None) -> float:
        """The predicted value of what `measure` measures.

        Parameters
        ----------
        prediction : Prediction
            The theory to test.
        reference : Prediction, optional
            The theory that `measure` divides by where the reduction is a ratio; `prediction` by default.
        """
        value = self._predicted(prediction)
        if self.reduction == "value":
            return self._scalar(value)
        return float(np.mean(value / self._predicted(reference or prediction)))

    def numerical_error(self, prediction: Prediction) -> float:
        """Bound on the numerical error of `theory`."""
        error = prediction.errors.get(self.prediction or self.observable, 0.0)
        if self.reduction == "value":
            return error
        return float(np.mean(error / np.abs(self._predicted(prediction))))

    def measure(self, result: Mapping[str, ArrayLike], prediction: Prediction) -> float:
        """One number of one seed."""
        if self.observable not in result:
            raise InputError(
                f"claim {self.id!r}: the experiment measures {', '.join(result)}, not {self.observable!r}"
            )
        value = np.asarray(result[self.observable], dtype=float) - self.offset
        if self.reduction == "value":
            return self._scalar(value)
        return float(np.mean(value / self._predicted(prediction)))

    def _predicted(self, prediction: Prediction) -> NDArray[np.float64]:
        name = self.prediction or self.observable
        if name not in prediction.values:
            raise InputError(
                f"claim {self.id!r}: the theory has {', '.join(prediction.values)}, not {name!r}"
            )
        return prediction.values[name] - self.offset

    def _scalar(self, value: NDArray[np.float64]) -> float:
        if value.size != 1:
            raise InputError(
                f"claim {self.id!r}: {self.observable} has {value.size} values along the curve; "
                "the reduction 'mean-ratio' makes one of them"
            )
        return float(value.reshape(()))


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
    """

    id: str
    title: str
    experiment: Experiment
    sizes: tuple[int, ...]
    seeds: tuple[int, ...]
    claims: tuple[Claim, ...]
    looks: int = MAX_LOOKS

    def __post_init__(self) -> None:
        _check_id("study", self.id)
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
        for size in self.sizes:
            self.experiment.cell(size)

    def claim_id(self, claim: Claim) -> str:
        """Name of the claim within the suite."""
        return f"{self.id}/{claim.id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """A named list of studies with distinct ids."""

    name: str
    title: str
    studies: tuple[Study, ...]

    def __post_init__(self) -> None:
        _check_distinct(f"suite {self.name!r}: study", [study.id for study in self.studies])


def _check_id(what: str, text: str) -> None:
    """Ids become anchors of the report and names in files."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", text):
        raise InputError(f"{what} id {text!r}: letters, digits, '.', '_' and '-' are accepted")


def _check_distinct(what: str, names: list[str]) -> None:
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise InputError(f"{what} {repeated[0]!r} occurs more than once")
