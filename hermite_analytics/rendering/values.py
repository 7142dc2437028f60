"""Results compare by value, and pickle with their arrays as read-only as they were."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

__all__ = ["made_again", "same", "taken_apart"]


def same(a: object, b: object) -> bool:
    """Whether two values are the same: arrays entry by entry, NaN equal to NaN, results by their fields."""
    if hasattr(a, "dtype") and hasattr(a, "shape"):
        return _same_arrays(a, b)
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return list(a) == list(b) and all(same(a[name], b[name]) for name in a)
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if type(a) is type(b) and _compares_by_fields(type(a)):
        return same_fields(a, b)
    return bool(a == b) or (a != a and b != b)


def same_fields(a: Any, b: Any) -> bool:
    """Whether two dataclasses of one type have the same fields, but for those that do not compare."""
    names = [field.name for field in dataclasses.fields(a) if field.compare]
    return all(same(getattr(a, name), getattr(b, name)) for name in names)


def _compares_by_fields(kind: type) -> bool:
    """Whether a dataclass compares by its fields or not at all, and not by a rule of its own."""
    if not dataclasses.is_dataclass(kind):
        return False
    return kind.__eq__ is object.__eq__ or (
        kind.__dataclass_params__.eq and kind.__eq__.__code__.co_filename == "<string>"  # type: ignore[attr-defined]
    )


def _same_arrays(a: Any, b: Any) -> bool:
    import numpy as np

    if np.shape(a) != np.shape(b):
        return False
    x, y = np.asarray(a), np.asarray(b)
    if x.dtype.kind in "fc" and y.dtype.kind in "fciu":
        return bool(np.array_equal(x, y, equal_nan=True))
    return bool(np.array_equal(x, y))


def taken_apart(result: Any) -> dict[str, object]:
    """The fields that a dataclass is made from."""
    return {f.name: getattr(result, f.name) for f in dataclasses.fields(result) if f.init}


def made_again(kind: type, fields: dict[str, object]) -> Any:
    """A result from its fields; a pickle makes arrays that can be written to."""
    for value in fields.values():
        _freeze(value)
    return kind(**fields)


def _freeze(value: object) -> None:
    if hasattr(value, "flags") and hasattr(value, "dtype"):
        value.flags.writeable = False
    elif isinstance(value, Mapping):
        for part in value.values():
            _freeze(part)
