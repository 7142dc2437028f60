"""What a model found, ready to be printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

__all__ = ["Found"]


class Answer(Protocol):
    """What a document repeats of a solution."""

    @property
    def model(self) -> str: ...
    @property
    def remarks(self) -> tuple[str, ...]: ...
    def cite(self) -> str: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Results with the flags that they belong to.

    Attributes
    ----------
    solution
        One of the solutions: it has `model`, `remarks` and `cite()`.
    rows : sequence of mappings
        One a point; each has a `status`.
    echo : mapping
        The flags as a document repeats them.
    """

    solution: Answer
    rows: Sequence[Mapping[str, Any]]
    echo: Mapping[str, object]
