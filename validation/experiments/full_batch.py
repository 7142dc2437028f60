"""Full-batch gradient descent against its dynamical mean-field theory."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hermite_analytics.foundation.clock import allowed
from hermite_analytics.numeric import DMFT
from hermite_analytics.numeric.models.dmft.arguments import Run, Training, checked_run
from hermite_analytics.numeric.models.dmft.limit import solve_limit, test_errors
from hermite_analytics.numeric.models.dmft.place import on_the_processor
from hermite_analytics.numeric.models.dmft.quadrature import Quadrature
from hermite_analytics.numeric.models.dmft.rows import Increment, Moments
from hermite_analytics.numeric.models.dmft.weights import Weights
from hermite_analytics.numeric.models.dmft.work import Work
from hermite_analytics.validation.experiments.base import ProtocolExperiment, array, check_mutant
from hermite_analytics.validation.experiments.experiment import Cell, Prediction
from hermite_analytics.validation.statistics.decision import FORBID_EXTRA

__all__ = ["BATCH_MUTANTS", "FullBatchExperiment", "full_batch_numbers"]

BATCH_MUTANTS = ("no-reuse", "memory-by-alpha", "gradient-noise-dropped")
_TOLERANCE, _SECONDS = 1e-3, 120.0


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class FullBatchExperiment(ProtocolExperiment):
    """The protocol `full-batch` after its last step; the theory is `DMFT`.

    Numbers: ``overlap1``, ``overlap2``, ..., of the first neuron with each direction, ``cosine1``, ..., and
    ``norm``, its squared norm; ``train_error`` and ``test_error``.

    Parameters
    ----------
    activation, target : str
    alpha : float > 0
    eta : float
    steps : int >= 1
    readout : tuple of float
    loss, schedule : str
    ridge, noise, momentum, readout_eta : float
    exact_law : bool
        Simulate without a data matrix.
    """

    __pydantic_config__: ClassVar = FORBID_EXTRA
    mutants: ClassVar[tuple[str, ...]] = BATCH_MUTANTS

    protocol: Literal["full-batch"] = "full-batch"
    activation: str
    target: str
    alpha: float
    eta: float
    steps: int
    readout: tuple[float, ...] = (1.0,)
    loss: str = "square"
    schedule: str = "full"
    ridge: float = 0.0
    noise: float = 0.0
    momentum: float = 0.0
    readout_eta: float = 0.0
    exact_law: bool = False

    def cell(self, size: int) -> Cell:
        """The simulation at dimension `size`."""
        return _LastStep(simulation=self.simulation(size))

    def predict(self, mutant: str | None = None) -> Prediction:
        """The numbers after the last step, by the limit or with a wrong formula in it."""
        names = ("alpha", "eta", "steps", "schedule", "ridge", "noise", "momentum", "readout_eta")
        training = {name: getattr(self, name) for name in names}
        model = DMFT(self.activation, self.target, self.readout, self.loss)
        return full_batch_numbers(model, training, mutant)


def full_batch_numbers(model: DMFT, training: Mapping[str, Any], mutant: str | None) -> Prediction:
    """The numbers of a run after its last step; their errors are that of all of them."""
    check_mutant(mutant, BATCH_MUTANTS)
    asked = Training(**training)  # type: ignore[typeddict-item]
    if mutant == "no-reuse":
        asked["schedule"] = f"one-pass:{training['alpha']:g}"
        asked["alpha"] = training["alpha"] * training["steps"]
    run = checked_run(model.network, asked)
    quadrature = Quadrature(network=model.network, noise=run.noise, usage=run.usage)
    start = _mutated(model, run, mutant)
    with allowed(_SECONDS):
        found = solve_limit(
            quadrature, on_the_processor(model.network), start, tolerance=_TOLERANCE, seed=0, work=Work()
        )
    last = run.times[-1]
    test, test_error = test_errors(quadrature, found, [last], _TOLERANCE)
    values = _numbers(found.overlap[last], found.norm[last]) | {
        "train_error": array(found.train[last, 0]),
        "test_error": array(test[0, 0]),
    }
    error = float(np.max([*found.error[last], *test_error[0]]))
    return Prediction(values=values, errors=dict.fromkeys(values, error))


def _numbers(overlap: NDArray[np.float64], norm: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    size = norm[0, 0]
    found = {f"overlap{k + 1}": array(value) for k, value in enumerate(overlap[0])}
    found |= {f"cosine{k + 1}": array(value / np.sqrt(size)) for k, value in enumerate(overlap[0])}
    found |= {f"squared{k + 1}": array(value**2 / size) for k, value in enumerate(overlap[0])}
    return found | {"norm": array(size)}


def _mutated(model: DMFT, run: Run, mutant: str | None) -> Weights:
    kinds = {"memory-by-alpha": _MemoryByAlpha, "gradient-noise-dropped": _NoGradientNoise}
    return kinds.get(mutant or "", Weights)(run.method, run.alpha, [run.start], [model.network.readout])


class _MemoryByAlpha(Weights):
    """A sample remembers its gradient with weight 1/alpha in place of alpha^(-1/2)."""

    def advance(self, moments: Moments, factor: NDArray[np.float64] | None = None) -> Increment:
        step = Weights.advance(self, moments, factor)
        wrong = dataclasses.replace(step, factor=step.factor / np.sqrt(self.alpha))
        self.increments[-1] = wrong
        return wrong


class _NoGradientNoise(Weights):
    """Gradients have no part outside the directions known before."""

    def advance(self, moments: Moments, factor: NDArray[np.float64] | None = None) -> Increment:
        p = moments.residual.shape[0]
        step = Weights.advance(self, moments, factor)
        self.coordinates[-1] = self.coordinates[-1].copy()
        self.coordinates[-1][:, -p:] = 0.0
        return step


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class _LastStep:
    simulation: Cell

    def run(self, seed: int) -> dict[str, ArrayLike]:
        found = {name: np.asarray(values)[-1] for name, values in self.simulation.run(seed).items()}
        errors = {name: found[name] for name in ("train_error", "test_error")}
        return {**_numbers(found["overlap"], found["norm"]), **errors}
