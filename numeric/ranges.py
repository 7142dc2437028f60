"""The real numbers that a parameter may take, stated once: what is accepted, and the words for it."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["ANY", "NOT_NEGATIVE", "POSITIVE", "Range"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """The real numbers that a solver accepts.

    Attributes
    ----------
    low, high : float
    open_low, open_high : bool
        Whether `low`, or `high`, itself is refused.
    infinite : str
        What infinity is, as "inf is accepted"; empty where it is refused.

    Examples
    --------
    >>> 0.0 in Range(low=0.0), 0.0 in Range(low=0.0, open_low=True), math.inf in Range(low=0.0)
    (True, False, False)
    >>> Range(low=0.0, high=1.0, open_high=True).condition("tau")
    '0 <= tau < 1'
    """

    low: float = -math.inf
    high: float = math.inf
    open_low: bool = False
    open_high: bool = False
    infinite: str = ""

    def __contains__(self, value: float) -> bool:
        if math.isinf(value) and not self.infinite:
            return False
        above = self.low < value if self.open_low else self.low <= value
        below = value < self.high if self.open_high else value <= self.high
        return above and below

    def condition(self, name: str) -> str:
        """The range in symbols, as "0 < eps <= 1"; empty without a bound."""
        below, above = ("<" if is_open else "<=" for is_open in (self.open_low, self.open_high))
        if math.isinf(self.high):
            return "" if math.isinf(self.low) else f"{name} {'>' if self.open_low else '>='} {self.low:g}"
        if math.isinf(self.low):
            return f"{name} {above} {self.high:g}"
        return f"{self.low:g} {below} {name} {above} {self.high:g}"


ANY = Range()
POSITIVE = Range(low=0.0, open_low=True)
NOT_NEGATIVE = Range(low=0.0)
