"""All records, by the functions that they are of."""

from __future__ import annotations

from collections.abc import Callable

from sympy import Expr

from hermite_analytics.language.functions import (
    arcs,
    cardinal_sine,
    clipping,
    elementary,
    error_function,
    euclidean_norm,
    exponential_units,
    extremes,
    gaussian_unit,
    hermite,
    integer_part,
    logistic,
    mish_unit,
    normal,
    numbers,
    pair,
    rectifiers,
    softsign,
    steps,
)
from hermite_analytics.language.functions.record import Record

__all__ = ["RECORDS", "functions_where", "record_of"]

# The order of this list is that in which messages name the functions.
_FILES = (
    hermite,
    steps,
    rectifiers,
    extremes,
    clipping,
    integer_part,
    elementary,
    numbers,
    euclidean_norm,
    arcs,
    cardinal_sine,
    error_function,
    normal,
    logistic,
    gaussian_unit,
    mish_unit,
    exponential_units,
    softsign,
    pair,
)
RECORDS: tuple[Record, ...] = tuple(record for file in _FILES for record in file.RECORDS)
_BY_FUNCTION = {record.function: record for record in RECORDS if record.function is not None}
_NOTHING_KNOWN = Record()


def record_of(expr: Expr) -> Record:
    """What is known of the outermost function of an expression: nothing, for sums, products and powers.

    Examples
    --------
    >>> import sympy
    >>> record_of(sympy.tanh(sympy.Symbol("x"))).parity, record_of(sympy.Integer(2)).parity
    (-1, 0)
    """
    return _BY_FUNCTION.get(expr.func, _NOTHING_KNOWN)


def functions_where(fact: Callable[[Record], object]) -> tuple[type[Expr], ...]:
    """The functions of whose records a fact holds.

    Examples
    --------
    >>> [f.__name__ for f in functions_where(lambda r: r.kink is not None and r.kink.is_jump)]
    ['sign', 'step', 'Heaviside']
    """
    return tuple(function for function, record in _BY_FUNCTION.items() if fact(record))
