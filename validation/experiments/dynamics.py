"""One-pass SGD and reuse of data against their flows; the first layer of a three-layer network."""

from __future__ import annotations

import dataclasses
import math
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

import hermite_analytics as ha
from hermite_analytics.numeric.protocols.reuse.record import REUSE
from hermite_analytics.validation.experiments.base import ProtocolExperiment, array, check_mutant
from hermite_analytics.validation.experiments.experiment import Cell, Prediction
from hermite_analytics.validation.experiments.full_batch import BATCH_MUTANTS, full_batch_numbers
from hermite_analytics.validation.statistics.decision import FORBID_EXTRA

__all__ = ["ReuseExperiment", "SGDExperiment", "ThreeLayerExperiment"]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class SGDExperiment(ProtocolExperiment):
    """One neuron under one-pass SGD on one direction, on the sphere; the theory is `SGDFlow`.

    Parameters
    ----------
    activation, target : str
    rate : float > 0
    overlap : float in [-1, 1]
        At the start; 0 is a random start of size d^(-1/2) if `random_start`.
    time : tuple of float
        Samples/d, along the curve.
    loss : {"correlation", "square"}
    random_start : bool
        Uniform on the sphere in place of `overlap`; the theory then starts at 0.
    """

    __pydantic_config__: ClassVar = FORBID_EXTRA
    curve: ClassVar[str] = "time"
    mutants: ClassVar[tuple[str, ...]] = ("noise-dropped", "rate-doubled")

    protocol: Literal["sgd"] = "sgd"
    activation: str
    target: str
    rate: float
    overlap: float
    time: tuple[float, ...]
    loss: str = "square"
    random_start: bool = False

    def arguments(self, size: int) -> dict[str, object]:
        """Keywords of the protocol."""
        found = ProtocolExperiment.arguments(self, size)
        if found.pop("random_start"):
            del found["overlap"]
        return found

    def cell(self, size: int) -> Cell:
        """The simulation at dimension `size`."""
        return _SquareCell(simulation=self.simulation(size))

    def predict(self, mutant: str | None = None) -> Prediction:
        """overlap and overlap_squared at the times."""
        from hermite_analytics.numeric import SGDFlow

        check_mutant(mutant, self.mutants)
        rate = self.rate * (2.0 if mutant == "rate-doubled" else 1.0)
        times = np.array(self.time)
        if mutant == "noise-dropped":  # gradient flow: an infinitesimal rate over a longer time
            rate, times = 1e-4 * rate, 1e4 * times
        solution = SGDFlow(self.activation, self.target, loss=self.loss, spherical=True).solve(
            rate=rate, overlap=self.overlap, times=times
        )
        found = np.asarray(solution.overlap, dtype=float).reshape(times.shape)
        overlap = found if len(self.time) > 1 else found[0]
        return Prediction(values={"overlap": array(overlap), "overlap_squared": array(overlap**2)}, errors={})


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ReuseExperiment(ProtocolExperiment):
    """SGD that sees its samples again, by a look-ahead or by using a batch several times.

    For the look-ahead of one sample a step the theory is `SGDFlow` with the same reuse; weights start with no
    overlap and grow freely, and the numbers are the cosines with each direction (largest in absolute value
    over neurons), ``cosine1``, ``cosine2``, ..., and their squares ``squared1``, ... One batch in all has the
    theory of `DMFT`. ``none`` is 0, for what is not learned.

    Parameters
    ----------
    activation, target : str
    rate, time : float, optional
        By default those of the published settings.
    method : {"extra-gradient", "batch-reuse", "sgd"}
    reuse : float
    alpha : float > 0, optional
        Samples/d of a batch; by default one sample a step.
    loss : {"correlation", "square"}
    """

    __pydantic_config__: ClassVar = FORBID_EXTRA
    mutants: ClassVar[tuple[str, ...]] = BATCH_MUTANTS

    protocol: Literal["reuse"] = "reuse"
    activation: str
    target: str
    rate: float | None = None
    time: float | None = None
    method: str = "extra-gradient"
    reuse: float = 0.1
    alpha: float | None = None
    loss: str = REUSE["loss"].default

    @property
    def _is_one_batch(self) -> bool:
        return self.method == "batch-reuse" and self.alpha is not None and self.time in (None, self.alpha)

    def cell(self, size: int) -> Cell:
        """The simulation at dimension `size`."""
        directions = max(1, ha.Target(self.target).dimension)
        return _CosineCell(simulation=self.simulation(size), directions=directions)

    def predict(self, mutant: str | None = None) -> Prediction:
        """The cosines by the flow, or for one batch by DMFT; 0 for what one pass learns in O(d) samples."""
        from hermite_analytics.numeric import DMFT, SGDFlow

        check_mutant(mutant, self.mutants if self._is_one_batch else self.mutants[:1])
        values = {"none": 0.0}
        if self._is_one_batch:
            training = {
                "alpha": self.alpha,
                "eta": 0.2 if self.rate is None else self.rate,
                "steps": int(self.reuse),
            }
            found = full_batch_numbers(DMFT(self.activation, self.target, loss=self.loss), training, mutant)
            return dataclasses.replace(found, values={**found.values, "none": array(0.0)})
        if self.alpha is None:
            plain = mutant == "no-reuse" or self.method == "sgd"
            flow = SGDFlow(
                self.activation,
                self.target,
                loss=self.loss,
                method="sgd" if plain else self.method,
                reuse=self.reuse if self.method == "extra-gradient" and not plain else 0.0,
                spherical=False,
            )
            solution = flow.solve(
                rate=0.01 if self.rate is None else self.rate,
                overlap=0.0,
                times=np.array([50.0 if self.time is None else self.time]),
            )
            cosine = float(np.asarray(solution.cosine, dtype=float).reshape(-1)[-1])
            values |= {"cosine1": cosine, "squared1": cosine**2}
        return Prediction(values={name: array(value) for name, value in values.items()}, errors={})


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ThreeLayerExperiment(ProtocolExperiment):
    """A target of three layers at n = d^kappa: what the first layer finds, by its spectral proxy.

    The theory is the exponent of `ThreeLayer` at which the first layer finds its directions: above it the
    overlap tends to 1, below it to chance, and at it to a number between that does not move with d.

    Parameters
    ----------
    degrees : tuple of int
    epsilon : float in (0, 1)
    kappa : float > 0
    scenario : {"1", "2", "3", "proxy"}
    """

    __pydantic_config__: ClassVar = FORBID_EXTRA

    protocol: Literal["three-layer"] = "three-layer"
    degrees: tuple[int, ...] = (2, 3)
    epsilon: float = 0.5
    kappa: float
    scenario: str = "proxy"

    def cell(self, size: int) -> Cell:
        """The simulation at dimension `size`."""
        return _TreeCell(simulation=self.simulation(size), chance=math.floor(size**self.epsilon) / size)

    def predict(self, mutant: str | None = None) -> Prediction:
        """``grows``: the sign of kappa minus the exponent of the first layer's directions."""
        from hermite_analytics.numeric import ThreeLayer

        check_mutant(mutant, ())
        exponent = float(ThreeLayer(self.degrees, self.epsilon).solve().directions)
        sign = 0.0 if abs(self.kappa - exponent) < 1e-9 else math.copysign(1.0, self.kappa - exponent)
        return Prediction(values={"grows": array(sign), "exponent": array(exponent)}, errors={})


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class _SquareCell:
    simulation: Cell

    def run(self, seed: int) -> dict[str, ArrayLike]:
        overlap = np.asarray(self.simulation.run(seed)["overlap"], dtype=float)
        return {"overlap": overlap, "overlap_squared": overlap**2}


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class _CosineCell:
    simulation: Cell
    directions: int

    def run(self, seed: int) -> dict[str, ArrayLike]:
        cosines = np.asarray(self.simulation.run(seed)["overlap"], dtype=float)  # growing weights: cosines
        rows = cosines.reshape(-1, self.directions)
        largest = rows[np.argmax(np.abs(rows), axis=0), np.arange(rows.shape[1])]
        numbers = {f"cosine{k + 1}": value for k, value in enumerate(largest)}
        return numbers | {f"squared{k + 1}": value**2 for k, value in enumerate(largest)}


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class _TreeCell:
    simulation: Cell
    chance: float

    def run(self, seed: int) -> dict[str, ArrayLike]:
        sample = dict(self.simulation.run(seed))
        if "overlap" in sample:  # 0 by chance, 1 if the directions are found
            sample["recovered"] = (np.asarray(sample["overlap"]) - self.chance) / (1 - self.chance)
        return sample
