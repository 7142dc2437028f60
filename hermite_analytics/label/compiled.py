"""Compilation of inner loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from numba import njit

__all__ = ["compiled"]

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """Compile a loop with numba, once for all processes: the machine code is kept beside the module.

    The kept code is renewed when its own module changes, not when a compiled function that it calls from
    another module does: after an edit of such a function, touch its callers.
    """
    return cast(Function, njit(cache=True, error_model="numpy", nogil=True)(function))
