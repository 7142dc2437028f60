"""Several small steps, and a large one: the risk on trained features along a curve."""

from __future__ import annotations

import dataclasses
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from hermite_analytics.numeric.protocols.small_step.record import SMALL_STEP
from hermite_analytics.validation.experiments.base import ParametricExperiment, array
from hermite_analytics.validation.experiments.experiment import Cell, Prediction
from hermite_analytics.validation.experiments.small_step import SmallStepExperiment
from hermite_analytics.validation.statistics.decision import FORBID_EXTRA

__all__ = ["EquivalenceExperiment", "LargeStepExperiment"]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class EquivalenceExperiment(ParametricExperiment):
    """Networks after several small steps, with their own features and with their Gaussian equivalents.

    Gaussian equivalence says that the two risks agree (Ba et al., arXiv 2205.01445); `ratio` is the risk of
    the network's features over that of the equivalent ones, `difference` their difference.

    Parameters
    ----------
    activation, target, eta, alpha, beta, ridge, noise, batches, test
        As in `SmallStepExperiment`.
    steps : tuple of float
        Numbers of steps, along the curve; the networks share weights and data.
    """

    __pydantic_config__: ClassVar = FORBID_EXTRA
    curve: ClassVar[str] = "steps"
    simulated: ClassVar[str] = "small-step"

    protocol: Literal["small-step-equivalence"] = "small-step-equivalence"
    activation: str
    target: str
    eta: float
    alpha: float
    beta: float
    ridge: float
    noise: float = SMALL_STEP["noise"].default
    steps: tuple[float, ...] = (1.0,)
    batches: str = SMALL_STEP["batches"].default
    test: float = 10.0

    def cell(self, size: int) -> Cell:
        """Both simulations at dimension `size` for each number of steps, on the same weights and data."""
        parts = []
        for steps in self.steps:
            network, equivalent = self._network(steps).cell(size), self._equivalent(steps).cell(size)
            parts.append(_EquivalenceCell(network=network, equivalent=equivalent))
        return _CurveCell(parts=tuple(parts))

    def predict(self, mutant: str | None = None) -> Prediction:
        """No difference, the kernels' lower bound, and the numbers of one step if that is all."""
        one = self._network(1.0).predict(mutant).values
        if len(self.steps) == 1 and self.steps[0] == 1.0:
            return Prediction(values={**one, "difference": array(0.0), "ratio": array(1.0)}, errors={})
        bound, none = np.full(len(self.steps), one["kernel_lower_bound"]), np.zeros(len(self.steps))
        values = {
            "kernel_lower_bound": bound,
            "difference": none,
            "ratio": none + 1,
            "risk_after": none + np.nan,
        }
        return Prediction(values=values, errors={})

    def reproduce(self, size: int, seeds: int, first_seed: int) -> str:
        """Code that repeats the simulation of one size with both kinds of features."""
        both = [kind(steps) for steps in self.steps for kind in (self._network, self._equivalent)]
        return ", ".join(one.reproduce(size, seeds, first_seed) for one in both)

    def _network(self, steps: float) -> SmallStepExperiment:
        fields = {item.name: getattr(self, item.name) for item in dataclasses.fields(self)}
        del fields["protocol"]
        return SmallStepExperiment(**{**fields, "steps": int(steps)})

    def _equivalent(self, steps: float) -> SmallStepExperiment:
        return dataclasses.replace(self._network(steps), features="equivalent")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class _EquivalenceCell:
    network: Cell
    equivalent: Cell

    def run(self, seed: int) -> dict[str, ArrayLike]:
        one, other = self.network.run(seed), self.equivalent.run(seed)
        risk, equivalent = np.asarray(one["risk_after"]), np.asarray(other["risk_after"])
        return {
            **one,
            "equivalent_risk_after": equivalent,
            "difference": risk - equivalent,
            "ratio": risk / equivalent,
        }


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class LargeStepExperiment(ParametricExperiment):
    """One step of size eta p^eta_power along a curve in the samples, which step and regression share.

    The theory has no number for the risk: 16 tau* is a bound for many samples at eta_power = 1/2, and the
    kernels' lower bound is what such a step may beat (Ba et al., arXiv 2205.01445).

    Parameters
    ----------
    activation, target, eta, beta, ridge, noise, eta_power, test
        As in `SmallStepExperiment`.
    alpha : tuple of float
        Samples/d, along the curve.
    """

    __pydantic_config__: ClassVar = FORBID_EXTRA
    curve: ClassVar[str] = "alpha"
    simulated: ClassVar[str] = "small-step"

    protocol: Literal["large-step"] = "large-step"
    activation: str
    target: str
    eta: float
    alpha: tuple[float, ...]
    beta: float
    ridge: float
    noise: float = SMALL_STEP["noise"].default
    eta_power: float = 0.5
    test: float = 10.0

    def cell(self, size: int) -> Cell:
        """A simulation for each alpha, on the same weights and target direction."""
        return _CurveCell(parts=tuple(self._at(alpha).cell(size) for alpha in self.alpha))

    def predict(self, mutant: str | None = None) -> Prediction:
        """The two bounds, the same along the curve."""
        bounds = self._at(self.alpha[0]).predict(mutant).values
        shape = (len(self.alpha),) if len(self.alpha) > 1 else ()
        names = ("kernel_lower_bound", "large_step_bound")
        return Prediction(values={name: np.broadcast_to(bounds[name], shape) for name in names}, errors={})

    def reproduce(self, size: int, seeds: int, first_seed: int) -> str:
        """Code that repeats the simulation of one size, for each alpha."""
        return ", ".join(self._at(alpha).reproduce(size, seeds, first_seed) for alpha in self.alpha)

    def _at(self, alpha: float) -> SmallStepExperiment:
        fields = {item.name: getattr(self, item.name) for item in dataclasses.fields(self)}
        del fields["protocol"]
        return SmallStepExperiment(**{**fields, "alpha": alpha})


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class _CurveCell:
    parts: tuple[Cell, ...]

    def run(self, seed: int) -> dict[str, ArrayLike]:
        samples = [part.run(seed) for part in self.parts]
        if len(samples) == 1:
            return dict(samples[0])
        return {name: np.array([sample[name] for sample in samples]) for name in samples[0]}
