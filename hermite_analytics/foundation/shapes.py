"""Shapes of what is printed as JSON, as types: the room `schemas` makes JSON Schemas of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Literal

if TYPE_CHECKING:
    from pydantic_core import CoreSchema

__all__ = ["Count", "Keywords", "Number", "Numbers", "Pair", "Positive", "listed", "one_of"]


class Keywords:
    """Keywords of JSON Schema for an annotated type, such as `minimum`; pydantic asks for them.

    Examples
    --------
    >>> Keywords(minimum=0, description="samples")
    Keywords(minimum=0, description='samples')
    """

    def __init__(self, **keywords: object) -> None:
        self._keywords = keywords

    def __repr__(self) -> str:
        return f"Keywords({', '.join(f'{name}={value!r}' for name, value in self._keywords.items())})"

    def __get_pydantic_json_schema__(
        self, core: CoreSchema, inner: Callable[[CoreSchema], dict[str, object]]
    ) -> dict[str, object]:
        return {**inner(core), **self._keywords}


Number = Annotated[
    float | Literal["inf", "-inf"] | None,
    Keywords(description='null: not converged, or no such number; "inf": infinite'),
]
"""A number as `json_number` gives it."""
Count = Annotated[int, Keywords(minimum=0)]
Positive = Annotated[int, Keywords(minimum=1)]
Pair = Annotated[list[Number], Keywords(minItems=2, maxItems=2)]
_OneALetter = Annotated[list[Number], Keywords(minItems=1)]
_OneAPair = Annotated[list[_OneALetter], Keywords(minItems=1)]
Numbers = Annotated[
    Number | _OneALetter | _OneAPair | Annotated[list[_OneAPair], Keywords(minItems=1)],
    Keywords(description="a number, or one for each letter (and spike, or pair of letters)"),
]


def listed(shape: object, *, least: int = 0) -> object:
    """The shape of a list of at least so many entries of a shape."""
    return Annotated[list[shape], Keywords(minItems=least)]  # type: ignore[valid-type]


def one_of(*accepted: object) -> object:
    """The shape of one of these words or integers."""
    return Literal[tuple(accepted)]
