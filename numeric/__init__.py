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
    "DMFTSample": "models.dmft.sample",
    "DMFTSolution": "models.dmft.solution",
    "FieldLaw": "models.dmft.laws",
    "FiniteSizes": "simulator.finite_sizes",
    "GaussianCovariates": "models.random_features.covariates",
    "LearningCurve": "learning_curve",
    "Letters": "models.spiked.letters",
    "Loss": "losses.loss",
    "ReadoutLaw": "models.spiked.letters",
    "Simulation": "simulator.results",
    "Solution": "solution",
    "SpectralMethod": "bayes.amp.spectral",
    "SpectralResult": "bayes.amp.spectral",
    "Status": "solution",
    "simulate": "simulator.simulation",
}
"""Beside the models, whose classes are found by their records."""


if TYPE_CHECKING:
    from hermite_analytics.numeric.bayes.amp.model import AMP as AMP
    from hermite_analytics.numeric.bayes.amp.result import AMPResult as AMPResult
    from hermite_analytics.numeric.bayes.amp.spectral import SpectralMethod as SpectralMethod
    from hermite_analytics.numeric.bayes.amp.spectral import SpectralResult as SpectralResult
    from hermite_analytics.numeric.bayes.state_evolution.model import StateEvolution as StateEvolution
    from hermite_analytics.numeric.learning_curve import LearningCurve as LearningCurve
    from hermite_analytics.numeric.losses.loss import Loss as Loss
    from hermite_analytics.numeric.models.bounds.model import Bounds as Bounds
    from hermite_analytics.numeric.models.deterministic_equivalent.model import (
        DeterministicEquivalent as DeterministicEquivalent,
    )
    from hermite_analytics.numeric.models.deterministic_equivalent.scaling_law import ScalingLaw as ScalingLaw
    from hermite_analytics.numeric.models.dmft.laws import FieldLaw as FieldLaw
    from hermite_analytics.numeric.models.dmft.model import DMFT as DMFT
    from hermite_analytics.numeric.models.dmft.sample import DMFTSample as DMFTSample
    from hermite_analytics.numeric.models.dmft.solution import DMFTSolution as DMFTSolution
    from hermite_analytics.numeric.models.giant_step.model import GiantStep as GiantStep
    from hermite_analytics.numeric.models.random_features.covariates import (
        GaussianCovariates as GaussianCovariates,
    )
    from hermite_analytics.numeric.models.random_features.model import RandomFeatures as RandomFeatures
    from hermite_analytics.numeric.models.sgd_flow.model import SGDFlow as SGDFlow
    from hermite_analytics.numeric.models.small_step.large_step import LargeStep as LargeStep
    from hermite_analytics.numeric.models.small_step.model import SmallStep as SmallStep
    from hermite_analytics.numeric.models.spectrum.features import Spectrum as Spectrum
    from hermite_analytics.numeric.models.spiked.letters import Letters as Letters
    from hermite_analytics.numeric.models.spiked.letters import ReadoutLaw as ReadoutLaw
    from hermite_analytics.numeric.models.spiked.model import SpikedRandomFeatures as SpikedRandomFeatures
    from hermite_analytics.numeric.models.three_layer.model import ThreeLayer as ThreeLayer
    from hermite_analytics.numeric.simulator.finite_sizes import FiniteSizes as FiniteSizes
    from hermite_analytics.numeric.simulator.results import Simulation as Simulation
    from hermite_analytics.numeric.simulator.simulation import simulate as simulate
    from hermite_analytics.numeric.solution import Solution as Solution
    from hermite_analytics.numeric.status import Status as Status


def _models() -> dict[str, str]:
    """The modules of the models' classes."""
    from hermite_analytics.numeric.models import MODELS

    places = (record.factory.partition(":") for record in MODELS.values())
    return {path.partition(".")[0]: module for module, _, path in places}


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return sorted(_LAZY | _models())
    module = _LAZY.get(name) or (None if name.startswith("_") else _models().get(name))
    if module is None:
        raise AttributeError(f"module 'hermite_analytics.numeric' has no attribute {name!r}")
    return getattr(importlib.import_module(f"hermite_analytics.numeric.{module}"), name)


def __dir__() -> list[str]:
    return sorted(_LAZY | _models())
