"""Giant steps on a target of several directions: which are learned, and what the readout then fits."""

from __future__ import annotations

import dataclasses
import math
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

import hermite_analytics as ha
from hermite_analytics.errors import InputError
from hermite_analytics.exponents.results import Rows
from hermite_analytics.validation.experiments.base import ProtocolExperiment, array, check_mutant
from hermite_analytics.validation.experiments.experiment import Cell, Prediction
from hermite_analytics.validation.statistics.decision import FORBID_EXTRA

__all__ = ["SecondLayerExperiment", "StaircaseExperiment"]

_INSIDE = 1e-9


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class StaircaseExperiment(ProtocolExperiment):
    """Giant steps on n0 = factor d^power fresh samples each, and the directions that the weights then know.

    The network is (1/sqrt p) sum_k a_k sigma with a_k = +-1/sqrt p in mirrored pairs, the effective step
    d^((power-1)/2). The theory is `ha.learns`: which part of the staircase this activation climbs
    (arXiv 2305.18270). For direction k (from 1) after step t the numbers are ``overlap{k}_step{t}``, the mean
    squared cosine, and ``direction{k}_step{t}``, the same followed by control directions, for the rule
    ``direction``.

    Parameters
    ----------
    activation, target : str
    directions : tuple of tuple of float
        Rows in z-coordinates, of any length.
    steps : int >= 1
    power : int >= 1
    factor : float > 0
    neurons : int
        p, even.
    letters : str
        Other readouts than +-1, as ``simulate giant-step --letters`` takes them.
    """

    __pydantic_config__: ClassVar = FORBID_EXTRA
    mutants: ClassVar[tuple[str, ...]] = ("all-learned", "none-learned")
    simulated: ClassVar[str] = "giant-step"

    protocol: Literal["staircase"] = "staircase"
    activation: str
    target: str
    directions: tuple[tuple[float, ...], ...]
    steps: int = 1
    power: int = 1
    factor: float = 8.0
    neurons: int = 20
    letters: str = ""

    def arguments(self, size: int) -> dict[str, object]:
        """Keywords of the protocol giant-step."""
        return {
            "activation": self.activation,
            "target": self.target,
            "d": size,
            "p": self.neurons,
            "n0": max(1, round(self.factor * size**self.power)),
            "eta": float(size ** ((self.power - 1) / 2)),
            "step_convention": "notebook",
            "steps": self.steps,
            "init": "symmetric",
            "directions": [list(row) for row in self._rows()],
            **({"letters": self.letters} if self.letters else {}),
        }

    def cell(self, size: int) -> Cell:
        """The simulation at dimension `size`, with control directions beside those of the target."""
        controls = min(size - max(1, ha.Target(self.target).dimension), 1000)
        return _StaircaseCell(simulation=self.simulation(size), controls=controls)

    def predict(self, mutant: str | None = None) -> Prediction:
        """1 for each direction in the subspace learned after a step, 0 for each orthogonal to it."""
        check_mutant(mutant, self.mutants)
        answer = ha.learns(
            self.target,
            self.activation,
            steps=self.steps,
            samples_power=self.power,
            readout="gaussian" if self.letters else "signs",
        )
        values: dict[str, NDArray[np.float64]] = {}
        for step in range(1, self.steps + 1):
            learned = answer.steps[min(step, len(answer.steps)) - 1].realised if answer.steps else ()
            for k, row in enumerate(self._rows(), start=1):
                inside = _share(learned, np.array(row))
                if mutant is not None:
                    inside = float(mutant == "all-learned")
                values[f"direction{k}_step{step}"] = array(inside)
                values[f"overlap{k}_step{step}"] = array(0.0 if inside == 0.0 else math.nan)
        return Prediction(values=values, errors={})

    def _rows(self) -> list[tuple[float, ...]]:
        rows = []
        for row in self.directions:
            length = math.sqrt(sum(x * x for x in row))
            if not length > 0:
                raise InputError(f"a direction is {row}; a row of numbers that are not all 0 is accepted")
            rows.append(tuple(x / length for x in row))
        return rows


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class _StaircaseCell:
    simulation: Cell
    controls: int

    def run(self, seed: int) -> dict[str, ArrayLike]:
        sample = self.simulation.run(seed)
        overlap, exceedance = np.asarray(sample["overlap"]), np.asarray(sample["exceedance"])
        found: dict[str, ArrayLike] = {}
        for t, k in np.ndindex(*overlap.shape):
            signal = float(overlap[t, k])
            # The rule takes the ranks of the controls only: those beyond the signal stand as its equals.
            beyond = round(float(exceedance[t, k]) * (1 + self.controls)) - 1
            ranks = np.zeros(self.controls)
            ranks[:beyond] = signal
            found[f"overlap{k + 1}_step{t + 1}"] = signal
            found[f"direction{k + 1}_step{t + 1}"] = np.concatenate([[signal], ranks])
        return found


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class SecondLayerExperiment(ProtocolExperiment):
    """One giant step on n ~ d^samples_power samples, then ridge regression with p ~ d^width_power neurons.

    The theory is `ha.second_layer`: the error of what is not fitted (arXiv 2305.18270, Conjecture 3); a lower
    bound, reached as the factors grow.

    Parameters
    ----------
    activation, target : str
    samples_power, width_power : int >= 0
    samples_factor, width_factor : float > 0
        n = samples_factor d^samples_power for the step and, fresh, for the regression; p likewise.
    ridge : float > 0
    letters : str
        Readouts of the step.
    """

    __pydantic_config__: ClassVar = FORBID_EXTRA
    mutants: ClassVar[tuple[str, ...]] = ("nothing-learned", "everything-fitted")
    simulated: ClassVar[str] = "giant-step"

    protocol: Literal["second-layer"] = "second-layer"
    activation: str
    target: str
    samples_power: int
    width_power: int
    samples_factor: float
    width_factor: float
    ridge: float
    letters: str = ""

    def arguments(self, size: int) -> dict[str, object]:
        """Keywords of the protocol giant-step."""
        n = round(self.samples_factor * size**self.samples_power)
        return {
            "activation": self.activation,
            "target": self.target,
            "d": size,
            "p": 2 * max(1, round(self.width_factor * size**self.width_power / 2)),
            "n": n,
            "n0": n,
            "eta": float(size ** ((self.samples_power - 1) / 2)),
            "step_convention": "notebook",
            "init": "symmetric",
            "ridge": self.ridge,
            "n_test": 20_000,
            **({"letters": self.letters} if self.letters else {}),
        }

    def predict(self, mutant: str | None = None) -> Prediction:
        """The error that is left (test_error), and that of a second layer with p ~ 1 or without learning."""
        check_mutant(mutant, self.mutants)
        answers = {
            "test_error": ha.second_layer(self.target, self.samples_power, self.width_power),
            "finite_width_error": ha.second_layer(self.target, self.samples_power, 0),
            "unlearned_error": ha.second_layer(self.target, self.samples_power, self.width_power, learned=[]),
        }
        values = {name: array(float(answer.error.value)) for name, answer in answers.items()}
        if mutant == "nothing-learned":
            values["test_error"] = values["unlearned_error"]
        elif mutant == "everything-fitted":
            values["test_error"] = array(0.0)
        return Prediction(values=values, errors={})


def _share(basis: Rows | None, row: NDArray[np.float64]) -> float:
    """1 if a unit row lies in the span, 0 if it is orthogonal to it, nan otherwise or if it is open."""
    if basis is None:
        return math.nan
    if not len(basis):
        return 0.0
    span = np.array([[float(ha.expectation(str(x)).evalf(17)) for x in vector] for vector in basis])
    orthonormal = np.linalg.svd(span, full_matrices=False)[2]
    inside = float(np.sum((orthonormal @ row) ** 2))
    if abs(inside - 1) < _INSIDE:
        return 1.0
    return 0.0 if inside < _INSIDE else math.nan
