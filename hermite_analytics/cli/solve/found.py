"""What a model found, ready to be printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Found"]


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

    solution: Any
    rows: Sequence[Mapping[str, Any]]
    echo: Mapping[str, Any]
