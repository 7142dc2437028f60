"""A network after one giant step, and the spiked random features that describe it."""

from __future__ import annotations

import dataclasses
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

import hermite_analytics as ha
from hermite_analytics.conditional import HermiteData, hermite_data
from hermite_analytics.numeric.protocols.giant_step.record import GIANT_STEP
from hermite_analytics.numeric.protocols.spiked_random_features.record import SPIKED_RANDOM_FEATURES
from hermite_analytics.validation.experiments.base import ProtocolExperiment, array
from hermite_analytics.validation.experiments.experiment import Prediction
from hermite_analytics.validation.experiments.mutants import (
    Spike,
    check_giant_step_mutant,
    mutate_overlaps,
    mutate_ridge,
    mutate_spike,
)
from hermite_analytics.validation.statistics.decision import FORBID_EXTRA

if TYPE_CHECKING:
    from hermite_analytics.numeric.models.giant_step.model import GiantStepSolution

__all__ = ["GiantStepExperiment", "SpikedRandomFeaturesExperiment"]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class GiantStepExperiment(ProtocolExperiment):
    """A network after one giant step on its first layer, with a ridge readout along a learning curve.

    The theory is the one-step map and then the asymptotics of spiked random features
    (Cui et al., arXiv 2402.04980, results 3.1 to 3.3); for an activation with a second coefficient the rows
    are those that the step makes (docs/giant_step.md).

    Parameters
    ----------
    activation, target : str
        Expressions of the library's language.
    alpha0, eta, beta : float
        Step samples/d, step size, neurons/d.
    alpha : tuple of float
        Readout samples/d, along the curve.
    ridge : float > 0
    noise : float >= 0
        Variance of the label noise.
    letters : tuple of (value, fraction)
        The vocabulary of the readout during the step; one letter 1 by default.
    bias : float
        Of all neurons, from the readout on: the step knows none.
    test : float > 0
        Test samples/d.
    """

    __pydantic_config__: ClassVar = FORBID_EXTRA
    ratios: ClassVar[tuple[str, ...]] = ("alpha0", "alpha", "beta", "test")
    curve: ClassVar[str] = "alpha"

    added: ClassVar[tuple[str, ...]] = ("bias",)

    protocol: Literal["giant-step"] = "giant-step"
    activation: str
    target: str
    alpha0: float
    eta: float
    beta: float
    alpha: tuple[float, ...]
    ridge: float
    noise: float = GIANT_STEP["noise"].default
    letters: tuple[tuple[float, float], ...] = ()
    bias: float = 0.0
    test: float = 10.0

    def arguments(self, size: int) -> dict[str, object]:
        """Keywords of the protocol; raises InputError if a ratio gives no integer there."""
        late = {"bias_from": "readout"} if self.bias else {}
        return ProtocolExperiment.arguments(self, size) | _letters(self) | late

    def predict(self, mutant: str | None = None) -> Prediction:
        """r, c, gamma, c_spike, c_target, and errors along the curve; the floor of linear predictors."""
        from hermite_analytics.numeric import GiantStep
        from hermite_analytics.numeric.simulator.initial_network import vocabulary_of

        check_giant_step_mutant(mutant)
        activation, target = ha.Activation(self.activation), ha.Target(self.target)
        step = GiantStep(activation, target).solve(
            alpha0=self.alpha0, eta=self.eta, beta=self.beta, noise=self.noise
        )
        if mutant == "output-dropped":
            step = _without_output(step, hermite_data(activation, target))
        letters = vocabulary_of(None if mutant == "one-letter" else dict(self.letters) or None)
        c = np.asarray(step.c_of(letters), dtype=np.float64)
        spike = Spike(r=float(step.r), c=c if len(letters.values) > 1 else float(c), gamma=float(step.gamma))
        isotropic = step.is_isotropic or mutant == "isotropic-rows"
        readout = _readout(self, activation, target, spike, mutant, None if isotropic else step)
        along = {"c_spike": spike.c, "c_target": spike.c}
        if mutant != "isotropic-rows":
            along = {"c_spike": step.c_spike, "c_target": step.c_target}
        if self.letters:
            return readout
        return replace(readout, values={**readout.values, **{n: array(value) for n, value in along.items()}})


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class SpikedRandomFeaturesExperiment(ProtocolExperiment):
    """Ridge regression on features sigma((W + r 1 v^T) x), along a learning curve.

    The theory is that of Cui et al., arXiv 2402.04980, result 3.3, and the bounds of its equations 26 to 28.

    Parameters
    ----------
    r, gamma : float
        Spike, and v.theta.
    c : float, or tuple of float
        Squared norm of the rows of W, or one for each letter.
    letters : tuple of (value, fraction)
        The spike of a neuron is r times its letter; one letter 1 by default.
    bias : float
        Of all neurons.
    activation, target, beta, alpha, ridge, noise, test
        As in `GiantStepExperiment`.
    """

    __pydantic_config__: ClassVar = FORBID_EXTRA
    ratios: ClassVar[tuple[str, ...]] = ("alpha", "beta", "test")
    curve: ClassVar[str] = "alpha"

    added: ClassVar[tuple[str, ...]] = ("letters", "bias")

    protocol: Literal["spiked-random-features"] = "spiked-random-features"
    activation: str
    target: str
    r: float
    c: float | tuple[float, ...]
    gamma: float
    beta: float
    alpha: tuple[float, ...]
    ridge: float
    noise: float = SPIKED_RANDOM_FEATURES["noise"].default
    letters: tuple[tuple[float, float], ...] = ()
    bias: float = 0.0
    test: float = 10.0

    def arguments(self, size: int) -> dict[str, object]:
        """Keywords of the protocol; raises InputError if a ratio gives no integer there."""
        return ProtocolExperiment.arguments(self, size) | _letters(self)

    def predict(self, mutant: str | None = None) -> Prediction:
        """test_error, train_error and the overlaps along the curve, and the bounds on the test error.

        The bounds are those of one letter without a bias, and left out otherwise.
        """
        from hermite_analytics.numeric.models.bounds.model import Bounds

        activation, target = ha.Activation(self.activation), ha.Target(self.target)
        c = self.c if isinstance(self.c, int | float) else np.array(self.c)
        readout = _readout(self, activation, target, Spike(r=self.r, c=c, gamma=self.gamma), mutant)
        if self.letters or self.bias:
            return readout
        bounds = Bounds(activation, target).solve(r=self.r, c=self.c, gamma=self.gamma)
        shape = readout.values["test_error"].shape
        return Prediction(
            values={
                **readout.values,
                "upper_bound": np.broadcast_to(array(bounds.upper), shape),
                "lower_bound": np.broadcast_to(array(bounds.lower), shape),
            },
            errors=readout.errors,
        )


_Experiment = GiantStepExperiment | SpikedRandomFeaturesExperiment


def _letters(experiment: _Experiment) -> dict[str, object]:
    """The vocabulary as protocols take it, if there is one."""
    return {"letters": dict(experiment.letters)} if experiment.letters else {}


def _without_output(step: GiantStepSolution, data: HermiteData) -> GiantStepSolution:
    """The map of an odd activation where it does not hold: labels for residuals."""
    e, share = float(step.effective_step), data.target_second_moment / float(step.parameters["alpha0"])
    norm = np.sqrt(share + data.target_slope**2)
    c = 1.0 + e**2 * share * data.slope_variance
    return replace(
        step, r=e * data.slope * norm, c=c, unit_c=c, gamma=data.target_slope / norm, is_isotropic=True
    )


def _readout(
    experiment: _Experiment,
    activation: ha.Activation,
    target: ha.Target,
    spike: Spike,
    mutant: str | None,
    step: GiantStepSolution | None = None,
) -> Prediction:
    """The asymptotics of the ridge readout on a spike, or on the rows of a step.

    Overlaps are those of all neurons together.
    """
    from hermite_analytics.numeric import SpikedRandomFeatures

    letters = None if mutant == "one-letter" or not experiment.letters else dict(experiment.letters)
    bias = 0.0 if mutant == "bias-dropped" else experiment.bias
    right = spike
    spike = mutate_spike(spike, mutant, activation=activation, beta=experiment.beta)
    of_spike: dict[str, Any] = {"r": spike.r, "gamma": spike.gamma, "beta": experiment.beta}
    of_spike["c"] = spike.c if letters or isinstance(spike.c, float) else float(np.mean(spike.c))
    solution = SpikedRandomFeatures(activation, target, letters=letters, bias=bias).solve(
        alpha=np.array(experiment.alpha),
        ridge=mutate_ridge(experiment.ridge, mutant),
        noise=experiment.noise,
        **(of_spike if step is None or spike != right else {"step": step}),
    )
    test = array(solution.test_error)
    overlaps = {name: _of_all(value, test.shape) for name, value in solution.overlaps.items()}
    error = float(np.max(array(solution.numerical_error)))
    return Prediction(
        values={
            "r": array(spike.r),
            **({"c": array(spike.c)} if isinstance(spike.c, float) else {}),
            "gamma": array(spike.gamma),
            "test_error": test,
            "train_error": array(solution.train_error),
            "linear_floor": np.broadcast_to(array(solution.linear_floor), test.shape),
            **mutate_overlaps(overlaps, mutant),
        },
        errors=dict.fromkeys(("test_error", "train_error", *overlaps), error),
    )


def _of_all(overlap: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """The sum over letters (pairs of them for q1), whose axes come last."""
    return array(array(overlap).reshape((*shape, -1)).sum(axis=-1))
