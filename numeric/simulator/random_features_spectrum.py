"""Random features of a kernel whose eigenvalues fall like a power: the setting of `DeterministicEquivalent`.

It is not a protocol of `simulate`: n and p, not a dimension, are its sizes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hermite_analytics.numeric.simulator.backend import resolve_backend, solve_positive
from hermite_analytics.numeric.simulator.protocol import Sample
from hermite_analytics.numeric.simulator.streams import GaussianStream, Purpose

__all__ = ["SpectrumFeatures"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpectrumFeatures:
    """Ridge regression on phi(x, w) = sum_k xi_k psi_k(x) phi_k(w), with Gaussian psi and phi.

    xi_k^2 = k^-eigenvalue_power and the squared coefficients of the target are k^-coefficient_power, for
    k <= levels; a minimises sum_i (y_i - a.phi_i/sqrt p)^2 + ridge |a|^2, or without features (None) the
    kernel's own ridge regression is done.

    Parameters
    ----------
    eigenvalue_power, coefficient_power : float
    levels, samples : int >= 1
    features : int >= 1 or None
    ridge : float > 0
    noise : float >= 0

    References
    ----------
    docs/deterministic_equivalents.md; Defilippis, Loureiro, Misiakiewicz, arXiv 2405.15699.
    """

    eigenvalue_power: float
    coefficient_power: float
    levels: int
    samples: int
    features: int | None
    ridge: float
    noise: float

    def run(self, seed: int) -> Sample:
        """test_error (noise excluded; exact given the readout) and train_error of one draw."""
        k = np.arange(1, self.levels + 1.0)
        root = k ** (-self.eigenvalue_power / 2)
        inputs = GaussianStream(seed=seed, purpose=Purpose.READOUT_DATA).normals(self.samples, self.levels)
        errors = GaussianStream(seed=seed, purpose=Purpose.READOUT_NOISE).normals(1, self.samples)[0]
        signs = np.sign(GaussianStream(seed=seed, purpose=Purpose.TEACHER).normals(1, self.levels)[0])
        beta = signs * k ** (-self.coefficient_power / 2)
        y = inputs @ beta + math.sqrt(self.noise) * errors
        scaled = inputs * root
        if self.features is not None:
            weights = GaussianStream(seed=seed, purpose=Purpose.WEIGHTS).normals(self.features, self.levels)
            mixing = (weights * root).T / math.sqrt(self.features)  # of levels into features
            design = inputs @ mixing
        else:
            mixing, design = np.diag(root), scaled
        xp = resolve_backend("cpu").xp
        gram = design @ design.T + self.ridge * np.eye(self.samples)
        multipliers = solve_positive(xp, gram, y)
        guess = mixing @ (design.T @ multipliers)  # coefficients on the psi_k
        return {
            "test_error": np.asarray(np.sum((beta - guess) ** 2)),
            "train_error": np.asarray(self.ridge**2 * float(multipliers @ multipliers) / self.samples),
        }
