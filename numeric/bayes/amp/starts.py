"""Where AMP starts: a little noise, a share of the teacher, or the spectral estimate."""

from __future__ import annotations

import math

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.label.moments import LabelMoments
from hermite_analytics.numeric.bayes.amp.data import Data
from hermite_analytics.numeric.bayes.amp.iteration import State
from hermite_analytics.numeric.bayes.amp.preprocessing import Preprocessing, predicted
from hermite_analytics.numeric.bayes.amp.spectral import leading_modes

__all__ = ["DEFAULT_OVERLAP", "STARTS", "informed", "spectral", "uninformed"]

STARTS = ("uninformed", "informed", "spectral")
DEFAULT_OVERLAP = {"informed": 0.3, "spectral": 0.1}

_TOLERANCE = 1e-3  # of the eigenvalues: a start need not be closer
_LEAST = 0.01


def uninformed(data: Data, overlap: float | None, normals: Array) -> State:
    """W^ of independent N(0, m0/d) entries and C = I: a random direction, of which nothing is known.

    By default m0 = 1/d: that is the squared cosine of a random direction, and a posterior mean has it for its
    squared norm. A longer W^ reaches norm 1 before its direction is right, far from the Nishimori identities.
    """
    return _state(data, math.sqrt((overlap or 1 / data.d) / data.d) * normals, 1.0)


def informed(data: Data, teacher: Array, overlap: float, normals: Array) -> State:
    """W^ = m0 W* + sqrt(m0 (1 - m0)/d) noise and C = (1 - m0) I: a posterior mean of overlap m0."""
    noise = math.sqrt(overlap * (1 - overlap) / data.d) * normals
    return _state(data, overlap * teacher + noise, 1.0 - overlap)


def spectral(data: Data, moments: LabelMoments, overlap: float | None, normals: Array) -> State:
    """The eigenvectors with random signs, and the memory that linearised AMP would have: T(y_i) x_i W^.

    The overlap of one direction is the one predicted for the spectral method, if it is not given.
    """
    q = normals.shape[1]
    preprocessing = Preprocessing.of(moments, data.n, q)
    modes = leading_modes(data, preprocessing.matrices, normals, tolerance=_TOLERANCE)
    share = overlap
    if share is None and q == 1:
        t, second = preprocessing.matrices[:, 0, 0], preprocessing.second[:, 0, 0]
        share = min(max(predicted(t, second, data.n / data.d).overlap, _LEAST), 1 - _LEAST)
    elif share is None:
        share = DEFAULT_OVERLAP["spectral"]
    weights = np.einsum("k,kdq->dq", np.sqrt(modes.weights), modes.matrices)
    weights *= math.sqrt(share * q) / np.linalg.norm(weights)
    estimate = data.host(data.of_samples(data.device(weights)))
    return State(
        weights=data.device(weights),
        covariance=(1 - share) * np.eye(q),
        memory=data.device(np.einsum("nij,nj->ni", preprocessing.matrices, estimate)),
    )


def _state(data: Data, weights: Array, variance: float) -> State:
    q = weights.shape[1]
    return State(
        weights=data.device(weights),
        covariance=variance * np.eye(q),
        memory=data.device(np.zeros((data.n, q))),
    )
