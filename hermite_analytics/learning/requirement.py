"""One row of the table of sample complexities, and what rows are made of."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from hermite_analytics.argument.formulas import decimal_latex, formula
from hermite_analytics.argument.sentences import Math, Paragraph, as_text, said
from hermite_analytics.evidence import Evidence, Quantity
from hermite_analytics.exponents.results import Exponent, Staircase, infinite, known, undecided
from hermite_analytics.foundation.json import Document
from hermite_analytics.learning.rates import LINEAR, NOT_LEARNED, Rate
from hermite_analytics.rendering import Frame, Result

if TYPE_CHECKING:
    from hermite_analytics.label.thresholds import WeakRecovery

__all__ = ["NO_DEPENDENCE", "Complexity", "Status", "first_order", "proportional"]

NO_DEPENDENCE: Paragraph = ("the label does not depend on ", Math("z", "z"))
_TOGETHER = "; of several in one step, that of the first"
_AT_LEAST_LINEAR = dataclasses.replace(LINEAR, is_bound=True)
Status = Literal["theorem", "conjecture", "lower bound"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Complexity(Result):
    """One class of algorithms, or one bound.

    Attributes
    ----------
    algorithm : str
    rate : Rate
        How many samples; `samples` is its text: "d^2", "d log d", "not learned", "at least d^2".
    exponent : Exponent
        The number that the samples follow from.
    status : "theorem", "conjecture" or "lower bound"
    source : str
    note : paragraph
        What is learned, and which exponent it is; `remark` is its text.
    """

    algorithm: str
    rate: Rate
    exponent: Exponent
    status: Status
    source: str
    note: Paragraph

    @property
    def samples(self) -> str:
        """How many samples, in a word."""
        return str(self.rate)

    @property
    def remark(self) -> str:
        """What is learned, and which exponent it is."""
        return as_text(self.note)

    def frame(self) -> Frame:
        """One row."""
        return Frame(title=self.algorithm, rows=(self.row(),), sources=self.source)

    def row(self) -> dict[str, object]:
        """The cells of a table: the status of the statement stands under "kind"."""
        return {
            "algorithm": self.algorithm,
            "samples": self.samples,
            "exponent": self.exponent.to_dict(),
            "kind": self.status,
            "source": self.source,
            "remark": self.remark,
        }

    def document(self) -> Document:
        """JSON-ready, with the names of the attributes."""
        return {
            "algorithm": self.algorithm,
            "samples": self.samples,
            "exponent": self.exponent.to_dict(),
            "status": self.status,
            "source": self.source,
            "remark": self.remark,
        }


def first_order(grand: Staircase) -> Exponent:
    """The order of the first step of the grand staircase."""
    if grand.orders:
        evidence = Evidence.PROVED if grand.evidence is Evidence.UNDECIDED else grand.evidence
        return known(grand.orders[0], evidence, grand.steps[0])
    if grand.limit_dimension == 0:
        return infinite(grand.end)
    return undecided(1, grand.undecided_up_to_degree or 0, grand.end)


def proportional(k: Exponent, found: WeakRecovery) -> tuple[Rate, Paragraph]:
    """(rate, note) of an algorithm at n = alpha d.

    Parameters
    ----------
    k : Exponent
        The generative exponent.
    found : WeakRecovery
    """
    if k.value == "inf":
        return NOT_LEARNED, NO_DEPENDENCE
    kinds = {"trivial": found.trivial_dimension, "easy": found.easy_dimension, "hard": found.hard_dimension}
    counts = ", ".join(f"{n} {name}" for name, n in kinds.items())
    thresholds = [stage.alpha_c for stage in found.stages]
    if found.hard_dimension:
        return NOT_LEARNED, said(_not_all(counts), _first_ones(thresholds))
    known_ones = [q for q in thresholds if q is not None and not math.isnan(q.value)]
    if not thresholds or len(known_ones) < len(thresholds) or None in kinds.values():
        known_counts = "" if None in kinds.values() else f" ({counts} directions)"
        return _AT_LEAST_LINEAR, (f"thresholds are not all decided{known_counts}",)
    together = any(stage.has_followers for stage in found.stages)
    return _up_to_the_largest(known_ones, counts, _TOGETHER if together else "")


def _first_ones(thresholds: Sequence[Quantity | None]) -> Paragraph:
    first = thresholds[0] if thresholds else None
    if first is None or not math.isfinite(first.value):
        return ()
    return said("; the first ones at ", _above(first))


def _up_to_the_largest(thresholds: Sequence[Quantity], counts: str, together: str) -> tuple[Rate, Paragraph]:
    """Where every stage has a threshold, in the order of the stages."""
    largest = max(thresholds, key=lambda q: q.value)
    if math.isinf(largest.value):
        return NOT_LEARNED, _not_all(counts)
    if largest.zero:
        return LINEAR, ("any ", Math("n/d > 0", "n/d > 0"), f" ({counts} directions)")
    conditional = any(not q.zero for q in thresholds[1:])  # a step of order 1 needs no exact knowledge
    later = ", or more: given exact knowledge of the directions before" if conditional else ""
    return LINEAR, (_above(largest), f" ({counts} directions){later}{together}")


def _not_all(counts: str) -> Paragraph:
    return "not all from ", Math("n = O(d)", "n = O(d)"), f" ({counts} directions)"


def _above(number: Quantity) -> Math:
    digits = f"{number.value:.6g}"
    is_closed = number.exact is not None and number.closed_text is not None
    shown = formula(number.exact, str(number)) if is_closed else Math(digits, decimal_latex(digits))
    return Math(f"n/d > {shown.text}", f"n/d > {shown.latex}")
