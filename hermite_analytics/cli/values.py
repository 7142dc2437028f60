"""Option types: comma lists of numbers, and the grid that they span."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click

__all__ = ["NUMBERS", "grid", "in_given_order", "number_option"]

F = TypeVar("F", bound=Callable[..., Any])


class _Numbers(click.ParamType):  # type: ignore[type-arg]  # generic only in newer versions of click
    """One number or a comma list of numbers; 'inf' is a number."""

    name = "number[,number...]"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, ...]:
        if isinstance(value, tuple):
            return value
        if isinstance(value, int | float):
            return (float(value),)
        try:
            numbers = tuple(float(part) for part in str(value).split(","))
        except ValueError:
            self.fail(f"{str(value)[:40]!r} is not a number or a comma list of numbers", param, ctx)
        if any(math.isnan(x) for x in numbers):
            self.fail("nan is not a number", param, ctx)
        return numbers


NUMBERS = _Numbers()


def number_option(
    name: str, text: str, *, required: bool = False, default: float | None = None
) -> Callable[[F], F]:
    """A click option that takes a comma list of numbers."""
    if default is None:  # an explicit None would count as a default, and switch `required` off
        return click.option(f"--{name}", type=NUMBERS, required=required, help=text)
    return click.option(f"--{name}", type=NUMBERS, required=required, default=default, help=text)


def grid(names: Sequence[str], lists: Mapping[str, Sequence[float] | None]) -> list[dict[str, float]]:
    """All combinations of the given lists, the last name fastest; names without a list are left out."""
    given = [n for n in names if lists.get(n) is not None]
    combinations = itertools.product(*(lists[n] or () for n in given))
    return [dict(zip(given, values, strict=True)) for values in combinations]


def in_given_order(ctx: click.Context, names: Sequence[str]) -> list[str]:
    """The option names in the order in which they stand on the command line."""
    order = [n for n in ctx.params if n in names]
    return order + [n for n in names if n not in order]
