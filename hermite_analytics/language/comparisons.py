"""Conditions on parameters, as "a > 0, 0 < b <= 1, c != 1": comparisons of a parameter with numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

from sympy import Expr

from hermite_analytics.errors import InputError, ParseError
from hermite_analytics.language.numbers import exact_number
from hermite_analytics.language.parser import expectation_names, is_parameter, target_names

__all__ = ["Comparison", "Sign", "comparisons", "is_parameter_name"]

Sign: TypeAlias = Literal["<", "<=", ">", ">=", "!="]

MAX_LENGTH = 1000
_ACCEPTED = 'a parameter is compared with numbers by < <= > >= !=, as in "a > 0, 0 < b <= 1, c != 1"'
_SIGN = re.compile(r"(<=|>=|!=|==|<|>|=)")
_PLAIN = str.maketrans({"≤": "<=", "≥": ">=", "≠": "!="})
_MIRRORED: dict[str, Sign] = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "!=": "!="}


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A parameter, a sign, a number.

    Examples
    --------
    >>> [(c.name, c.sign, c.number) for c in comparisons("0 < a <= 1/2 and b != 1")]
    [('a', '>', 0), ('a', '<=', 1/2), ('b', '!=', 1)]
    """

    name: str
    sign: Sign
    number: Expr


def is_parameter_name(name: str) -> bool:
    """Whether a word may name a parameter: letters, and no variable, constant or function.

    Examples
    --------
    >>> [name for name in ("a", "slope", "z", "z1", "xi", "E", "sin", "a1") if is_parameter_name(name)]
    ['a', 'slope']
    """
    found = None if target_names(name) is not None else expectation_names(name)
    return found is not None and is_parameter(found)


def comparisons(text: str) -> tuple[Comparison, ...]:
    """The comparisons that a text joins by commas or `and`.

    Raises
    ------
    InputError
        For anything else.
    """
    if not isinstance(text, str):
        raise InputError(f"where is given as text, not as {type(text).__name__}; {_ACCEPTED}")
    if len(text) > MAX_LENGTH:
        raise InputError(f"where has {len(text)} characters; at most {MAX_LENGTH} are accepted")
    parts = [part for part in re.split(r",(?![^(]*\))|\band\b", text.translate(_PLAIN)) if part.strip()]
    if not parts:
        raise InputError(f"where is empty; {_ACCEPTED}")
    return tuple(found for part in parts for found in _chain(part.strip()))


def _chain(part: str) -> list[Comparison]:
    """The comparisons of a chain such as 0 < a < 1."""
    pieces = [piece.strip() for piece in _SIGN.split(part)]
    sides, signs = pieces[::2], pieces[1::2]
    if len(sides) not in (2, 3) or not all(sides):
        raise InputError(f"where has {_shown(part)}; {_ACCEPTED}")
    if any(sign in ("=", "==") for sign in signs):
        raise InputError(f"where has {_shown(part)}: put a fixed value into the target; {_ACCEPTED}")
    return [
        _comparison(left, sign, right, part)
        for left, sign, right in zip(sides, signs, sides[1:], strict=False)
    ]


def _comparison(left: str, sign: str, right: str, part: str) -> Comparison:
    if is_parameter_name(left):
        return Comparison(name=left, sign=cast("Sign", sign), number=_number(right, part))
    if is_parameter_name(right):
        return Comparison(name=right, sign=_MIRRORED[sign], number=_number(left, part))
    for side in (left, right):
        if target_names(side) is not None:
            raise InputError(f"where has {_shown(part)}, but {side} is an input; {_ACCEPTED}")
    raise InputError(f"where has {_shown(part)}, where no side is the name of a parameter; {_ACCEPTED}")


def _number(text: str, part: str) -> Expr:
    try:
        return exact_number(text, "a bound")
    except (InputError, ParseError):
        raise InputError(f"where has {_shown(part)}, and {_shown(text)} is no number; {_ACCEPTED}") from None


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:37]}...")
