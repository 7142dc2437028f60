"""Numbers of samples as text, from an exponent that may be infinite or open."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from hermite_analytics.exponents.results import Exponent

__all__ = ["NOT_LEARNED", "giant", "low_degree", "one_pass", "power", "repeated", "written"]

NOT_LEARNED = "not learned"


def power(exponent: Fraction | int) -> str:
    """d to a power.

    Examples
    --------
    >>> power(1), power(2), power(Fraction(3, 2))
    ('d', 'd^2', 'd^(3/2)')
    """
    x = Fraction(exponent)
    if x == 1:
        return "d"
    return f"d^{x}" if x.denominator == 1 else f"d^({x})"


def written(exponent: str) -> str:
    """d to a power that is given as text.

    Examples
    --------
    >>> written("2"), written("1/2")
    ('d^2', 'd^(1/2)')
    """
    return f"d^{exponent}" if exponent.isdigit() else f"d^({exponent})"


def one_pass(order: Exponent) -> str:
    """d, d log d, d^(l - 1): spherical SGD."""
    return _text(order, lambda k: "d log d" if k == 2 else power(max(1, k - 1)))


def repeated(order: Exponent) -> str:
    """d^max(1, k - 1), up to logarithms."""
    return _text(order, lambda k: power(max(1, k - 1)))


def low_degree(order: Exponent) -> str:
    """d^max(1, k/2): lower bounds of query and low-degree algorithms."""
    return _text(order, lambda k: power(max(Fraction(1), Fraction(k, 2))))


def giant(order: Exponent) -> str:
    """d^l: one step on a batch."""
    return _text(order, power)


def _text(order: Exponent, rate: Callable[[int], str]) -> str:
    if order.value == "inf":
        return NOT_LEARNED
    if order.value is None:
        return NOT_LEARNED if order.at_least == "inf" else f"at least {rate(order.at_least)}"
    return rate(order.value)
