"""The triangular factor of a Gaussian matrix: the size of new directions at finite dimension."""

from __future__ import annotations

import numpy as np
from scipy.special import gammainccinv, gammaincinv, ndtr

from hermite_analytics.foundation.numpy_arrays import Array

__all__ = ["bartlett_factor"]


def bartlett_factor(normals: Array, degrees: float) -> Array:
    """The upper triangular factor R of a (degrees x p) standard Gaussian matrix, from normals (p, p).

    Examples
    --------
    >>> bartlett_factor(np.zeros((2, 2)), 1000).round(1).tolist()
    [[31.6, 0.0], [0.0, 31.6]]
    """
    p = normals.shape[0]
    half = 0.5 * (degrees - np.arange(p))
    z = np.diagonal(normals)
    # the quantile of a chi-squared variable, from the tail in which it keeps its digits
    lower, upper = gammaincinv(half, ndtr(np.minimum(z, 0.0))), gammainccinv(half, ndtr(-np.maximum(z, 0.0)))
    return np.asarray(np.triu(normals, 1) + np.diag(np.sqrt(2.0 * np.where(z < 0.0, lower, upper))))
