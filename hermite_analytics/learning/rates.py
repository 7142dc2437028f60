"""Numbers of samples, from an exponent that may be infinite or open."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from hermite_analytics.argument.sentences import Math, Paragraph
from hermite_analytics.exponents.results import Exponent

__all__ = ["LINEAR", "NOT_LEARNED", "Rate", "giant", "low_degree", "one_pass", "repeated", "written"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """How many samples are needed.

    Attributes
    ----------
    power : Fraction or None
        Of d; None where no number is enough.
    has_log : bool
        Whether a factor log d stands behind it.
    is_bound : bool
        Whether it is a lower bound, because an exponent is not decided.

    Examples
    --------
    >>> print(Rate(power=Fraction(3, 2)), Rate(power=Fraction(1), has_log=True, is_bound=True), NOT_LEARNED)
    d^(3/2) at least d log d not learned
    """

    power: Fraction | None
    has_log: bool = False
    is_bound: bool = False

    def __str__(self) -> str:
        return "not learned" if self.power is None else f"{self._bound}{self._math(self.power).text}"

    def sentence(self) -> Paragraph:
        """With a word for what it counts."""
        if self.power is None:
            return ("not learned",)
        return self._bound, self._math(self.power), " samples"

    @property
    def _bound(self) -> str:
        return "at least " if self.is_bound else ""

    def _math(self, power: Fraction) -> Math:
        log, tex_log = (" log d", r" \log d") if self.has_log else ("", "")
        text, tex = ("d", "d") if power == 1 else (written(str(power)), f"d^{{{power}}}")
        return Math(f"{text}{log}", f"{tex}{tex_log}")


NOT_LEARNED = Rate(power=None)
LINEAR = Rate(power=Fraction(1))


def written(exponent: str) -> str:
    """d to a power that is given as text.

    Examples
    --------
    >>> written("2"), written("1/2")
    ('d^2', 'd^(1/2)')
    """
    return f"d^{exponent}" if exponent.isdigit() else f"d^({exponent})"


def one_pass(order: Exponent) -> Rate:
    """d, d log d, d^(l - 1): spherical SGD."""
    return _rate(order, lambda k: Rate(power=Fraction(max(1, k - 1)), has_log=k == 2))


def repeated(order: Exponent) -> Rate:
    """d^max(1, k - 1), up to logarithms."""
    return _rate(order, lambda k: Rate(power=Fraction(max(1, k - 1))))


def low_degree(order: Exponent) -> Rate:
    """d^max(1, k/2): lower bounds of query and low-degree algorithms."""
    return _rate(order, lambda k: Rate(power=max(Fraction(1), Fraction(k, 2))))


def giant(order: Exponent) -> Rate:
    """d^l: one step on a batch."""
    return _rate(order, lambda k: Rate(power=Fraction(k)))


def _rate(order: Exponent, of: Callable[[int], Rate]) -> Rate:
    if order.value is not None:
        return NOT_LEARNED if order.value == "inf" else of(order.value)
    return NOT_LEARNED if order.at_least == "inf" else dataclasses.replace(of(order.at_least), is_bound=True)
