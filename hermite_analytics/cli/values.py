"""Types of options: comma lists of numbers, and the grid that they span."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import click

from hermite_analytics.errors import InputError
from hermite_analytics.foundation.ranges import numbers_of

__all__ = [
    "INTEGERS",
    "NUMBERS",
    "SECONDS",
    "TEXTS",
    "grid",
    "in_given_order",
    "numbers_or",
    "split_outside_brackets",
]


class _Numbers(click.ParamType):  # type: ignore[type-arg]  # generic only in newer versions of click
    """One number, or numbers and ranges between commas; 'inf' is a number."""

    name = "number[,number...]"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, ...]:
        if isinstance(value, tuple):
            return value
        if isinstance(value, int | float):
            return (float(value),)
        try:
            numbers = numbers_of(str(value))
        except InputError as error:
            self.fail(str(error), param, ctx)
        if any(math.isnan(x) for x in numbers):
            self.fail("nan is not a number", param, ctx)
        return numbers


class _Seconds(click.FloatRange):
    """A time."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            return float(super().convert(value, param, ctx))
        except click.BadParameter:
            raise InputError(
                f"--seconds is {str(value)[:40]!r}; a number >= {self.min:g} is accepted"
            ) from None


class _Integers(click.ParamType):  # type: ignore[type-arg]  # generic only in newer versions of click
    """One integer or a comma list of integers."""

    name = "integer[,integer...]"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        numbers = NUMBERS.convert(value, param, ctx)
        if not all(math.isfinite(x) and x == int(x) for x in numbers):
            name = "a size" if param is None else param.opts[0]
            raise InputError(f"{name} takes integers; for ratios to d use the flag of the ratio")
        return tuple(int(x) for x in numbers)


class _NumbersOrWord(_Numbers):
    """Numbers, or a word."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)
        self.name = f"number[,number...]|{self.words[0]}"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, str) and value.strip() in self.words:
            return value.strip()
        if isinstance(value, str) and value[:1].isalpha() and value.strip().lower() not in ("inf", "nan"):
            name = "a list" if param is None else param.opts[0]
            raise InputError(f"{name} is {value[:40]!r}; accepted: numbers, {', '.join(self.words)}")
        return super().convert(value, param, ctx)


class _Texts(click.ParamType):  # type: ignore[type-arg]  # generic only in newer versions of click
    """One text or a comma list of texts; commas inside brackets are theirs."""

    name = "text[,text...]"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        return value if isinstance(value, tuple) else tuple(split_outside_brackets(str(value)))


NUMBERS = _Numbers()
SECONDS = _Seconds(min=0.1)
INTEGERS = _Integers()
TEXTS = _Texts()


def numbers_or(words: Sequence[str]) -> click.ParamType:  # type: ignore[type-arg]
    """The type of a list of numbers with words that may stand in its place."""
    return _NumbersOrWord(words)


def split_outside_brackets(text: str) -> list[str]:
    """The parts between commas that no bracket holds.

    Examples
    --------
    >>> split_outside_brackets("square,max(0, 1 - y*x)")
    ['square', 'max(0, 1 - y*x)']
    """
    parts, depth = [""], 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def grid(names: Sequence[str], lists: Mapping[str, Any]) -> list[dict[str, Any]]:
    """All combinations of the given lists, the last name fastest; names without a list are left out."""
    given = [n for n in names if lists.get(n) is not None]
    combinations = itertools.product(*(lists[n] or () for n in given))
    return [dict(zip(given, values, strict=True)) for values in combinations]


def in_given_order(ctx: click.Context, names: Sequence[str]) -> list[str]:
    """The option names in the order in which they stand on the command line."""
    order = [n for n in ctx.params if n in names]
    return order + [n for n in names if n not in order]
