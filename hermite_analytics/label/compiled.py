"""Compilation of inner loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from hermite_analytics.foundation.kernels_on_disk import kept

__all__ = ["compiled"]

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """Compile a loop with numba, once for all processes: the machine code is kept beside the module."""
    return kept(nogil=True)(function)
