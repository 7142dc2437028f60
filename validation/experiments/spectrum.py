"""The spectrum of the features after a giant step."""

from __future__ import annotations

import dataclasses
from typing import ClassVar, Literal

import hermite_analytics as ha
from hermite_analytics.validation.experiments.base import ParametricExperiment, array, check_mutant, multiple
from hermite_analytics.validation.experiments.experiment import Cell, Prediction
from hermite_analytics.validation.statistics.decision import FORBID_EXTRA

__all__ = ["SpectrumExperiment"]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class SpectrumExperiment(ParametricExperiment):
    """Eigenvalues of Phi^T Phi/p for the features of W + r 1 v^T (arXiv 2402.04980, appendix F).

    Numbers: ``stieltjes``, the transform at z, and ``outlier``, the eigenvalue that grows like n, over n.

    Parameters
    ----------
    activation : str
    r, c : float
    alpha, beta : float
        Samples/d and neurons/d.
    z : float < 0
    """

    __pydantic_config__: ClassVar = FORBID_EXTRA
    mutants: ClassVar[tuple[str, ...]] = ("no-step", "residual-dropped")

    protocol: Literal["feature-spectrum"] = "feature-spectrum"
    activation: str
    r: float
    c: float
    alpha: float
    beta: float
    z: float

    def cell(self, size: int) -> Cell:
        """The simulation at dimension `size`; raises InputError if a ratio gives no integer there."""
        from hermite_analytics.numeric.simulator.random_features_eigenvalues import FeatureEigenvalues

        return FeatureEigenvalues(
            activation=ha.Activation(self.activation),
            d=size,
            p=multiple("beta", self.beta, size),
            n=multiple("alpha", self.alpha, size),
            r=self.r,
            c=self.c,
            z=self.z,
        )

    def predict(self, mutant: str | None = None) -> Prediction:
        """The transform, and E mu0(kappa)^2 for the outlier."""
        from hermite_analytics.numeric import Spectrum

        check_mutant(mutant, self.mutants)
        activation = ha.Activation("z" if mutant == "residual-dropped" else self.activation)
        step = {"r": 0.0, "c": 1.0} if mutant == "no-step" else {"r": self.r, "c": self.c}
        found = Spectrum(activation).solve(**step, alpha=self.alpha, beta=self.beta, z=self.z)
        growing = max(found.growing, default=0.0)
        values = {"stieltjes": array(complex(found.stieltjes).real), "outlier": array(growing / self.alpha)}
        return Prediction(values=values, errors={"stieltjes": float(found.numerical_error)})

    def reproduce(self, size: int, seeds: int, first_seed: int) -> str:
        """Code that repeats the simulation of one size."""
        return f"[{self.cell(size)!r}.run(seed) for seed in range({first_seed}, {first_seed + seeds})]"
