"""Values of results that nobody changes: read-only arrays and mappings, and their numbers in JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hermite_analytics.foundation.arrays import Numbers
from hermite_analytics.foundation.json import JSON

__all__ = ["ReadOnly", "frozen", "frozen_numbers", "json_number"]

K = TypeVar("K")
V = TypeVar("V")


def frozen(array: ArrayLike) -> Any:
    """A read-only array, or a Python scalar for a single point."""
    values = np.asarray(array)
    if values.ndim == 0:
        return values.item()
    values = values.copy()
    values.flags.writeable = False
    return values


def frozen_numbers(values: NDArray[np.float64]) -> Numbers:
    """The same of floats."""
    found: Numbers = frozen(values)
    return found


class ReadOnly(Mapping[K, V]):
    """A mapping that nobody changes; unlike MappingProxyType it pickles."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[K, V]) -> None:
        self._values = dict(values)

    def __getitem__(self, name: K) -> V:
        return self._values[name]

    def __iter__(self) -> Iterator[K]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return repr(self._values)


def json_number(value: Any) -> JSON:
    """A Python number; "inf" or "-inf" where it is infinite, None where it is NaN (not converged)."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Mapping):
        return {name: json_number(x) for name, x in value.items()}
    if isinstance(value, list | tuple):
        return [json_number(x) for x in value]
    if isinstance(value, np.ndarray):
        return json_number(value.tolist())
    if isinstance(value, float) and not np.isfinite(value):
        return None if np.isnan(value) else ("inf" if value > 0 else "-inf")
    plain: JSON = value
    return plain
