"""JSON documents: the version of their schema, numbers that JSON has no word for, errors of one line."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping

__all__ = ["SCHEMA_VERSION", "encoded", "error_document"]

SCHEMA_VERSION = 1


def encoded(document: Mapping[str, object]) -> bytes:
    """A document as JSON; NaN is null, an infinite number the text "inf".

    Examples
    --------
    >>> encoded({"value": float("inf")})
    b'{"schema_version":1,"value":"inf"}'
    """
    versioned = {"schema_version": SCHEMA_VERSION, **{str(k): _finite(v) for k, v in document.items()}}
    return json.dumps(versioned, allow_nan=False, separators=(",", ":")).encode()


def error_document(
    error: str,
    *,
    kind: str,
    field: str | None = None,
    position: int | None = None,
    known: object = None,
) -> dict[str, object]:
    """What went wrong: one line, the parameter, the column of its fault, and what is known all the same."""
    return {"error": error, "kind": kind, "field": field, "position": position, "known": known}


def _finite(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(k): _finite(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return value
