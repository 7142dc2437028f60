"""The experiments that claims are made about: a protocol of the simulator with the theory of its numbers."""

from __future__ import annotations

import dataclasses
import json
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

import hermite_analytics as ha
from hermite_analytics.errors import InputError
from hermite_analytics.validation.claims import Cell, Prediction
from hermite_analytics.validation.decision import FORBID_EXTRA
from hermite_analytics.validation.mutants import Spike, mutate_overlaps, mutate_ridge, mutate_spike

__all__ = ["GiantStepExperiment", "SpikedRandomFeaturesExperiment"]

# Ratios are decimals in files: their multiples are integers up to rounding.
_INTEGER_TOLERANCE = 1e-9


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class GiantStepExperiment:
    """A network after one giant step on its first layer, with a ridge readout along a learning curve.

    The theory is the one-step map and then the asymptotics of spiked random features
    (Cui et al., arXiv 2402.04980, results 3.1 to 3.3).

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
    test : float > 0
        Test samples/d.
    """

    __pydantic_config__: ClassVar = FORBID_EXTRA

    protocol: Literal["giant-step"] = "giant-step"
    activation: str
    target: str
    alpha0: float
    eta: float
    beta: float
    alpha: tuple[float, ...]
    ridge: float
    noise: float = 0.0
    test: float = 10.0

    @property
    def identity(self) -> str:
        """Canonical text of the protocol and all parameters."""
        return _identity(self)

    def cell(self, size: int) -> Cell:
        """The simulation at dimension `size`; raises InputError if a ratio gives no integer there."""
        from hermite_analytics.numeric.simulator.giant_step import GiantStepProtocol

        return GiantStepProtocol.create(
            activation=ha.Activation(self.activation),
            target=ha.Target(self.target),
            d=size,
            eta=self.eta,
            ridge=self.ridge,
            n0=_multiple("alpha0", self.alpha0, size),
            p=_multiple("beta", self.beta, size),
            n=[_multiple("alpha", alpha, size) for alpha in self.alpha],
            noise=self.noise,
            n_test=_multiple("test", self.test, size),
        )

    def predict(self, mutant: str | None = None) -> Prediction:
        """r, c, gamma, and test_error and train_error along the curve."""
        from hermite_analytics.numeric import GiantStep

        activation, target = ha.Activation(self.activation), ha.Target(self.target)
        step = GiantStep(activation, target).solve(
            alpha0=self.alpha0, eta=self.eta, beta=self.beta, noise=self.noise
        )
        spike = Spike(r=float(step.r), c=float(step.c), gamma=float(step.gamma))
        return _readout(self, activation, target, spike, mutant)

    def abscissa(self) -> tuple[str, tuple[float, ...]] | None:
        """alpha along the curve."""
        return _abscissa(self.alpha)

    def refined(self, values: tuple[float, ...]) -> GiantStepExperiment:
        """The same experiment at other alpha."""
        return dataclasses.replace(self, alpha=values)

    def parameters(self) -> tuple[tuple[str, str], ...]:
        """Names and values of the parameters, for reading."""
        return _parameters(self)

    def reproduce(self, size: int, seeds: int, first_seed: int) -> str:
        """Code that repeats the simulation of one size."""
        return _call(self, ("alpha0", "eta", "beta"), size, seeds, first_seed)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class SpikedRandomFeaturesExperiment:
    """Ridge regression on features sigma((W + r 1 v^T) x), along a learning curve.

    The theory is that of Cui et al., arXiv 2402.04980, result 3.3, and the bounds of its equations 26 to 28.

    Parameters
    ----------
    r, c, gamma : float
        Spike, squared norm of the rows of W, and v.theta.
    activation, target, beta, alpha, ridge, noise, test
        As in `GiantStepExperiment`.
    """

    __pydantic_config__: ClassVar = FORBID_EXTRA

    protocol: Literal["spiked-random-features"] = "spiked-random-features"
    activation: str
    target: str
    r: float
    c: float
    gamma: float
    beta: float
    alpha: tuple[float, ...]
    ridge: float
    noise: float = 0.0
    test: float = 10.0

    @property
    def identity(self) -> str:
        """Canonical text of the protocol and all parameters."""
        return _identity(self)

    def cell(self, size: int) -> Cell:
        """The simulation at dimension `size`; raises InputError if a ratio gives no integer there."""
        from hermite_analytics.numeric.simulator.spiked_random_features import SpikedRandomFeaturesProtocol

        return SpikedRandomFeaturesProtocol.create(
            activation=ha.Activation(self.activation),
            target=ha.Target(self.target),
            d=size,
            r=self.r,
            c=self.c,
            gamma=self.gamma,
            ridge=self.ridge,
            p=_multiple("beta", self.beta, size),
            n=[_multiple("alpha", alpha, size) for alpha in self.alpha],
            noise=self.noise,
            n_test=_multiple("test", self.test, size),
        )

    def predict(self, mutant: str | None = None) -> Prediction:
        """test_error, train_error and the overlaps along the curve, and the bounds on the test error."""
        from hermite_analytics.numeric.bounds import Bounds

        activation, target = ha.Activation(self.activation), ha.Target(self.target)
        spike = Spike(r=self.r, c=self.c, gamma=self.gamma)
        readout = _readout(self, activation, target, spike, mutant)
        bounds = Bounds(activation, target).solve(r=self.r, c=self.c, gamma=self.gamma)
        shape = readout.values["test_error"].shape
        return Prediction(
            values={
                **readout.values,
                "upper_bound": np.broadcast_to(_array(bounds.upper), shape),
                "lower_bound": np.broadcast_to(_array(bounds.lower), shape),
            },
            errors=readout.errors,
        )

    def abscissa(self) -> tuple[str, tuple[float, ...]] | None:
        """alpha along the curve."""
        return _abscissa(self.alpha)

    def refined(self, values: tuple[float, ...]) -> SpikedRandomFeaturesExperiment:
        """The same experiment at other alpha."""
        return dataclasses.replace(self, alpha=values)

    def parameters(self) -> tuple[tuple[str, str], ...]:
        """Names and values of the parameters, for reading."""
        return _parameters(self)

    def reproduce(self, size: int, seeds: int, first_seed: int) -> str:
        """Code that repeats the simulation of one size."""
        return _call(self, ("r", "c", "gamma", "beta"), size, seeds, first_seed)


_Experiment = GiantStepExperiment | SpikedRandomFeaturesExperiment


def _readout(
    experiment: _Experiment, activation: ha.Activation, target: ha.Target, spike: Spike, mutant: str | None
) -> Prediction:
    """The asymptotics of the ridge readout on a spike."""
    from hermite_analytics.numeric import SpikedRandomFeatures

    spike = mutate_spike(spike, mutant, activation=activation, beta=experiment.beta)
    solution = SpikedRandomFeatures(activation, target).solve(
        alpha=np.array(experiment.alpha),
        beta=experiment.beta,
        ridge=mutate_ridge(experiment.ridge, mutant),
        r=spike.r,
        c=spike.c,
        gamma=spike.gamma,
        noise=experiment.noise,
    )
    overlaps = {name: _array(value) for name, value in solution.overlaps.items()}
    error = float(np.max(_array(solution.numerical_error)))
    return Prediction(
        values={
            "r": _array(spike.r),
            "c": _array(spike.c),
            "gamma": _array(spike.gamma),
            "test_error": _array(solution.test_error),
            "train_error": _array(solution.train_error),
            **mutate_overlaps(overlaps, mutant),
        },
        errors=dict.fromkeys(("test_error", "train_error", *overlaps), error),
    )


def _array(value: ArrayLike) -> NDArray[np.float64]:
    return np.asarray(value, dtype=float)


def _identity(experiment: _Experiment) -> str:
    return json.dumps(dataclasses.asdict(experiment), sort_keys=True)


def _parameters(experiment: _Experiment) -> tuple[tuple[str, str], ...]:
    values = {item.name: getattr(experiment, item.name) for item in dataclasses.fields(experiment)}
    values["alpha"] = ", ".join(f"{alpha:g}" for alpha in experiment.alpha)
    return tuple(
        (name, f"{value:g}" if isinstance(value, float) else value) for name, value in values.items()
    )


def _multiple(name: str, ratio: float, size: int) -> int:
    """ratio * size as an exact integer: a rounded size would carry another theory."""
    count = round(ratio * size)
    if count < 1 or abs(count - ratio * size) > _INTEGER_TOLERANCE * max(1.0, ratio * size):
        raise InputError(f"{name} = {ratio} times d = {size} is {ratio * size:g}; an integer >= 1 is needed")
    return count


def _abscissa(alpha: tuple[float, ...]) -> tuple[str, tuple[float, ...]] | None:
    return ("alpha", alpha) if len(alpha) > 1 else None


def _call(experiment: _Experiment, names: tuple[str, ...], size: int, seeds: int, first_seed: int) -> str:
    arguments = {
        "activation": experiment.activation,
        "target": experiment.target,
        **{name: getattr(experiment, name) for name in names},
        "alpha": list(experiment.alpha),
        "ridge": experiment.ridge,
        "noise": experiment.noise,
        "n_test": _multiple("test", experiment.test, size),
        "d": size,
        "seeds": seeds,
        "first_seed": first_seed,
    }
    return f"simulate({experiment.protocol!r}, {', '.join(f'{name}={v!r}' for name, v in arguments.items())})"
