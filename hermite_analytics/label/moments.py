"""What a case hands on for the labels of a data set: moments of z at any omega and V.

AMP, the spectral method and sampled overlap maps ask for them: log Z, g_out and its slope for each sample, at
its own omega and a common V.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Bools

__all__ = ["EstimatedMoments", "LabelCase", "LabelEstimates", "LabelMoments", "Moments", "from_whitened"]


class Moments(NamedTuple):
    """Of n samples and q coordinates, with z ~ N(omega, V) before the label is seen.

    Attributes
    ----------
    log_z : ndarray, shape (n,)
        log of the density or probability of the label; -inf where omega and V rule it out: the other two
        are 0 there.
    g : ndarray, shape (n, q)
        grad_omega log Z = V^-1 (E[z | y] - omega).
    minus_dg : ndarray, shape (n, q, q)
        -d g/d omega = V^-1 - V^-1 Cov(z | y) V^-1.
    """

    log_z: Array
    g: Array
    minus_dg: Array


class LabelMoments(Protocol):
    """The labels of a data set, prepared once: what does not depend on omega and V is found only once."""

    def __call__(self, omega: Array, variance: Array) -> Moments:
        """Moments at omega, shape (n, q), and V, shape (q, q), positive definite."""


class EstimatedMoments(NamedTuple):
    """Moments with an error that is seen.

    Attributes
    ----------
    moments : Moments
    error : ndarray, shape (n, q)
        Of g: a draw of it, or what a coarser rule changes.
    drawn : ndarray of bool, shape (n,)
        By points that are drawn.
    """

    moments: Moments
    error: Array
    drawn: Bools


@runtime_checkable
class LabelEstimates(Protocol):
    """Labels of a data set whose moments have such errors."""

    def with_error(self, omega: Array, variance: Array) -> EstimatedMoments:
        """Moments as `LabelMoments` has them, each with its error."""


class LabelCase(Protocol):
    """The law of a label of some shape: what state evolution and message passing start from."""

    @property
    def dimension(self) -> int:
        """Number of coordinates that are tracked; label noise is none."""

    def at(self, labels: Array, /) -> LabelMoments:
        """The labels of a data set, shape (n,); a label that is not taken is refused, or has Z = 0."""


def from_whitened(log_z: Array, mean: Array, second: Array, factor: Array) -> Moments:
    """Moments from averages of u = L^-1 (z - omega), V = L L^T, without an inverse of V.

    Parameters
    ----------
    log_z : ndarray, shape (n,)
        -inf for labels that omega and V rule out: the rest is 0 there.
    mean : ndarray, shape (n, q)
        g_out = L^-T E[u | y].
    second : ndarray, shape (n, q, q)
        E[u u^T | y]: -d g_out = L^-T (I - Cov(u | y)) L^-1.
    factor : ndarray, shape (q, q)
        L.

    Examples
    --------
    >>> one = np.ones((1, 1))
    >>> from_whitened(np.zeros(1), 0.5 * one, 0.75 * one[None], 0.5 * one)[1:]
    (array([[1.]]), array([[[2.]]]))
    """
    inverse = np.linalg.inv(factor)
    possible = np.isfinite(log_z)
    slope = inverse.T @ (np.eye(len(factor)) - second + mean[:, :, None] * mean[:, None, :]) @ inverse
    return Moments(
        log_z=log_z,
        g=np.where(possible[:, None], mean @ inverse, 0.0),
        minus_dg=np.where(possible[:, None, None], slope, 0.0),
    )
