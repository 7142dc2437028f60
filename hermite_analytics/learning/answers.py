"""The exponents that sample complexities follow from, wherever they come from."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Protocol

from hermite_analytics.exponents.leaps import first_subspace, intrinsic_dimension, isotropic_leap
from hermite_analytics.exponents.results import Exponent, FirstSubspace, Staircase
from hermite_analytics.exponents.staircases import staircase
from hermite_analytics.foundation.seconds import require_seconds
from hermite_analytics.target import Target

if TYPE_CHECKING:
    from hermite_analytics.label.thresholds import WeakRecovery

__all__ = ["Answers", "TimedAnswers"]

_SHARE = 1 / 6  # of the time, for each of the analyses


class Answers(Protocol):
    """What the rows follow from. An `Analysis` has these attributes, and so does a target with a time."""

    @property
    def first_subspace(self) -> FirstSubspace: ...
    @property
    def isotropic_leap(self) -> Exponent: ...
    @property
    def intrinsic_dimension(self) -> Exponent: ...
    @property
    def staircase(self) -> Staircase: ...
    @property
    def generative_exponent(self) -> Exponent: ...
    @property
    def grand_staircase(self) -> Staircase: ...
    @property
    def weak_recovery(self) -> WeakRecovery: ...


class TimedAnswers:
    """The answers about one target, each with the same share of the time.

    Parameters
    ----------
    target : Target
    seconds : float > 0
        Time allowed for all of them together.
    """

    def __init__(self, target: Target, seconds: float) -> None:
        require_seconds(seconds)
        self._target = target
        self._seconds = _SHARE * seconds

    @functools.cached_property
    def first_subspace(self) -> FirstSubspace:
        return first_subspace(self._target, seconds=self._seconds)

    @functools.cached_property
    def isotropic_leap(self) -> Exponent:
        return isotropic_leap(self._target, seconds=self._seconds)

    @functools.cached_property
    def intrinsic_dimension(self) -> Exponent:
        return intrinsic_dimension(self._target, seconds=self._seconds)

    @functools.cached_property
    def staircase(self) -> Staircase:
        return staircase(self._target, seconds=self._seconds)

    @functools.cached_property
    def generative_exponent(self) -> Exponent:
        from hermite_analytics.label.orders.generative import generative_exponent

        return generative_exponent(self._target, seconds=self._seconds)

    @functools.cached_property
    def grand_staircase(self) -> Staircase:
        from hermite_analytics.label.orders.grand_staircases import grand_staircase

        return grand_staircase(self._target, seconds=self._seconds)

    @functools.cached_property
    def weak_recovery(self) -> WeakRecovery:
        from hermite_analytics.label.thresholds import weak_recovery

        return weak_recovery(self._target, seconds=self._seconds)
