"""alpha(m), the alpha of which an overlap is a fixed point: its extrema and its stable parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Curve", "FixedPoint", "Spinodal"]

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedPoint:
    """An overlap with m = alpha F(m)/(1 + alpha F(m)).

    Attributes
    ----------
    overlap : float in [0, 1]
    stable : bool
        Under the iteration.
    """

    overlap: float
    stable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Spinodal:
    """An extremum of alpha(m): at a maximum a stable fixed point ends, at a minimum a larger one starts."""

    overlap: float
    alpha: float
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """alpha(m) with its extrema.

    Attributes
    ----------
    overlap, alpha : ndarray, shape (n,)
        Increasing overlaps in (0, 1), and the alpha at which each is a fixed point.
    stable : ndarray of bool, shape (n,)
    spinodals : tuple of Spinodal
    at_zero, at_one : float
        Limits of alpha(m); `at_one` is inf where no alpha gives exact recovery.
    """

    overlap: Array
    alpha: Array
    stable: NDArray[np.bool_]
    spinodals: tuple[Spinodal, ...]
    at_zero: float
    at_one: float

    def plot(self, axes: Any = None) -> Any:
        """Draw the stable fixed points as lines, the unstable ones dashed; returns the matplotlib axes."""
        import matplotlib.pyplot as plt

        if axes is None:
            axes = plt.subplots()[1]
        for wanted, style in ((True, "-"), (False, "--")):
            shown = np.where(self.stable == wanted, self.overlap, np.nan)
            axes.plot(self.alpha, shown, style, color="C0", label="stable" if wanted else "unstable")
        axes.set(xlabel="alpha = n/d", ylabel="overlap", ylim=(0, 1.02))
        axes.legend()
        return axes
