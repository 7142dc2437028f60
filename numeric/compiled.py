"""The decorator of the compiled loops of the solvers: cached on disk, free of the interpreter lock."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from hermite_analytics.foundation.kernels_on_disk import kept

__all__ = ["compiled", "summing", "summing_over_nodes"]

F = TypeVar("F", bound=Callable[..., object])


def compiled(function: F) -> F:
    """Compile with numba; division by zero gives inf or NaN, as in numpy."""
    return kept(nogil=True)(function)


def summing(function: F) -> F:
    """As `compiled`, for loops that are sums: the order of the terms is the compiler's, to use all lanes."""
    return kept(nogil=True, fastmath={"reassoc", "contract", "nsz"})(function)


def summing_over_nodes(function: F) -> F:
    """As `summing`, for sums over places of arrays alone, which `by_arrays` needs no compiler for."""
    return kept(nogil=True, sums=True, fastmath={"reassoc", "contract", "nsz"})(function)
