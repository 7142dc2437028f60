"""What a kept document says of how it was made: the versions of what decides its numbers."""

from __future__ import annotations

import functools
import platform
from collections.abc import Mapping
from importlib import metadata

from hermite_analytics.foundation.json import JSON, Document

__all__ = ["SCHEMA_VERSION", "kept", "versions"]

SCHEMA_VERSION = 1
_DECIDE = ("numpy", "scipy", "numba", "sympy", "mpmath", "python_flint")


@functools.cache
def _found() -> tuple[tuple[str, str], ...]:
    from hermite_analytics import __version__

    found = [("hermite_analytics", __version__), ("python", platform.python_version())]
    for name in _DECIDE:
        try:
            found.append((name, metadata.version(name)))
        except metadata.PackageNotFoundError:  # imported from elsewhere
            found.append((name, "unknown"))
    return tuple(found)


def versions() -> dict[str, JSON]:
    """Of this library, of Python, and of the libraries whose versions may change the last digits.

    Examples
    --------
    >>> sorted(versions())[:3]
    ['hermite_analytics', 'mpmath', 'numba']
    """
    return dict(_found())


def kept(document: Mapping[str, JSON]) -> Document:
    """A document with the number of its schema and the versions in front."""
    return {"schema_version": SCHEMA_VERSION, "versions": versions(), **document}
