"""Targets and activations from the texts of a question; an error says which of them it is about."""

from __future__ import annotations

import functools

from hermite_analytics.activation import Activation
from hermite_analytics.errors import HermiteAnalyticsError
from hermite_analytics.explorer.messages import Refusal
from hermite_analytics.target import Target

__all__ = ["activation_of", "target_of"]

_KEPT = 64


@functools.lru_cache(maxsize=_KEPT)
def target_of(text: str) -> Target:
    """The target.

    Raises
    ------
    Refusal
    """
    try:
        return Target(text)
    except HermiteAnalyticsError as error:
        raise Refusal("target", error) from None


@functools.lru_cache(maxsize=_KEPT)
def activation_of(text: str) -> Activation:
    """The activation.

    Raises
    ------
    Refusal
    """
    try:
        return Activation(text)
    except HermiteAnalyticsError as error:
        raise Refusal("activation", error) from None
