"""From averages of u = L^-1 (w - omega), V = L L^T, to the moments that message passing asks for."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["away_from_lines", "from_whitened"]

Array = NDArray[np.float64]


def from_whitened(log_z: Array, mean: Array, second: Array, factor: Array) -> tuple[Array, Array, Array]:
    """(log Z, g_out, -d g_out/d omega) with g_out = L^-T E[u | y], -d g_out = L^-T (I - Cov(u | y)) L^-1.

    Parameters
    ----------
    log_z : ndarray, shape (n,)
        -inf for labels that omega and V rule out: the rest is 0 there.
    mean : ndarray, shape (n, r)
    second : ndarray, shape (n, r, r)
        E[u u^T | y].
    factor : ndarray, shape (r, r)
        L.

    Examples
    --------
    >>> one = np.ones((1, 1))
    >>> from_whitened(np.zeros(1), 0.5 * one, 0.75 * one[None], 0.5 * one)[1:]
    (array([[1.]]), array([[[2.]]]))
    """
    inverse = np.linalg.inv(factor)
    taken = np.isfinite(log_z)
    left = np.eye(len(factor)) - second + mean[:, :, None] * mean[:, None, :]
    minus_dg = inverse.T @ left @ inverse
    return (
        log_z,
        np.where(taken[:, None], mean @ inverse, 0.0),
        np.where(taken[:, None, None], minus_dg, 0.0),
    )


def away_from_lines(forms: Array) -> Array:
    """A rotation Q that keeps all lines forms . u = c away from the second axis, u = Q u'."""
    angles = np.sort(np.arctan2(forms[:, 1], forms[:, 0]) % math.pi) if len(forms) else np.zeros(1)
    gaps = np.diff(angles, append=angles[0] + math.pi)
    k = int(np.argmax(gaps))
    # normals at the middle of the widest gap would be those of lines along the second axis
    middle = angles[k] + gaps[k] / 2
    c, s = math.cos(middle), math.sin(middle)
    return np.array([[c, -s], [s, c]])
