"""Trapezoid rules for Gaussian variables: the error falls exponentially."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["REACH", "TINY", "normal_nodes", "omega_nodes"]

Array = NDArray[np.float64]

REACH = 8.6  # standard deviations
TINY = 1e-290
_STEP = (0.3, 0.18)  # of omega, in units of min(1, sqrt(V/m)) of its standard deviation, by level


def normal_nodes(step: float) -> tuple[Array, Array]:
    """The trapezoid rule for N(0, 1)."""
    half = math.ceil(REACH / step)
    t = np.asarray(np.arange(-half, half + 1) * step, dtype=np.float64)
    return t, step * np.exp(-0.5 * t * t) / math.sqrt(2 * math.pi)


def omega_nodes(m: float, level: int) -> tuple[Array, Array]:
    """omega ~ N(0, m) at the resolution sqrt(1 - m) of the channel."""
    if m <= 0:
        return np.zeros(1), np.ones(1)
    t, w = normal_nodes(_STEP[level] * min(1.0, math.sqrt((1 - m) / m)))
    return math.sqrt(m) * t, w
