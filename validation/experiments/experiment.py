"""What a claim needs of an experiment: cells that simulate, numbers that a theory predicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Cell", "Experiment", "Prediction"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """Numbers of a theory.

    Parameters
    ----------
    values : mapping of str to array
        Each number, of shape () or that of the experiment's curve.
    errors : mapping of str to float
        Bound on the numerical error of a number, 0 where there is no entry.
    """

    values: Mapping[str, NDArray[np.float64]]
    errors: Mapping[str, float]


class Cell(Protocol):
    """A simulation at one size; frozen and picklable."""

    def run(self, seed: int) -> Mapping[str, ArrayLike]:
        """Numbers of one seed: new weights, new data, new target direction.

        Whatever shares a seed (neurons, readouts, test sets) is averaged here: the seed is the unit. For the
        rule ``direction`` a number is an array (1 + K,): the signal S, then S of the K control directions.
        """


class Experiment(Protocol):
    """A simulation protocol with its parameters, and the theory of what it measures."""

    @property
    def identity(self) -> str:
        """Canonical text of the protocol and all parameters: the key of stored results."""

    def cell(self, size: int) -> Cell:
        """The simulation at dimension `size`; raises InputError if a ratio gives no integer there."""

    def predict(self, mutant: str | None = None) -> Prediction:
        """The limit d -> infinity, by the right formulas or with one of the known wrong ones."""

    def abscissa(self) -> tuple[str, tuple[float, ...]] | None:
        """Name and values of the parameter along the curve, None if the numbers are scalars."""

    def refined(self, values: tuple[float, ...]) -> Experiment:
        """The same experiment at other values of the abscissa, to draw the theory's curve."""

    def parameters(self) -> tuple[tuple[str, str], ...]:
        """Names and values of the parameters, for reading."""

    def reproduce(self, size: int, seeds: int, first_seed: int) -> str:
        """Code that repeats the simulation of one size."""
