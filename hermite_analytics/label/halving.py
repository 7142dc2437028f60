"""What rules that were refined some times are still off."""

from __future__ import annotations

__all__ = ["left_after"]

_FIRST_ORDER = 0.7  # ratio of two changes, by chance
_SLOWEST = 0.85  # the same of labels with a pole in their density, which lose little with each halving


def left_after(last: float, before: float) -> float:
    """What all further halvings may change, where the last two changed this much: a geometric sum.

    Rules of a high order are left with a part of their last change, first order with as much again. A label
    that is rare and says much, as beside a pole of its density, is resolved on all scales alike, a decade
    after the other: where the ratio of two changes is close to 1, or above it, that is what is left.

    Examples
    --------
    >>> left_after(0.25, 1.0), left_after(0.5, 1.0), round(left_after(0.8, 1.0), 2)
    (0.08333333333333333, 0.5, 4.53)
    """
    ratio = last / before if last < _FIRST_ORDER * before else _SLOWEST
    return last * ratio / (1 - ratio)
