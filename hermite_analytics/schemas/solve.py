"""Documents of `solve`, from the records of the models."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

from hermite_analytics.foundation.shapes import Count, Keywords, Positive, one_of
from hermite_analytics.numeric.models.parameter import Kind, Parameter
from hermite_analytics.numeric.models.record import ModelRecord, Result
from hermite_analytics.numeric.status import Status
from hermite_analytics.schemas.document import ABSENT, Document, Part, made

__all__ = ["exported_document", "group_of", "solve_document", "stored_document"]

_Number = Annotated[float | Literal["inf", "-inf"], Keywords(description='"inf": infinite')]
_Listed = Annotated[list[_Number], Keywords(minItems=2)]
_Numbers = Annotated[_Number | _Listed, Keywords(description="one value of a flag, or the comma list given")]


def solve_document(record: ModelRecord) -> type[Part]:
    """The document of a model."""
    row: object = group_of("Result", record.row())
    if record.together:
        others = {name: [other for other in record.together if other != name] for name in record.together}
        row = Annotated[row, Keywords(dependentRequired=others)]
    fields: dict[str, object] = {
        "model": Literal[record.name],
        "parameters": made("Parameters", _parameters(record)),
        "results": Annotated[list[row], Keywords(minItems=1)],  # type: ignore[valid-type]
    }
    return made("Solved", fields, base=Document)


def stored_document(record: ModelRecord) -> type[Part]:
    """The document of `--out FILE.npz`: what stands in the file, and how its points ended."""
    counts = {str(status): (Count, ABSENT) for status in Status}
    fields: dict[str, object] = {
        "model": Literal[record.name],
        "parameters": made("Parameters", _parameters(record)),
        "file": str,
        "points": Positive,
        "axes": Annotated[dict[str, Positive], Keywords(description="slowest first, with their lengths")],
        "statuses": made("Statuses", counts),
    }
    return made("Stored", fields, base=Document)


def exported_document(record: ModelRecord, names: Iterable[str]) -> type[Part]:
    """The document of `export solve`: the flags that were given, as text, and the file."""
    flags = (record[name] for name in names)
    shapes = {p.name: (_given(p) if p.kind in (Kind.INTEGER, Kind.CHOICE) else str, p) for p in flags}
    given = {
        name: _described(shape, p.help, p.required and p.kind is not Kind.NUMBERS)
        for name, (shape, p) in shapes.items()
    }
    fields: dict[str, object] = {
        "model": Literal[record.name],
        "parameters": made("Parameters", given),
        "file": Annotated[str, Keywords(description="the text of the file")],
    }
    return made("Exported", fields, base=Document)


def group_of(name: str, results: Iterable[Result]) -> type[Part]:
    """The type of an object with these results."""
    fields = {result.name: _described(_shape(result), result.help, result.always) for result in results}
    return made(name, fields)


def _shape(result: Result) -> object:
    if isinstance(result.shape, tuple):
        return group_of(result.name.title(), result.shape)
    if isinstance(result.shape, list):
        return list[group_of(result.name.title(), result.shape[0])]  # type: ignore[misc]
    return result.shape


def _parameters(record: ModelRecord) -> dict[str, object]:
    echoed = (p for p in record.parameters if p.is_echoed)
    return {p.name: _described(_given(p), p.help, _is_there(p)) for p in echoed}


def _is_there(parameter: Parameter) -> bool:
    """Whether every call gives it; one that a command drops for some of its models is not."""
    return parameter.required or (parameter.is_filled and parameter.in_rows != "sometimes")


def _given(parameter: Parameter) -> object:
    """The type of a parameter as a document repeats it."""
    if parameter.kind in (Kind.NUMBERS, Kind.LIST):
        whole = parameter.kind is Kind.LIST and parameter.to == "model"
        if whole:
            return parameter.shape
        return _Numbers | one_of(*parameter.words) if parameter.words else _Numbers
    if parameter.kind is Kind.TEXTS:
        return str | Annotated[list[str], Keywords(minItems=2)]
    if parameter.kind in (Kind.INTEGER, Kind.NUMBER):
        return int if parameter.kind is Kind.INTEGER else float
    if parameter.kind is Kind.CHOICE:
        return one_of(*parameter.accepted)
    return Literal[True] if parameter.kind is Kind.FLAG else str


def _described(shape: object, text: str, always: bool) -> object:
    described = Annotated[shape, Keywords(description=text)] if text else shape
    return described if always else (described, ABSENT)
