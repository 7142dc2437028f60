"""Facts as JSON, and back: their fields by the types that the records declare.

A fact is {"kind", "text", "latex", its fields}. Expressions are text of the language and read by its own
parser; text and latex are for people and are not read.
"""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from sympy import Expr

from hermite_analytics.argument import coefficients, moments, remarks, steps, symmetries
from hermite_analytics.argument.fact import Fact
from hermite_analytics.errors import InputError
from hermite_analytics.foundation.json import JSON, Document
from hermite_analytics.language import display
from hermite_analytics.language.parser import parse, target_names

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

__all__ = ["KINDS", "fact_from_dict", "fact_to_dict"]

_MODULES = (coefficients, moments, remarks, steps, symmetries)

T = TypeVar("T")


def _kinds() -> dict[str, type[Fact]]:
    classes = [getattr(module, name) for module in _MODULES for name in module.__all__]
    return {c.kind: c for c in classes if isinstance(c, type) and issubclass(c, Fact)}


KINDS: Mapping[str, type[Fact]] = _kinds()
"""The records by their names in JSON."""


def fact_to_dict(fact: Fact) -> Document:
    """JSON-ready.

    Examples
    --------
    >>> found = fact_to_dict(coefficients.VanishingTensors(last=2))
    >>> found["kind"], found["text"], found["last"]
    ('vanishing_tensors', 'C_1 to C_2 vanish', 2)
    """
    return {"kind": fact.kind, "text": str(fact), "latex": fact.latex, **_fields(fact)}


def fact_from_dict(document: object) -> Fact:
    """The record of a document.

    Raises
    ------
    InputError, ParseError
        For what `fact_to_dict` does not write, and for numbers outside of 1e-300 to 1e300, which the language
        does not accept.

    Examples
    --------
    >>> print(fact_from_dict({"kind": "vanishing_tensors", "last": 2, "because": []}))
    C_1 to C_2 vanish
    """
    kind = document.get("kind") if isinstance(document, Mapping) else None
    if not (isinstance(document, Mapping) and isinstance(kind, str) and kind in KINDS):
        raise InputError(f"the kind of a fact is one of {', '.join(sorted(KINDS))}; given: {document!r:.60}")
    return _record(KINDS[kind], document)


def _fields(record: object) -> Document:
    fields = dataclasses.fields(typing.cast("DataclassInstance", record))
    return {field.name: _written(getattr(record, field.name)) for field in fields}


def _written(value: object) -> JSON:
    if isinstance(value, Fact):
        return fact_to_dict(value)
    if isinstance(value, tuple):
        return [_written(entry) for entry in value]
    if isinstance(value, Expr):
        return display.text(value)
    return _fields(value) if dataclasses.is_dataclass(value) else typing.cast("JSON", value)


@functools.cache
def _types(record: type) -> dict[str, object]:
    hints = typing.get_type_hints(record)
    return {field.name: hints[field.name] for field in dataclasses.fields(record)}


def _record(record: type[T], document: Mapping[str, object]) -> T:
    wanted = _types(typing.cast("type", record))
    missing = [name for name in wanted if name not in document]
    if missing:
        raise InputError(f"a document of {record.__name__} has {', '.join(wanted)}; missing: {missing[0]}")
    return record(**{name: _read(document[name], wanted[name]) for name in wanted})


def _read(value: object, wanted: object) -> object:
    """A value of the declared type."""
    origin, inner = typing.get_origin(wanted), typing.get_args(wanted)
    if origin in (typing.Union, types.UnionType):
        return _read(value, _arm(value, inner))
    if origin is tuple and isinstance(value, list):
        kinds = [inner[0]] * len(value) if inner[-1] is Ellipsis else inner
        if len(kinds) == len(value):
            return tuple(_read(entry, kind) for entry, kind in zip(value, kinds, strict=True))
    if wanted is Fact:
        return fact_from_dict(value)
    if wanted is Expr and isinstance(value, str):
        return parse(value, target_names, accepted="z1, z2, ..., xi")
    if dataclasses.is_dataclass(wanted) and isinstance(value, Mapping):
        return _record(typing.cast("type", wanted), value)
    if not _is_plain(value, wanted):
        raise InputError(
            f"a value of type {getattr(wanted, '__name__', wanted)} is wanted; given: {value!r:.60}"
        )
    return float(typing.cast("float", value)) if wanted is float else value


def _is_plain(value: object, wanted: Any) -> bool:
    """Whether JSON writes this value of the type as it is; a whole number may stand for a float."""
    if typing.get_origin(wanted) is typing.Literal:
        return value in typing.get_args(wanted)
    if wanted is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return wanted in (int, bool, str, types.NoneType) and type(value) is wanted


def _arm(value: object, arms: tuple[object, ...]) -> object:
    """The type of a union that a value is written in: objects are records, text is text or an expression."""
    if value is None:
        return types.NoneType
    is_record = isinstance(value, Mapping)
    return next(
        arm for arm in arms if arm is not types.NoneType and is_record == dataclasses.is_dataclass(arm)
    )
