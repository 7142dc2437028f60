"""The special functions of the numba back end for device code, which takes what numba makes of a function.

There each stands for itself, and for those that it calls.
"""

from __future__ import annotations

from hermite_analytics.codegen.numba_backend import special
from hermite_analytics.foundation.kernels_on_disk import Kernel

__all__ = ["special"]

_MADE = {name: value.dispatcher for name, value in vars(special).items() if isinstance(value, Kernel)}
vars(special).update(_MADE)
