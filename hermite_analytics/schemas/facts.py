"""Arguments and their facts, from the records of the room `argument`."""

from __future__ import annotations

import dataclasses
import functools
import operator
import types
import typing
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, RootModel
from sympy import Expr

from hermite_analytics.argument.documents import KINDS
from hermite_analytics.argument.fact import Fact as Record
from hermite_analytics.foundation.shapes import Keywords
from hermite_analytics.schemas.document import ABSENT, Part, made

__all__ = ["Argument", "Fact"]

_WRITTEN: Mapping[object, object] = {
    Record: "Fact",
    Expr: Annotated[str, Keywords(description="an expression in the language")],
}


def _fact(kind: str, record: type[Record]) -> type[Part]:
    said = {"kind": Literal[kind], "text": str, "latex": str}
    return _part(record.__name__, record, said)


def _part(name: str, record: type, said: Mapping[str, object]) -> type[Part]:
    hints = typing.get_type_hints(record)
    fields = {field.name: _shape(hints[field.name]) for field in dataclasses.fields(record)}
    return made(name, {**said, **fields})


@functools.cache
def _record(record: type) -> type[Part]:
    return _part(record.__name__, record, {})


def _shape(wanted: object) -> object:
    """The type of a field as JSON has it."""
    origin, inner = typing.get_origin(wanted), typing.get_args(wanted)
    if origin in (typing.Union, types.UnionType):
        return functools.reduce(operator.or_, (_shape(arm) for arm in inner))
    if origin is tuple and inner[-1] is Ellipsis:
        return list[_shape(inner[0])]  # type: ignore[misc]
    if origin is tuple:
        return Annotated[list[_shape(inner[0])], Keywords(minItems=len(inner), maxItems=len(inner))]  # type: ignore[misc]
    if wanted in _WRITTEN:
        return _WRITTEN[wanted]
    return _record(wanted) if isinstance(wanted, type) and dataclasses.is_dataclass(wanted) else wanted


_FACTS = [_fact(kind, record) for kind, record in KINDS.items()]
_ANY = functools.reduce(operator.or_, _FACTS)


class Fact(RootModel[Annotated[_ANY, Field(discriminator="kind")]]):  # type: ignore[valid-type]
    """A fact in one line, as text and LaTeX, and its fields."""


for _made in _FACTS:
    _made.model_rebuild(_types_namespace={"Fact": Fact})
Fact.model_rebuild()


class Argument(Part):
    """Why something is claimed."""

    claim: str
    facts: list[Fact]
    conclusion: Annotated[
        Fact, Keywords(description="the subspace that is reached, where the claim is about one")
    ] = ABSENT
