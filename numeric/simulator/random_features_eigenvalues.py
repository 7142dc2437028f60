"""Eigenvalues of the features of a spiked first layer, on data; not a protocol of `simulate`."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy.linalg

from hermite_analytics.numeric.simulator.functions import ActivationLike, function_of
from hermite_analytics.numeric.simulator.protocol import Sample
from hermite_analytics.numeric.simulator.streams import GaussianStream, Purpose, unit_rows

__all__ = ["FeatureEigenvalues"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureEigenvalues:
    """Eigenvalues of Phi^T Phi/p, Phi = sigma(X W^T) uncentred, W = sqrt(c) W0 + r 1 v^T.

    Parameters
    ----------
    activation : Activation
    d, p, n : int >= 1
    r, c : float
        Spike, and squared norm of the rows of the bulk.
    z : float
        Where the transform is taken, outside the spectrum.

    References
    ----------
    docs/giant_step.md, "Spectrum of the features"; arXiv 2402.04980, appendix F.
    """

    activation: ActivationLike
    d: int
    p: int
    n: int
    r: float
    c: float
    z: float

    def run(self, seed: int) -> Sample:
        """stieltjes = (1/p) tr (Phi^T Phi/p - z)^(-1), and outlier, the largest eigenvalue over n."""
        sphere = unit_rows(GaussianStream(seed=seed, purpose=Purpose.WEIGHTS), self.p, self.d)
        spike = unit_rows(GaussianStream(seed=seed, purpose=Purpose.SPIKE), 1, self.d)[0]
        x = GaussianStream(seed=seed, purpose=Purpose.READOUT_DATA).normals(self.n, self.d)
        weights = math.sqrt(self.c) * sphere + self.r * spike[None, :]
        features = np.asarray(function_of(self.activation)(x @ weights.T))
        values = scipy.linalg.eigvalsh(features.T @ features / self.p, check_finite=False)
        return {"stieltjes": np.mean(1 / (values - self.z)), "outlier": values[-1] / self.n}
