"""What a law finds for a label: a case, the coordinates that it is of, and what comes after them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from sympy import Symbol

from hermite_analytics.label.moments import LabelCase
from hermite_analytics.label.reduction.problem import Problem

if TYPE_CHECKING:
    from hermite_analytics.label.cases.values.joint import JointChannel

__all__ = ["Found", "Law", "Then"]


class Then(NamedTuple):
    """The channel of the other coordinates once the seen one is known, and the share of such labels."""

    kind: LabelCase
    coordinates: tuple[Symbol, ...]
    share: float


class Found(NamedTuple):
    """A channel, the coordinates that it is of, what comes after them, and the channel of all together."""

    kind: LabelCase
    seen: tuple[Symbol, ...]
    then: Then | None = None
    joint: tuple[JointChannel, tuple[Symbol, ...]] | None = None


Law = Callable[[Problem], Found | None]
