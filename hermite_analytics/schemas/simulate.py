"""Documents of `simulate`, from the records of the protocols."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from operator import or_
from typing import Annotated, Any, Literal

from pydantic import RootModel

from hermite_analytics.foundation.shapes import Keywords, Number, Positive
from hermite_analytics.numeric.models.record import Record
from hermite_analytics.numeric.protocols import PROTOCOLS
from hermite_analytics.schemas.document import ABSENT, Document, NotNegative, Part, made
from hermite_analytics.schemas.solve import group_of

__all__ = ["simulate_document"]


class Setting(RootModel[Any]):
    """A value of a parameter, or a list of values."""

    root: Number | bool | str | list[Setting]


_Parameters = Annotated[
    dict[str, Setting],
    Keywords(
        required=["d", "seeds"],
        description="the flags, and what else all runs had in common: defaults, sizes from ratios",
    ),
]
_LIMITS = "d -> infinity by a straight line in 1/d; there if d has several values, empty for one seed"


def simulate_document() -> object:
    """The document of any protocol."""
    return reduce(or_, (_document(record) for record in PROTOCOLS.values()))


def _document(record: Record) -> type[Part]:
    row = group_of(f"Row of {record.name}", record.row())
    limit = group_of(f"Limit of {record.name}", [replace(x, always=False) for x in record.row()])
    rows = list[row]  # type: ignore[valid-type]
    together = "seeds that ran at once; the most over all combinations"
    fields: dict[str, object] = {
        "protocol": Literal[record.name],
        "parameters": _Parameters,
        "results": Annotated[rows, Keywords(description="one for each combination of the comma lists")],
        "limits": (Annotated[list[limit], Keywords(description=_LIMITS)], ABSENT),  # type: ignore[valid-type]
        "device": str,
        "seconds": NotNegative,
        "seeds_together": Annotated[Positive, Keywords(description=together)],
        "interrupted": Annotated[bool, Keywords(description="some seeds or combinations are missing")],
    }
    return made(f"Simulated {record.name}", fields, base=Document)
