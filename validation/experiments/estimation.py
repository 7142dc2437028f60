"""Bayes-optimal estimation of the directions: AMP against state evolution, and the spectral start."""

from __future__ import annotations

import dataclasses
import math
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

import hermite_analytics as ha
from hermite_analytics.numeric.protocols.amp.record import AMP
from hermite_analytics.validation.experiments.base import ProtocolExperiment, array, check_mutant
from hermite_analytics.validation.experiments.experiment import Cell, Prediction
from hermite_analytics.validation.statistics.decision import FORBID_EXTRA

__all__ = ["AMPExperiment", "SpectralExperiment"]

_QUANTILES = 40_000


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class AMPExperiment(ProtocolExperiment):
    """AMP at n = alpha d; the theory is `StateEvolution`.

    Numbers: ``overlap1``, ``overlap2``, ... (eigenvalues of the overlap matrix, descending) and their mean
    ``overlap``.

    Parameters
    ----------
    target : str
    alpha : float > 0
    start : {"uninformed", "informed", "spectral"}
    start_overlap : float, optional
        Of the informed start.
    iterations : int >= 1
    damping : float in [0, 1)
    damping_steps : int >= 1, optional
        Damping ends after so many steps.
    """

    __pydantic_config__: ClassVar = FORBID_EXTRA
    mutants: ClassVar[tuple[str, ...]] = ("alpha-doubled", "alpha-halved")
    added: ClassVar[tuple[str, ...]] = ("damping", "damping_steps")

    protocol: Literal["amp"] = "amp"
    target: str
    alpha: float
    start: str = AMP["start"].default
    start_overlap: float | None = None
    iterations: int = 200
    damping: float = 0.0
    damping_steps: int | None = None

    def cell(self, size: int) -> Cell:
        """The simulation at dimension `size`."""
        return _OverlapCell(simulation=self.simulation(size))

    def predict(self, mutant: str | None = None) -> Prediction:
        """The fixed point of state evolution from the uninformed start; nothing where it does not apply."""
        from hermite_analytics.numeric import StateEvolution

        check_mutant(mutant, self.mutants)
        factor = {"alpha-doubled": 2.0, "alpha-halved": 0.5}.get(mutant or "", 1.0)
        solution = StateEvolution(self.target).solve(alpha=factor * self.alpha)
        values = np.sort(np.linalg.eigvalsh(np.atleast_2d(np.asarray(solution.overlap))))[::-1]
        error = float(np.max(array(solution.numerical_error)))
        numbers = {f"overlap{k + 1}": array(value) for k, value in enumerate(values)}
        numbers |= {"overlap": array(values.mean()), "test_error": array(solution.test_error).reshape(())}
        return Prediction(values=numbers, errors=dict.fromkeys(numbers, error))


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class SpectralExperiment(ProtocolExperiment):
    """Leading eigenvectors of the preprocessed labels; they see directions from alpha_c on.

    The theory of one direction is the limit of the overlap; ``detects`` is 1 if alpha is above the first
    threshold of `ha.weak_recovery`.

    Parameters
    ----------
    target : str
    alpha : float > 0
    """

    __pydantic_config__: ClassVar = FORBID_EXTRA
    mutants: ClassVar[tuple[str, ...]] = ("threshold-doubled",)

    protocol: Literal["spectral"] = "spectral"
    target: str
    alpha: float

    def cell(self, size: int) -> Cell:
        """The simulation at dimension `size`."""
        return _OverlapCell(simulation=self.simulation(size))

    def predict(self, mutant: str | None = None) -> Prediction:
        """The limit of the overlap, 0 below the threshold; for one direction."""
        check_mutant(mutant, self.mutants)
        threshold = ha.weak_recovery(self.target).alpha_c.value * (2.0 if mutant else 1.0)
        overlap = 0.0
        if self.alpha > threshold:
            single = ha.Target(self.target).dimension == 1
            overlap = _spectral_limit(self.target, self.alpha) if single else math.nan
        values = {"detects": array(float(self.alpha > threshold)), "overlap": array(overlap)}
        return Prediction(values=values | {"overlap1": array(overlap)}, errors={})


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class _OverlapCell:
    simulation: Cell

    def run(self, seed: int) -> dict[str, ArrayLike]:
        sample = self.simulation.run(seed)
        overlaps = np.sort(np.atleast_1d(np.asarray(sample["overlap"], dtype=float)))[::-1]
        numbers = {f"overlap{k + 1}": value for k, value in enumerate(overlaps)}
        return {**numbers, "overlap": overlaps.mean(), "test_error": sample["test_error"]}


def _spectral_limit(target: str, alpha: float) -> float:
    """The limit of the squared cosine, with expectations over labels as means over a grid of quantiles."""
    from hermite_analytics.label.channel import channel_of
    from hermite_analytics.numeric.bayes.amp.preprocessing import Preprocessing, predicted

    z = ndtri((np.arange(_QUANTILES) + 0.5) / _QUANTILES)
    labels = np.asarray(ha.Target(target).function()(z), dtype=float)
    found = Preprocessing.of(channel_of(target).at(labels), _QUANTILES, 1)
    return predicted(found.matrices[:, 0, 0], found.second[:, 0, 0], alpha).overlap
