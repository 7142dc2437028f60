"""The back ends: a folder that has a `back_end` is found."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable

from hermite_analytics.codegen.back_end import BackEnd
from hermite_analytics.errors import InputError
from hermite_analytics.foundation.folders import names_in

__all__ = ["BACK_ENDS", "back_end", "names_where"]

# The order in which messages name them; a folder that is not named comes after these.
_FIRST = ("numba_backend", "cuda_backend", "array_backend", "python_backend", "standalone_backend")
_PACKAGE = __name__.rpartition(".")[0]
_ALL: tuple[BackEnd, ...] = tuple(
    importlib.import_module(f"{_PACKAGE}.{folder}.back_end").BACK_END
    for folder in names_in(sys.modules[_PACKAGE].__path__, _FIRST, folders=True)
)
BACK_ENDS: dict[str, BackEnd] = {found.name: found for found in _ALL}


def back_end(name: str) -> BackEnd:
    """The back end of this name.

    Raises
    ------
    InputError
        If there is none.
    """
    if name not in BACK_ENDS:
        raise InputError(f"unknown backend {name!r}; accepted: {', '.join(BACK_ENDS)}")
    return BACK_ENDS[name]


def names_where(holds: Callable[[BackEnd], bool]) -> str:
    """The names of the back ends for which something holds, for messages: 'numba' or 'cuda'."""
    return " or ".join(repr(found.name) for found in BACK_ENDS.values() if holds(found))
