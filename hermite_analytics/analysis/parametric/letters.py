"""Signs of numbers in which letters stand for enclosed ones."""

from __future__ import annotations

import functools
import operator
from collections.abc import Mapping

from sympy import Expr, Symbol

from hermite_analytics.errors import UndefinedQuantity, UnsupportedExpression
from hermite_analytics.evidence import Quantity
from hermite_analytics.gaussian.order import sign_of

__all__ = ["enclosed_sign"]


def enclosed_sign(number: Expr, letters: Mapping[Symbol, Quantity]) -> int:
    """-1, 0 or 1, of a rational function of letters.

    Raises
    ------
    UnsupportedExpression
        If the enclosures do not decide it.

    Examples
    --------
    >>> from hermite_analytics import hermite
    >>> c = Symbol("c")
    >>> enclosed_sign(2 * c - 1, {c: hermite("tanh(z1)", 1)[1]})  # c = 0.6057..
    1
    """
    if not number.free_symbols:
        return sign_of(number)
    try:
        found = _enclosed(number, letters)
        return 1 if found > 0 else -1 if found < 0 else 0
    except UndefinedQuantity:
        raise UnsupportedExpression(f"the sign of {number} is not decided") from None


def _enclosed(x: Expr, letters: Mapping[Symbol, Quantity]) -> Quantity | Expr:
    if not x.free_symbols:
        return x
    if x in letters:
        return letters[x]
    if x.is_Add or x.is_Mul:
        parts = [_enclosed(part, letters) for part in x.args]
        return functools.reduce(operator.add if x.is_Add else operator.mul, parts)
    if x.is_Pow and x.exp.is_Integer:
        return _enclosed(x.base, letters) ** int(x.exp)
    raise UnsupportedExpression(f"the sign of {x} is not decided")
