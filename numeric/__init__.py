"""Numeric solvers on generated kernels: closed equations at d -> infinity, and the simulator.

Imported as `hermite_analytics.numeric`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if __name__ != "hermite_analytics.numeric":
    raise ImportError("this folder is the package hermite_analytics.numeric; import it under that name")

_LAZY = {
    "AMP": "bayes.amp.model",
    "AMPResult": "bayes.amp.result",
    "Simulation": "simulator.results",
    "SpectralMethod": "bayes.amp.spectral",
    "SpectralResult": "bayes.amp.spectral",
    "Bounds": "bounds",
    "DMFT": "dmft.model",
    "DMFTSample": "dmft.sample",
    "FieldLaw": "dmft.laws",
    "DMFTSolution": "dmft.solution",
    "DeterministicEquivalent": "deterministic_equivalent.model",
    "FiniteSizes": "simulator.finite_sizes",
    "GaussianCovariates": "random_features.covariates",
    "GiantStep": "giant_step",
    "LearningCurve": "learning_curve",
    "LargeStep": "small_step.large_step",
    "Loss": "losses.loss",
    "RandomFeatures": "random_features.model",
    "SGDFlow": "sgd_flow.model",
    "ScalingLaw": "deterministic_equivalent.scaling_law",
    "SmallStep": "small_step.model",
    "Solution": "solution",
    "Letters": "spiked.letters",
    "ReadoutLaw": "spiked.letters",
    "SpikedRandomFeatures": "spiked.model",
    "Spectrum": "spectrum",
    "StateEvolution": "bayes.state_evolution.model",
    "Status": "solution",
    "ThreeLayer": "three_layer",
    "simulate": "simulator.simulation",
}

__all__ = sorted(_LAZY)

if TYPE_CHECKING:
    from hermite_analytics.numeric.bayes.amp.model import AMP as AMP
    from hermite_analytics.numeric.bayes.amp.result import AMPResult as AMPResult
    from hermite_analytics.numeric.bayes.amp.spectral import SpectralMethod as SpectralMethod
    from hermite_analytics.numeric.bayes.amp.spectral import SpectralResult as SpectralResult
    from hermite_analytics.numeric.bayes.state_evolution.model import StateEvolution as StateEvolution
    from hermite_analytics.numeric.bounds import Bounds as Bounds
    from hermite_analytics.numeric.deterministic_equivalent.model import (
        DeterministicEquivalent as DeterministicEquivalent,
    )
    from hermite_analytics.numeric.deterministic_equivalent.scaling_law import ScalingLaw as ScalingLaw
    from hermite_analytics.numeric.dmft.laws import FieldLaw as FieldLaw
    from hermite_analytics.numeric.dmft.model import DMFT as DMFT
    from hermite_analytics.numeric.dmft.sample import DMFTSample as DMFTSample
    from hermite_analytics.numeric.dmft.solution import DMFTSolution as DMFTSolution
    from hermite_analytics.numeric.giant_step import GiantStep as GiantStep
    from hermite_analytics.numeric.learning_curve import LearningCurve as LearningCurve
    from hermite_analytics.numeric.losses.loss import Loss as Loss
    from hermite_analytics.numeric.random_features.covariates import GaussianCovariates as GaussianCovariates
    from hermite_analytics.numeric.random_features.model import RandomFeatures as RandomFeatures
    from hermite_analytics.numeric.sgd_flow.model import SGDFlow as SGDFlow
    from hermite_analytics.numeric.simulator.finite_sizes import FiniteSizes as FiniteSizes
    from hermite_analytics.numeric.simulator.results import Simulation as Simulation
    from hermite_analytics.numeric.simulator.simulation import simulate as simulate
    from hermite_analytics.numeric.small_step.large_step import LargeStep as LargeStep
    from hermite_analytics.numeric.small_step.model import SmallStep as SmallStep
    from hermite_analytics.numeric.solution import Solution as Solution
    from hermite_analytics.numeric.solution import Status as Status
    from hermite_analytics.numeric.spectrum import Spectrum as Spectrum
    from hermite_analytics.numeric.spiked.letters import Letters as Letters
    from hermite_analytics.numeric.spiked.letters import ReadoutLaw as ReadoutLaw
    from hermite_analytics.numeric.spiked.model import SpikedRandomFeatures as SpikedRandomFeatures
    from hermite_analytics.numeric.three_layer import ThreeLayer as ThreeLayer


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(importlib.import_module(f"hermite_analytics.numeric.{_LAZY[name]}"), name)
    raise AttributeError(f"module 'hermite_analytics.numeric' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
