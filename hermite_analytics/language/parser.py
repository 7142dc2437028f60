"""Text to sympy expression, through Python's `ast` and a whitelist: nothing is ever evaluated.

Limits keep hostile or mistaken input cheap: length, nesting, digits, polynomial degree.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

import sympy
from sympy import Expr

from hermite_analytics.errors import ParseError
from hermite_analytics.language.rules import MAX_DEGREE
from hermite_analytics.language.stairs import floor_of
from hermite_analytics.language.table import CONSTANTS, FUNCTIONS, MAX_VARIABLES
from hermite_analytics.language.text import MAX_LENGTH, MAX_NESTING, check_text, syntax_error
from hermite_analytics.language.walk import NameLookup, Walk

__all__ = [
    "MAX_DEGREE",
    "MAX_LENGTH",
    "MAX_NESTING",
    "expectation_names",
    "is_parameter",
    "parse",
    "target_names",
]

_NO_NUMBERS = ("nan", "inf", "infinity")
_INDEXED = re.compile(r"z([1-9]\d{0,5})")


def target_names(name: str) -> Expr | None:
    """The variables of a target: z1, z2, ... (z alone means z1) and the label noise xi."""
    if name == "z":
        name = "z1"
    if name == "xi":
        return sympy.Symbol("xi", real=True)
    match = _INDEXED.fullmatch(name)
    if match and int(match[1]) <= MAX_VARIABLES:
        return sympy.Symbol(name, real=True)
    return None


def expectation_names(name: str) -> Expr | None:
    """The variables z1, z2, ... and, for every other word of letters without a meaning, a real parameter."""
    found = target_names(name) if name != "xi" else None
    taken = name in CONSTANTS or name in FUNCTIONS or name.lower() in _NO_NUMBERS
    if found is None and not taken and re.fullmatch(r"[A-Za-z]{1,20}", name):
        return sympy.Symbol(name, real=True)
    return found


def is_parameter(symbol: sympy.Symbol) -> bool:
    """Whether a symbol of `expectation_names` is a parameter, not a variable."""
    return _INDEXED.fullmatch(symbol.name) is None


def parse(
    text: str,
    names: NameLookup,
    *,
    accepted: str,
    is_constant: Callable[[sympy.Symbol], bool] = lambda symbol: False,
    floor_of: Callable[[Expr], Expr] = floor_of,
) -> Expr:
    """Parse `text` to a sympy expression.

    Parameters
    ----------
    text : str
        An expression of the language (functions of `language.table`, `+ - * / **`, decimals, names).
    names : callable
        Maps a variable's name to its symbol, or None if it is not accepted here.
    accepted : str
        How the accepted variables are called in messages, for example "z".
    is_constant : callable
        Whether a symbol is a parameter: expressions of parameters alone count as constants, whose signs the
        caller vouches for.
    floor_of : callable
        The floor of an argument that is accepted: kinks inside are opened, if not told otherwise.

    Raises
    ------
    ParseError
        With the position of the fault.

    Examples
    --------
    >>> parse("0.5*He(2, z1) + abs(z2)", target_names, accepted="z1, z2, ..., xi")
    Abs(z2) + He(2, z1)/2
    >>> parse("z1 + log(z2)", target_names, accepted="z1, z2, ..., xi")
    Traceback (most recent call last):
        ...
    hermite_analytics.errors.ParseError: log is accepted where its argument is shown to be positive
      z1 + log(z2)
           ^
    """
    check_text(text)
    flat = re.sub(r"\s", " ", text)
    stripped = flat.lstrip()
    offset = len(text) - len(stripped)
    try:
        tree = ast.parse(stripped, mode="eval")
    except SyntaxError as error:
        raise syntax_error(error, text, offset) from None
    except (ValueError, RecursionError, MemoryError):
        raise ParseError("the expression is too deeply nested to be read", text, 0) from None
    walk = Walk(
        text=text,
        flat=stripped,
        offset=offset,
        names=names,
        accepted=accepted,
        is_constant=is_constant,
        floor_of=floor_of,
    )
    try:
        return walk.convert(tree.body, 0)
    except ParseError:
        raise
    except (
        ArithmeticError,
        TypeError,
        ValueError,
        RecursionError,
    ):  # of sympy, on constants out of its reach
        raise ParseError("the expression cannot be evaluated exactly", text, 0) from None
