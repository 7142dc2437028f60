"""One row of the table of sample complexities, and what rows are made of."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from hermite_analytics.evidence import Evidence, Quantity
from hermite_analytics.exponents.results import Exponent, Staircase, infinite, known, undecided
from hermite_analytics.learning.rates import NOT_LEARNED

if TYPE_CHECKING:
    from hermite_analytics.label.thresholds import WeakRecovery

__all__ = ["Complexity", "Status", "first_order", "proportional"]

Status = Literal["theorem", "conjecture", "lower bound"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Complexity:
    """One class of algorithms, or one bound.

    Attributes
    ----------
    algorithm : str
    samples : str
        "d^2", "d log d", "not learned", or "at least d^2" where the exponent is not decided.
    exponent : Exponent
        The number that the samples follow from.
    status : "theorem", "conjecture" or "lower bound"
    source : str
    remark : str
        What is learned, and which exponent it is.
    """

    algorithm: str
    samples: str
    exponent: Exponent
    status: Status
    source: str
    remark: str

    def to_dict(self) -> dict[str, Any]:
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
        return known(grand.orders[0], evidence, grand.reasons[0])
    if grand.limit_dimension == 0:
        return infinite(grand.reasons[-1])
    return undecided(1, grand.undecided_up_to_degree or 0, grand.reasons[-1])


def proportional(k: Exponent, found: WeakRecovery) -> tuple[str, str]:
    """(samples, remark) of an algorithm at n = alpha d.

    Parameters
    ----------
    k : Exponent
        The generative exponent.
    found : WeakRecovery
    """
    if k.value == "inf":
        return NOT_LEARNED, "the label does not depend on z"
    kinds = {"trivial": found.trivial_dimension, "easy": found.easy_dimension, "hard": found.hard_dimension}
    counts = ", ".join(f"{n} {name}" for name, n in kinds.items())
    thresholds = [stage.alpha_c for stage in found.stages]
    known_ones = [q for q in thresholds if q is not None and not math.isnan(q.value)]
    first = thresholds[0] if thresholds else None
    if found.hard_dimension:
        shown = first is not None and math.isfinite(first.value)
        start = f"; the first ones at n/d > {_shown(first)}" if shown and first is not None else ""
        return NOT_LEARNED, f"not all from n = O(d) ({counts} directions){start}"
    if not thresholds or len(known_ones) < len(thresholds) or None in kinds.values():
        known_counts = "" if None in kinds.values() else f" ({counts} directions)"
        return "at least d", f"thresholds are not all decided{known_counts}"
    largest = max(known_ones, key=lambda q: q.value)
    if math.isinf(largest.value):
        return NOT_LEARNED, f"not all from n = O(d) ({counts} directions)"
    if largest.zero:
        return "d", f"any n/d > 0 ({counts} directions)"
    conditional = any(not q.zero for q in known_ones[1:])  # a step of order 1 needs no exact knowledge
    later = ", or more: given exact knowledge of the directions before" if conditional else ""
    return "d", f"n/d > {_shown(largest)} ({counts} directions){later}"


def _shown(number: Quantity) -> str:
    return str(number) if number.exact is not None else f"{number.value:.6g}"
