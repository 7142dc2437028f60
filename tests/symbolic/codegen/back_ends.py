"""The back ends that stand in their folder: a new one is tested wherever it is not left out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.codegen.back_ends import BACK_ENDS

__all__ = ["argument", "others_than"]


def others_than(*left_out: str) -> list[str]:
    """All but some, and but `auto`, which hands on to two others.

    Tests leave out what has tests of its own (`numba`, whose compilation is dear), what is slow (`python`),
    and where one of two that are compiled by numba will do, `cuda`.
    """
    found = [name for name in BACK_ENDS if name not in ("auto", *left_out)]
    return sorted(found, key=lambda name: BACK_ENDS[name].has_scalar)  # those without a compiler first


def argument(name: str, t: float) -> float | NDArray[np.float64]:
    """A number where there is code for numbers, else an array."""
    return t if BACK_ENDS[name].has_scalar else np.array([t])
