"""The JSON documents of `analyze` and `staircase`."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar

from hermite_analytics.analysis.answers import Answers
from hermite_analytics.analysis.open_answers import open_exponent, open_first_subspace, open_staircase
from hermite_analytics.argument import Facts
from hermite_analytics.errors import HermiteAnalyticsError
from hermite_analytics.evidence import Quantity
from hermite_analytics.exponents import Exponent, FirstSubspace, Staircase
from hermite_analytics.foundation.json import JSON, Document
from hermite_analytics.gaussian.quantities import unknown_quantity

if TYPE_CHECKING:
    from hermite_analytics.label.thresholds import WeakRecovery

__all__ = [
    "STAIRCASES",
    "document",
    "exponent_of",
    "first_subspace_of",
    "quantity_of",
    "stages_of",
    "staircase_document",
    "staircase_of",
    "threshold_of",
    "weak_recovery_of",
]

T = TypeVar("T")
STAIRCASES = ("staircase", "leap_decomposition", "grand_staircase")


def exponent_of(a: Answers, name: str) -> Exponent:
    """An exponent, or an undecided one with the reason why there is none."""
    found: Exponent = _answer(lambda: getattr(a, name), open_exponent)
    return found


def staircase_of(a: Answers, name: str) -> Staircase:
    """A staircase, or an undecided one with the reason why there is none."""
    found: Staircase = _answer(lambda: getattr(a, name), open_staircase)
    return found


def first_subspace_of(a: Answers) -> FirstSubspace:
    """The first subspace, or an undecided one with the reason why there is none."""
    return _answer(lambda: a.first_subspace, open_first_subspace)


def quantity_of(a: Answers, name: str) -> Quantity:
    """A number, or an unknown one with the reason."""
    found: Quantity = _answer(lambda: getattr(a, name), unknown_quantity)
    return found


def weak_recovery_of(a: Answers) -> tuple[WeakRecovery | None, str]:
    """(the answer or None, why there is none)."""
    return _answer(lambda: (a.weak_recovery, ""), lambda reason: (None, reason))


def stages_of(found: WeakRecovery) -> list[tuple[int, Quantity, Facts]]:
    """(number of new directions, threshold, why) of each stage."""
    return [(s.dimension, s.alpha_c, s.facts) for s in found.stages]


def threshold_of(found: WeakRecovery) -> Quantity:
    """The threshold of the first stage."""
    return found.alpha_c


def document(a: Answers) -> Document:
    """All fields, in the order of the published document."""
    for name in ("intrinsic_dimension", "leap_index", "leap_complexity", "isotropic_leap"):
        exponent_of(a, name)  # quick answers first: they leave their time to the thresholds
    for name in ("staircase", "leap_decomposition"):
        staircase_of(a, name)
    recovery = _weak_recovery_document(a)
    found: Document = {
        "target": a.name,
        "dimension": a.dimension,
        "intrinsic_dimension": exponent_of(a, "intrinsic_dimension").value,
        "mean": quantity_document(quantity_of(a, "mean")),
        "second_moment": quantity_document(quantity_of(a, "second_moment")),
        "first_subspace": first_subspace_of(a).document(),
        "information_exponent": exponent_of(a, "information_exponent").to_dict(),
        "leap_index": exponent_of(a, "leap_index").to_dict(),
        **staircase_document(a),
        "weak_recovery": recovery,
    }
    if a.activation is not None:
        found["activation"] = str(a.activation)
        found |= {name: _learns_document(a, name) for name in ("learns", "learns_full_batch")}
    return found


def staircase_document(a: Answers) -> Document:
    """The fields from the leap complexity to the grand staircase."""
    names = ("leap_complexity", "isotropic_leap", "generative_exponent")
    return {
        **{name: exponent_of(a, name).to_dict() for name in names},
        **{name: staircase_of(a, name).document() for name in STAIRCASES},
    }


def quantity_document(q: Quantity) -> Document:
    """A number as in `Quantity.to_dict`; infinity has no closed form, an infinite error is null."""
    exact: Document = {"exact": None} if q.is_infinite else {}
    return {**q.to_dict(), **exact, "error": q.error if math.isfinite(q.error) else None}


def _weak_recovery_document(a: Answers) -> Document:
    found, reason = weak_recovery_of(a)
    dimensions = ("trivial_dimension", "easy_dimension", "hard_dimension")
    if found is None:
        alpha = quantity_document(unknown_quantity(reason))
        return {**dict.fromkeys(dimensions), "alpha_c": alpha, "stages": []}
    return {
        **{name: getattr(found, name) for name in dimensions},
        "alpha_c": quantity_document(threshold_of(found)),
        "stages": [
            {"dimension": dimension, "alpha_c": quantity_document(alpha)}
            for dimension, alpha, _ in stages_of(found)
        ],
    }


def _learns_document(a: Answers, name: str) -> Document | None:
    return _answer(lambda: _plain_object(getattr(a, name).document()), lambda reason: None)


def _plain_object(document: Document) -> Document:
    return {name: _plain(entry) for name, entry in document.items()}


def _plain(value: JSON) -> JSON:
    """Of plain types: exact integers as int, an infinite or unknown float as null."""
    if isinstance(value, Mapping):
        return {str(name): _plain(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        return int(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _answer(compute: Callable[[], T], refused: Callable[[str], T]) -> T:
    try:
        return compute()
    except HermiteAnalyticsError as error:
        return refused(" ".join(str(error).split()))
