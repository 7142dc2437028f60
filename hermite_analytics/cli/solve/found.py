"""What a model found, ready to be printed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Found", "Said"]


class Answer(Protocol):
    """What a document repeats of a solution."""

    @property
    def model(self) -> str: ...
    @property
    def remarks(self) -> tuple[str, ...]: ...
    def cite(self) -> str: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """The same without the solution."""

    model: str
    remarks: tuple[str, ...]
    citation: str

    @classmethod
    def of(cls, answer: Answer) -> Said:
        """From a solution."""
        return cls(model=answer.model, remarks=answer.remarks, citation=answer.cite())

    def cite(self) -> str:
        return self.citation


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Results with the flags that they belong to.

    Attributes
    ----------
    solution
        One of the solutions: it has `model`, `remarks` and `cite()`.
    rows : callable
        Gives a mapping for each result; each has a `status`.
    echo : mapping
        The flags as a document repeats them.
    arrays : callable, optional
        Gives the same as columns, where that is less work.
    """

    solution: Answer
    rows: Callable[[], Sequence[Mapping[str, Any]]]
    echo: Mapping[str, object]
    arrays: Callable[[], Mapping[str, NDArray[np.generic]]] | None = None
