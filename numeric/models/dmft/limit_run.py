"""What the limit d -> infinity gives, filled in step by step."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.models.dmft.weights import Weights
from hermite_analytics.numeric.status import Status

__all__ = ["Averages", "Diverged", "LimitRun", "require_bounded"]

_LARGEST = 1e8  # of a coordinate of the weights


class Averages(StrEnum):
    """How the averages of a step were taken."""

    QUADRATURE = "quadrature"
    SOBOL = "sobol"


class Diverged(Exception):
    """The weights left all bounds; the argument is the number of gradients."""


@dataclass(slots=True, kw_only=True, eq=False)
class LimitRun:
    """What a run found after each gradient t = 0..T; NaN from where it diverged.

    Attributes
    ----------
    overlap, norm, readout, train : ndarray, shapes (T + 1, p, r), (T + 1, p, p), (T + 1, p), (T + 1, 2)
    error : ndarray, shape (T + 1, 2)
        Of the weights (overlap, norm and readout), and of the training errors.
    averages : list of Averages
        Behind the weights after t gradients.
    weights : list of Weights
        One where all was quadrature, or one a replicate.
    status : Status
    diverged : int or None
        The number of gradients after which the weights left all bounds.
    """

    overlap: Array
    norm: Array
    readout: Array
    train: Array
    error: Array
    averages: list[Averages]
    weights: list[Weights] = field(default_factory=list)
    status: Status = Status.CONVERGED
    diverged: int | None = None

    def end(self, gradients: int) -> None:
        """The run diverged with so many gradients."""
        self.diverged, self.status = gradients, Status.DIVERGED
        for values in (self.overlap, self.norm, self.readout, self.train):
            values[gradients:] = np.nan


def require_bounded(weights: Weights) -> None:
    """Raise `Diverged` if the last weights or readout left all bounds."""
    if not max(np.max(np.abs(weights.last)), np.max(np.abs(weights.readout))) < _LARGEST:
        raise Diverged(len(weights.coordinates) - 1)
