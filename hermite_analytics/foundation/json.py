"""What JSON can say, as a type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

__all__ = ["JSON", "Document"]

JSON: TypeAlias = "bool | int | float | str | Sequence[JSON] | Mapping[str, JSON] | None"
"""A value of JSON, as lists (or tuples) and dictionaries."""
Document: TypeAlias = dict[str, JSON]
"""An object of JSON: names and values."""
