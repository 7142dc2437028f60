"""The table of back ends: a new one is its folder and a line here."""

from __future__ import annotations

from collections.abc import Callable

from hermite_analytics.codegen.array_backend.back_end import ArrayBackEnd
from hermite_analytics.codegen.auto_backend.back_end import AutoBackEnd
from hermite_analytics.codegen.back_end import BackEnd
from hermite_analytics.codegen.cuda_backend.back_end import CudaBackEnd
from hermite_analytics.codegen.numba_backend.back_end import NumbaBackEnd
from hermite_analytics.codegen.python_backend.back_end import PythonBackEnd
from hermite_analytics.codegen.standalone_backend.back_end import StandaloneBackEnd
from hermite_analytics.errors import InputError

__all__ = ["BACK_ENDS", "back_end", "names_where"]

_ALL: tuple[BackEnd, ...] = (
    NumbaBackEnd(),
    CudaBackEnd(),
    ArrayBackEnd(),
    PythonBackEnd(),
    StandaloneBackEnd(),
    AutoBackEnd(),
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
