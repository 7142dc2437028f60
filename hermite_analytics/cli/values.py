"""Types of options: comma lists of numbers, and the grid that they span."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

import click

from hermite_analytics.errors import InputError
from hermite_analytics.numeric.ranges import numbers_of

__all__ = ["INTEGERS", "NUMBERS", "grid", "in_given_order", "rows_of"]


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


NUMBERS = _Numbers()
INTEGERS = _Integers()


def grid(names: Sequence[str], lists: Mapping[str, Sequence[float] | None]) -> list[dict[str, float]]:
    """All combinations of the given lists, the last name fastest; names without a list are left out."""
    given = [n for n in names if lists.get(n) is not None]
    combinations = itertools.product(*(lists[n] or () for n in given))
    return [dict(zip(given, values, strict=True)) for values in combinations]


def in_given_order(ctx: click.Context, names: Sequence[str]) -> list[str]:
    """The option names in the order in which they stand on the command line."""
    order = [n for n in ctx.params if n in names]
    return order + [n for n in names if n not in order]


def rows_of(name: str, text: str, accepted: str = "rows of numbers, as 1,1;1,-1") -> list[list[float]]:
    """Rows between semicolons, numbers between commas or colons.

    Examples
    --------
    >>> rows_of("overlap", "0.4,0.4;0.4,-0.4")
    [[0.4, 0.4], [0.4, -0.4]]
    """
    try:
        return [[float(part) for part in row.replace(":", ",").split(",")] for row in text.split(";")]
    except ValueError:
        raise InputError(f"--{name} is {text[:40]!r}; accepted: {accepted}") from None
