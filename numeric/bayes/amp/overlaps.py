"""Overlaps of estimated directions with a teacher's."""

from __future__ import annotations

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array

__all__ = ["principal_overlaps"]

_RANK = 1e-12  # relative eigenvalue of a direction that the estimate does not have


def principal_overlaps(estimate: Array, cross: Array, teacher: Array) -> Array:
    """Squared cosines of the principal angles between the spans of an estimate and of a teacher, descending.

    For one direction (w.w*)^2/(|w|^2 |w*|^2). In the limit of many dimensions they are the eigenvalues of the
    overlap matrix M of state evolution, whatever the rotation in which the directions are found.

    Parameters
    ----------
    estimate, cross, teacher : ndarray, shape (q, q)
        W^T W, W^T W* and W*^T W*.

    Returns
    -------
    ndarray, shape (q,)

    Examples
    --------
    >>> principal_overlaps(np.eye(2), np.array([[0.0, 0.6], [0.8, 0.0]]), np.eye(2)).round(12).tolist()
    [0.64, 0.36]
    """
    cosines = np.linalg.svd(_inverse_root(estimate) @ cross @ _inverse_root(teacher), compute_uv=False)
    return np.asarray(np.minimum(cosines, 1.0) ** 2)


def _inverse_root(gram: Array) -> Array:
    values, vectors = np.linalg.eigh(gram)
    present = values > _RANK * max(float(values[-1]), np.finfo(float).tiny)
    return np.asarray((vectors[:, present] / np.sqrt(values[present])) @ vectors[:, present].T)
