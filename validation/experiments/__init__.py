"""The experiments that claims are made about: protocols of the simulator with the theory of their numbers.

One file a family; the field `protocol` tells them apart in files of claims.
"""

from __future__ import annotations

from hermite_analytics.validation.experiments.dynamics import (
    ReuseExperiment,
    SGDExperiment,
    ThreeLayerExperiment,
)
from hermite_analytics.validation.experiments.estimation import AMPExperiment, SpectralExperiment
from hermite_analytics.validation.experiments.full_batch import FullBatchExperiment
from hermite_analytics.validation.experiments.giant_step import (
    GiantStepExperiment,
    SpikedRandomFeaturesExperiment,
)
from hermite_analytics.validation.experiments.random_features import (
    PowerLawExperiment,
    RandomFeaturesExperiment,
)
from hermite_analytics.validation.experiments.small_step import SmallStepExperiment
from hermite_analytics.validation.experiments.spectrum import SpectrumExperiment
from hermite_analytics.validation.experiments.staircase import SecondLayerExperiment, StaircaseExperiment
from hermite_analytics.validation.experiments.trained_features import (
    EquivalenceExperiment,
    LargeStepExperiment,
)

__all__ = [
    "AMPExperiment",
    "EquivalenceExperiment",
    "FullBatchExperiment",
    "GiantStepExperiment",
    "LargeStepExperiment",
    "PowerLawExperiment",
    "RandomFeaturesExperiment",
    "ReuseExperiment",
    "SGDExperiment",
    "SecondLayerExperiment",
    "SmallStepExperiment",
    "SpectralExperiment",
    "SpectrumExperiment",
    "SpikedRandomFeaturesExperiment",
    "StaircaseExperiment",
    "ThreeLayerExperiment",
]
