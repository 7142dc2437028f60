"""Claims as data: what theory predicts, which experiment measures it, and the rule that decides.

A `Study` is one experiment on a grid of sizes and seeds with the claims that its cells decide; a `Suite` is a
named list of studies (`study.py`). All are plain data, which text files hold (`loading.py`).

How the pieces meet
-------------------
1. ``experiment.cell(size).run(seed)`` simulates one seed and returns named numbers (or arrays).
2. ``claim.measure`` picks the observable and reduces it to what the claim's rule takes: one number a seed,
   or for the rule ``direction`` the signal followed by those of its control directions.
3. ``claim.theory`` reduces the prediction in the same way.
4. ``claim.rule.compare`` decides on the numbers of all seeds and sizes of a look.

The rules (`statistics/rules/`, one file each; in a file ``rule = { kind = "...", ... }``):

========================  ================================================================================
kind                      decides
========================  ================================================================================
``limit`` (the default)   the mean over seeds extrapolated in d^-q to d = infinity, q = 1 unless listed
                          (``exponents``); ``scale = "log"`` for positive numbers with heavy tails
``success-rate``          the fraction of seeds with observable > ``threshold``, within the margin (0.2) of
                          1 or 0, whichever the prediction says, at every size; Clopper-Pearson
``median``                the median over seeds at every size (bimodal runs); order statistics
``slope``                 the exponent k of observable ~ d^k, by regression of logarithms over the sizes
``direction``             a direction is learned (prediction 1) or not (prediction 0): signal S against the
                          controls of the same run, and how d S changes with d
========================  ================================================================================
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import InputError
from hermite_analytics.validation.experiments.experiment import Prediction
from hermite_analytics.validation.statistics.decision import FORBID_EXTRA, Margin, Relation
from hermite_analytics.validation.statistics.rules import Limit, Rule

__all__ = ["Claim", "Reduction", "check_id"]

Reduction = Literal["value", "mean", "mean-ratio", "log-slope"]


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
    argument : str
        Why the rule suits the observable (for ``limit``: why these exponents), in one line.
    rule : Limit, SuccessRate, Median, Slope or Direction
        How it is decided; `Limit()` by default.
    margin : Margin, optional
        Difference that still counts as agreement; ``success-rate`` and ``direction`` have their own.
    prediction : str
        Number of the theory; empty for the one of the same name.
    expected : float, optional
        A number to compare with in place of the experiment's theory (an exponent, a printed value).
    offset : float
        Subtracted from both (1 for "c - 1").
    reduction : {"value", "mean", "mean-ratio", "log-slope"}
        What a curve becomes, seed by seed: nothing, its mean, the mean of simulation/theory (whose theory
        is 1), or the slope of its logarithm against that of the abscissa.
    relation : {"equal", "at_least", "at_most"}
        What the simulation must be.
    mutants : tuple of str
        Wrong formulas that this claim must be able to tell from the right one: the margin must be at most
        half of the smallest change that they make, else the claim is marked as not discriminating.
    formula : str
        The theory in LaTeX, for the report; empty where the source must do.

    Examples
    --------
    >>> from hermite_analytics.validation import load_suite
    >>> claim = load_suite("quick").studies[0].claims[0]
    >>> claim.id, claim.observable, str(claim.relation)
    ('r', 'r', 'equal')
    """

    __pydantic_config__: ClassVar = FORBID_EXTRA

    id: str
    statement: str
    source: str
    observable: str
    argument: str
    rule: Rule = field(default_factory=Limit)
    margin: Margin | None = None
    prediction: str = ""
    expected: float | None = None
    offset: float = 0.0
    reduction: Reduction = "value"
    relation: Relation = "equal"
    mutants: tuple[str, ...] = ()
    formula: str = ""

    def __post_init__(self) -> None:
        check_id("claim", self.id)
        for name in ("statement", "source", "observable", "argument"):
            if not getattr(self, name).strip():
                raise InputError(f"claim {self.id!r}: {name} is empty; a text is needed")
        self._check_expected()
        self._check_rule()

    def _check_expected(self) -> None:
        if self.expected is None:
            return
        if not math.isfinite(self.expected):
            raise InputError(f"claim {self.id!r}: expected is {self.expected}; a finite number is needed")
        for name in ("prediction", "mutants", "offset"):
            if getattr(self, name):
                raise InputError(f"claim {self.id!r}: expected and {name} exclude each other")
        if self.reduction == "mean-ratio":
            raise InputError(f"claim {self.id!r}: 'mean-ratio' divides by the theory; expected replaces it")

    def _check_rule(self) -> None:
        if self.margin is None and self.rule.own_margin is None:
            raise InputError(f"claim {self.id!r}: the rule {self.rule.kind!r} needs a margin")
        if self.margin is not None and self.rule.kind == "direction":
            raise InputError(f"claim {self.id!r}: the rule 'direction' takes no margin")
        if self.relation not in self.rule.relations:
            raise InputError(
                f"claim {self.id!r}: the rule {self.rule.kind!r} accepts the relation "
                f"{' or '.join(map(repr, self.rule.relations))}, not {self.relation!r}"
            )
        if self.rule.kind == "direction" and self.reduction != "value":
            raise InputError(f"claim {self.id!r}: the rule 'direction' takes no reduction")

    @property
    def observable_text(self) -> str:
        """What is compared, in words."""
        text = self.observable if not self.offset else f"{self.observable} - {self.offset:g}"
        if self.reduction == "mean-ratio":
            text = f"mean over the curve of {text}, simulated over {self.prediction or 'predicted'}"
        else:
            if self.reduction == "mean":
                text = f"mean over the curve of {text}"
            elif self.reduction == "log-slope":
                text = f"logarithmic slope along the curve of {text}"
            if self.prediction:
                text = f"{text} with {self.prediction}"
        return self.rule.phrase.format(text)

    def theory(
        self,
        prediction: Prediction,
        reference: Prediction | None = None,
        *,
        abscissa: tuple[float, ...] | None = None,
    ) -> tuple[float, float]:
        """The predicted value of what `measure` measures, as the rule takes it, and a bound on its error.

        Parameters
        ----------
        prediction : Prediction
            The theory to test.
        reference : Prediction, optional
            The theory that `measure` divides by where the reduction is a ratio; `prediction` by default.
        abscissa : tuple of float, optional
            Values of the parameter along the curve.
        """
        if self.expected is not None:
            return self.rule.predicted(self.expected, 0.0)
        value = self._predicted(prediction)
        error = prediction.errors.get(self.prediction or self.observable, 0.0)
        if self.reduction == "mean-ratio":
            divisor = self._predicted(reference or prediction)
            value = np.asarray(np.mean(value / divisor))
            error = float(np.mean(error / np.abs(divisor)))
        elif value.size > 1:
            if self.reduction == "log-slope":
                error = self._log_slope_error(value, error, abscissa)
            value = np.asarray(self._reduced(value, prediction, abscissa))
        return self.rule.predicted(float(np.reshape(value, ())), error)

    def measure(
        self,
        result: Mapping[str, object],
        prediction: Prediction,
        *,
        abscissa: tuple[float, ...] | None = None,
    ) -> NDArray[np.float64]:
        """What one seed gave, as the rule takes it: of shape (), or (1 + K,) for the rule ``direction``."""
        if self.observable not in result:
            raise InputError(
                f"claim {self.id!r}: the experiment measures {', '.join(result)}, not {self.observable!r}"
            )
        value = np.asarray(result[self.observable], dtype=float)
        if self.rule.kind == "direction":
            return value
        return np.asarray(self._reduced(value - self.offset, prediction, abscissa))

    def _predicted(self, prediction: Prediction) -> NDArray[np.float64]:
        name = self.prediction or self.observable
        if name not in prediction.values:
            raise InputError(
                f"claim {self.id!r}: the theory has {', '.join(prediction.values)}, not {name!r}"
            )
        return np.asarray(prediction.values[name], dtype=float) - self.offset

    def _reduced(
        self, value: NDArray[np.float64], prediction: Prediction, abscissa: tuple[float, ...] | None
    ) -> float:
        if self.reduction == "mean":
            return float(np.mean(value))
        if self.reduction == "mean-ratio":
            return float(np.mean(value / self._predicted(prediction)))
        if self.reduction == "log-slope":
            return self._log_slope(value, abscissa)
        if value.size != 1:
            raise InputError(
                f"claim {self.id!r}: {self.observable} has {value.size} values along the curve; the "
                "reductions 'mean', 'mean-ratio' and 'log-slope' make one of them"
            )
        return float(value.reshape(()))

    def _log_slope(self, value: NDArray[np.float64], abscissa: tuple[float, ...] | None) -> float:
        """Least squares of log value on log abscissa; nan where a value is not positive."""
        if abscissa is None or value.shape != (len(abscissa),) or len(abscissa) < 2:
            raise InputError(f"claim {self.id!r}: 'log-slope' needs a curve of at least two values")
        if not np.all(value > 0):
            return math.nan
        steps = np.log(abscissa) - np.mean(np.log(abscissa))
        return float(steps @ np.log(value) / (steps @ steps))

    def _log_slope_error(
        self, value: NDArray[np.float64], error: float, abscissa: tuple[float, ...] | None
    ) -> float:
        """Bound on the change of `_log_slope` when each value changes by at most `error`."""
        if abscissa is None or not np.all(value > error):
            return math.inf
        steps = np.log(abscissa) - np.mean(np.log(abscissa))
        return float(np.sum(np.abs(steps)) / (steps @ steps) * -np.log1p(-error / np.min(value)))


def check_id(what: str, text: str) -> None:
    """Ids become anchors of the report and names in files."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", text):
        raise InputError(f"{what} id {text!r}: letters, digits, '.', '_' and '-' are accepted")
