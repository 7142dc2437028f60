"""A gradient step of order 1 on the first layer, before ridge regression."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

import hermite_analytics as ha
from hermite_analytics.foundation.arrays import Numbers
from hermite_analytics.numeric.protocols.small_step.record import SMALL_STEP
from hermite_analytics.validation.experiments.base import ProtocolExperiment, array, check_mutant
from hermite_analytics.validation.experiments.experiment import Prediction
from hermite_analytics.validation.statistics.decision import FORBID_EXTRA

__all__ = ["SmallStepExperiment"]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class SmallStepExperiment(ProtocolExperiment):
    """Steps of size eta p^eta_power in the scaling of Ba et al. (arXiv 2205.01445), then ridge regression.

    The theory of one step of order 1 is that of `SmallStep`; steps of order sqrt p have the bound 16 tau* of
    `LargeStep`, and all steps of order 1 the kernels' lower bound.

    Parameters
    ----------
    activation, target : str
    eta : float
    alpha, beta : float
        Samples/d (of the step and, fresh ones, of the regression), neurons/d.
    ridge : float > 0
        lambda of sum (y - a.phi)^2 + lambda |a|^2.
    noise : float >= 0
    steps : int >= 0
    batches : {"same", "fresh"}
    eta_power : float >= 0
    gradient_factor : {1, 2}
    features : {"network", "equivalent", "tangent"}
    test : float > 0
        Test samples/d.
    """

    __pydantic_config__: ClassVar = FORBID_EXTRA
    ratios: ClassVar[tuple[str, ...]] = ("alpha", "beta", "test")
    mutants: ClassVar[tuple[str, ...]] = (
        "theta1-misprint",
        "theta1-noiseless",
        "gradient-factor",
        "alignment-with-gradient",
        "ridge-doubled",
        "no-step",
    )

    protocol: Literal["small-step"] = "small-step"
    activation: str
    target: str
    eta: float
    alpha: float
    beta: float
    ridge: float
    noise: float = SMALL_STEP["noise"].default
    steps: int = 1
    batches: str = SMALL_STEP["batches"].default
    eta_power: float = 0.0
    gradient_factor: int = 1
    features: str = SMALL_STEP["features"].default
    test: float = 10.0

    def predict(self, mutant: str | None = None) -> Prediction:
        """Spikes, edges and risks of one step of order 1; bounds; norms of the two parts of the gradient."""
        from hermite_analytics.numeric.models.random_features.kernel_bound import kernel_lower_bound

        check_mutant(mutant, self.mutants)
        bound = float(kernel_lower_bound(self.target, 1.0).value)
        values: dict[str, ArrayLike] = {"kernel_lower_bound": bound}
        if ha.Target(self.target).dimension == 1:
            values["large_step_bound"] = _large_step_bound(self.activation, self.target)
        if self.features != "tangent" and self.eta_power == 0.0 and self.steps == 1:
            values |= self._one_step(mutant)
        return Prediction(values={name: array(value) for name, value in values.items()}, errors={})

    def _one_step(self, mutant: str | None) -> dict[str, Numbers]:
        from hermite_analytics.numeric import SmallStep

        eta = self._mutated_step(mutant)
        solution = SmallStep(
            ha.Activation(self.activation), ha.Target(self.target), gradient_factor=self.gradient_factor
        ).solve(
            eta=eta,
            alpha=self.alpha,
            beta=self.beta,
            ridge=2 * self.ridge if mutant == "ridge-doubled" else self.ridge,
            noise=self.noise,
        )
        values: dict[str, Numbers] = {f"weights_{name}": value for name, value in solution.weights.items()}
        values |= {f"kernel_{name}": value for name, value in solution.kernel.items()}
        for name in ("risk_before", "risk_after", "gain", "train_before", "train_after"):
            values[name] = getattr(solution, name)
        if mutant == "alignment-with-gradient":  # alignment of the spike with h in place of with the target
            values["weights_alignment"] *= float(solution.weights["theta1"] / solution.weights["theta2"]) ** 2
        values["weights_remainder_operator"] = 0.0
        values["weights_remainder_frobenius"] = self._remainder()
        values["weights_resolvent"] = _resolvent(self.beta)
        return values

    def _mutated_step(self, mutant: str | None) -> float:
        """eta, or the eta whose theta1 is that of a wrong formula."""
        from hermite_analytics.numeric.models.random_features.constants import (
            feature_constants,
            target_constants,
        )

        mu1 = feature_constants(ha.Activation(self.activation), 1).slope
        norms = target_constants(ha.Target(self.target), 1)
        power, level = norms.second_moment + norms.noise + self.noise, norms.level
        eta = self.eta * self.gradient_factor
        right = eta * mu1 * math.sqrt(level + power / self.alpha)
        wrong = {
            "theta1-misprint": math.sqrt(power / self.alpha + level * mu1 * eta),
            "theta1-noiseless": eta * mu1 * math.sqrt(level),
            "gradient-factor": right / 2 if self.gradient_factor == 2 else 2 * right,
            "no-step": 0.0,
        }
        return self.eta * wrong.get(mutant or "", right) / right

    def _remainder(self) -> float:
        """|B|_F/|A|_F of the gradient A + B, A of rank one: B holds the noise of sigma' - mu1."""
        from hermite_analytics.numeric.models.random_features.constants import (
            feature_constants,
            target_constants,
        )

        activation = ha.Activation(self.activation)
        mu1 = feature_constants(activation, 1).slope
        nodes, weights = np.polynomial.hermite_e.hermegauss(100)
        slopes = np.asarray(activation.derivative_function("array")(nodes))
        spread = float(weights @ (slopes - mu1) ** 2 / weights.sum())
        norms = target_constants(ha.Target(self.target), 1)
        power = (norms.second_moment + norms.noise + self.noise) / self.alpha
        return math.sqrt(spread * power / (mu1**2 * (norms.level + power)))


@functools.lru_cache(maxsize=64)
def _large_step_bound(activation: str, target: str) -> float:
    """16 tau*: the same for all step sizes, numbers of samples and mutants."""
    from hermite_analytics.numeric.models.small_step.large_step import LargeStep

    return LargeStep(ha.Activation(activation), ha.Target(target)).solve().upper_bound


def _resolvent(beta: float) -> float:
    """(1/d) tr (W W^T + 1)^-1 of W with p = beta d columns of variance 1/d, the bulk of the weights.

    m solves beta-Marchenko-Pastur at z = -1: 1/m = 1 + beta/(1 + m).
    """
    return (math.sqrt(beta**2 + 4) - beta) / 2
