"""Random features with a square, logistic or hinge loss, and random features of a power-law spectrum."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

import hermite_analytics as ha
from hermite_analytics.errors import InputError
from hermite_analytics.losses.registry import FORMS, named_loss
from hermite_analytics.numeric.protocols.random_features.record import RANDOM_FEATURES
from hermite_analytics.validation.experiments.base import (
    ParametricExperiment,
    ProtocolExperiment,
    array,
    check_mutant,
    multiple,
)
from hermite_analytics.validation.experiments.experiment import Cell, Prediction
from hermite_analytics.validation.statistics.decision import FORBID_EXTRA

if TYPE_CHECKING:
    from hermite_analytics.numeric.simulator.random_features_spectrum import SpectrumFeatures

__all__ = ["PowerLawExperiment", "RandomFeaturesExperiment"]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class RandomFeaturesExperiment(ProtocolExperiment):
    """A readout on random features, on their Gaussian equivalents or on tangent-kernel features.

    The theory of the first two is that of `RandomFeatures`; tangent features have the lower bound of kernels
    alone (Ba et al., arXiv 2205.01445).

    Parameters
    ----------
    activation, target : str
    beta : float
        Neurons/d.
    alpha : tuple of float
        Samples/d, along the curve.
    ridge : float > 0
    noise : float >= 0
    loss, features : str
        As in the record of the protocol.
    test : float > 0
        Test samples/d.
    """

    __pydantic_config__: ClassVar = FORBID_EXTRA
    ratios: ClassVar[tuple[str, ...]] = ("alpha", "beta", "test")
    curve: ClassVar[str] = "alpha"
    mutants: ClassVar[tuple[str, ...]] = ("ridge-doubled", "residual-dropped", "noise-dropped")

    protocol: Literal["random-features"] = "random-features"
    activation: str
    target: str
    beta: float
    alpha: tuple[float, ...]
    ridge: float
    noise: float = RANDOM_FEATURES["noise"].default
    loss: str = RANDOM_FEATURES["loss"].default
    features: str = RANDOM_FEATURES["features"].default
    test: float = 10.0

    def __post_init__(self) -> None:
        ProtocolExperiment.__post_init__(self)  # super() does not work in a dataclass with slots
        if named_loss(self.loss) is None:
            raise InputError(f"loss is {self.loss!r}: accepted are {FORMS}")

    def predict(self, mutant: str | None = None) -> Prediction:
        """test_error, train_error and overlaps along the curve, and the kernels' lower bound."""
        from hermite_analytics.numeric import RandomFeatures
        from hermite_analytics.numeric.losses.loss import Loss
        from hermite_analytics.numeric.models.random_features.kernel_bound import kernel_lower_bound

        check_mutant(mutant, self.mutants)
        alpha = np.array(self.alpha) if len(self.alpha) > 1 else self.alpha[0]
        bound = float(kernel_lower_bound(self.target, 1.0).value)
        values = {"kernel_lower_bound": np.full(np.shape(alpha), bound)}
        if self.features == "tangent":
            return Prediction(values=values, errors={})
        activation = "z" if mutant == "residual-dropped" else self.activation
        model = RandomFeatures(ha.Activation(activation), ha.Target(self.target), loss=Loss(self.loss))
        solution = model.solve(
            alpha=alpha,
            beta=self.beta,
            ridge=2 * self.ridge if mutant == "ridge-doubled" else self.ridge,
            noise=0.0 if mutant == "noise-dropped" else self.noise,
        )
        overlaps = {name: array(value) for name, value in solution.overlaps.items()}
        numbers = {"test_error": array(solution.test_error), "train_error": array(solution.train_error)}
        error = float(np.max(array(solution.numerical_error)))
        return Prediction(
            values={**values, **numbers, **overlaps}, errors=dict.fromkeys((*numbers, *overlaps), error)
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class PowerLawExperiment(ParametricExperiment):
    """Ridge regression on random features of a power-law kernel; the size is the number of samples n.

    The theory is the deterministic equivalent at the same n and p (Defilippis, Loureiro, Misiakiewicz,
    arXiv 2405.15699): numbers of a size are divided by it, so that they tend to 1.

    Parameters
    ----------
    eigenvalue_power, coefficient_power : float
        Eigenvalues k^-a, squared coefficients k^-b, k <= levels n.
    levels : float > 0
        Eigenfunctions/n.
    features : float > 0
        p/n; inf is kernel ridge regression.
    ridge : float > 0
        lambda of the sum of squares, the same at all sizes.
    noise : float >= 0
    """

    __pydantic_config__: ClassVar = FORBID_EXTRA
    mutants: ClassVar[tuple[str, ...]] = ("kernel-for-features", "ridge-doubled", "noise-dropped")

    protocol: Literal["power-law"] = "power-law"
    eigenvalue_power: float
    coefficient_power: float
    levels: float = 8.0
    features: float
    ridge: float
    noise: float

    def cell(self, size: int) -> Cell:
        """The simulation at n = `size`, over the deterministic equivalent."""
        return _RelativeCell(simulation=self._simulation(size), theory=self._equivalent(size))

    def predict(self, mutant: str | None = None) -> Prediction:
        """1, or what a wrong formula gives over the right one at n = 400."""
        check_mutant(mutant, self.mutants)
        right, other = self._equivalent(400), self._equivalent(400, mutant)
        values = {name: array(other[name] / right[name]) for name in right}
        return Prediction(values=values, errors={})

    def _simulation(self, size: int) -> SpectrumFeatures:
        """The draws; raises InputError if a ratio gives no integer at this size."""
        from hermite_analytics.numeric.simulator.random_features_spectrum import SpectrumFeatures

        return SpectrumFeatures(
            eigenvalue_power=self.eigenvalue_power,
            coefficient_power=self.coefficient_power,
            levels=multiple("levels", self.levels, size),
            samples=size,
            features=multiple("features", self.features, size) if np.isfinite(self.features) else None,
            ridge=self.ridge,
            noise=self.noise,
        )

    def _equivalent(self, size: int, mutant: str | None = None) -> dict[str, float]:
        from hermite_analytics.numeric import DeterministicEquivalent

        simulation = self._simulation(size)
        k = np.arange(1, simulation.levels + 1.0)
        model = DeterministicEquivalent(k**-self.eigenvalue_power, k**-self.coefficient_power)
        features = simulation.features
        solution = model.solve(
            samples=size,
            features=np.inf if features is None or mutant == "kernel-for-features" else features,
            ridge=2 * self.ridge if mutant == "ridge-doubled" else self.ridge,
            noise=0.0 if mutant == "noise-dropped" else self.noise,
        )
        return {"test_error": float(solution.test_error), "train_error": float(solution.train_error)}

    def reproduce(self, size: int, seeds: int, first_seed: int) -> str:
        """Code that repeats the simulation of one size."""
        return f"[{self._simulation(size)!r}.run(seed) for seed in range({first_seed}, {first_seed + seeds})]"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class _RelativeCell:
    """Errors of one draw over those of the deterministic equivalent."""

    simulation: SpectrumFeatures
    theory: dict[str, float]

    def run(self, seed: int) -> dict[str, ArrayLike]:
        sample = self.simulation.run(seed)
        return {name: sample[name] / self.theory[name] for name in self.theory}
