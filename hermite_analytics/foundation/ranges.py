"""The real numbers that a parameter may take, stated once: what is accepted, and the words for it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from hermite_analytics.errors import InputError

__all__ = ["ANY", "NOT_NEGATIVE", "NUMBERS", "POSITIVE", "Range", "numbers_of"]

NUMBERS = "a comma list of numbers, where LOW:HIGH:N are N at equal distances, LOW:HIGH:N:log at equal ratios"
_MOST = 100_000


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
FLIPS = Range(low=0.0, high=0.5, open_high=True)


def numbers_of(text: str) -> tuple[float, ...]:
    """The numbers of a text: single ones and ranges, between commas.

    Raises
    ------
    InputError
        If a part is neither.

    Examples
    --------
    >>> numbers_of("0.5, 1:2:3"), numbers_of("0.01:1:3:log")
    ((0.5, 1.0, 1.5, 2.0), (0.01, 0.1, 1.0))
    """
    return tuple(number for part in text.split(",") for number in _part(part))


def _part(text: str) -> list[float]:
    ends = text.split(":")
    try:
        if len(ends) == 1:
            return [float(text)]
        low, high, count = float(ends[0]), float(ends[1]), int(ends[2])
        is_log = len(ends) == 4
        if len(ends) > 4 or (is_log and ends[3].strip() != "log"):
            raise ValueError
    except (ValueError, IndexError):
        raise InputError(f"{text.strip()[:40]!r} is not a number or a range; accepted: {NUMBERS}") from None
    if not (math.isfinite(low) and math.isfinite(high) and 2 <= count <= _MOST):
        raise InputError(f"the range {text.strip()[:40]!r} needs finite ends and 2 <= N <= {_MOST}")
    if is_log and not (low > 0 and high > 0):
        raise InputError(f"the range {text.strip()[:40]!r} of equal ratios needs two ends > 0")
    return _spaced(low, high, count, is_log=is_log)


def _spaced(low: float, high: float, count: int, *, is_log: bool) -> list[float]:
    """From end to end, both included as they are written; what is a short decimal stays one."""
    shares = (j / (count - 1) for j in range(1, count - 1))
    between = (low * (high / low) ** s if is_log else low + (high - low) * s for s in shares)
    return [low, *(float(f"{x:.15g}") for x in between), high]
