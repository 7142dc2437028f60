"""All records, by the functions that they are of."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable

from sympy import Expr

from hermite_analytics.foundation.folders import names_in
from hermite_analytics.language.functions.record import Record

__all__ = ["RECORDS", "functions_where", "record_of"]

# The order in which messages name the functions; a file that is not named comes after these.
_FIRST = (
    "hermite",
    "steps",
    "rectifiers",
    "extremes",
    "clipping",
    "integer_part",
    "elementary",
    "numbers",
    "euclidean_norm",
    "arcs",
    "cardinal_sine",
    "error_function",
    "normal",
    "logistic",
    "gaussian_unit",
    "mish_unit",
    "exponential_units",
    "softsign",
    "pair",
)
_FOLDER, _, _OWN = __name__.rpartition(".")
_OTHERS = {_OWN, "record", "real_function"}
RECORDS: tuple[Record, ...] = tuple(
    record
    for name in names_in(sys.modules[_FOLDER].__path__, _FIRST)
    if name not in _OTHERS
    for record in importlib.import_module(f"{_FOLDER}.{name}").RECORDS
)
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
