"""JSON Schemas of what the commands print with --json: one file a command, such as `solve-bounds.json`."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from hermite_analytics.errors import InputError

__all__ = ["schema", "schema_names"]


def schema_names() -> tuple[str, ...]:
    """Names of the documents: the command and its sub-command, joined by a hyphen."""
    names = (entry.name for entry in files(__package__).iterdir())
    return tuple(sorted(name.removesuffix(".json") for name in names if name.endswith(".json")))


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a document.

    Raises
    ------
    InputError
        If there is no such document.

    Examples
    --------
    >>> schema("mu")["title"]
    'hermite-analytics mu --json'
    """
    if name not in schema_names():
        raise InputError(f"{name!r} is not a document; accepted: {', '.join(schema_names())}")
    found: dict[str, Any] = json.loads((files(__package__) / f"{name}.json").read_text(encoding="utf-8"))
    return found
