"""The preprocessing of labels that is best for the spectral method, and what it can reach."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.foundation.roots import root_between
from hermite_analytics.label.moments import LabelMoments

__all__ = ["Preprocessing", "SpectralPrediction", "predicted"]

_LOWEST = -50.0  # eigenvalue of T: labels near a place where z is known would dominate the bulk
_FAR = 1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class Preprocessing:
    """T(y) = I - E[z z^T | y]^-1, from linearised AMP; eigenvalues below -50 are raised to it.

    Source: arXiv:1708.05932 and 1811.04420 for one direction; for several the operator
    sum_i x_i x_i^T (x) T(y_i) of AMP linearised at W = 0, where g_out ~ (E[z z^T | y] - I) omega
    (arXiv:2012.04524).

    Attributes
    ----------
    matrices : ndarray, shape (n, q, q)
        T(y_i).
    second : ndarray, shape (n, q, q)
        E[z z^T | y_i].
    """

    matrices: Array
    second: Array

    @classmethod
    def of(cls, moments: LabelMoments, n: int, q: int) -> Preprocessing:
        """From the labels alone: omega = 0 and V = I."""
        found = moments(np.zeros((n, q)), np.eye(q))
        unit = np.eye(q)
        second = unit - found.minus_dg + found.g[:, :, None] * found.g[:, None, :]
        values, vectors = np.linalg.eigh(0.5 * (second + second.transpose(0, 2, 1)))
        inner = np.maximum(1.0 - 1.0 / np.maximum(values, 1e-300), _LOWEST)
        matrices = np.einsum("nij,nj,nkj->nik", vectors, inner, vectors)
        return cls(matrices=matrices, second=second)

    @property
    def threshold(self) -> float:
        """1/(top eigenvalue of M -> E[G M G]), G = E[z z^T | y] - I, over the labels given; inf if G = 0.

        Estimated: its relative error is of order 1/sqrt n.
        """
        q = self.second.shape[1]
        g = self.second - np.eye(q)
        operator = np.einsum("nij,nkl->ikjl", g, g).reshape(q * q, q * q) / len(g)
        top = float(np.linalg.eigvalsh(0.5 * (operator + operator.T))[-1])
        return 1 / top if top > 1e-18 else math.inf


@dataclass(frozen=True, slots=True, kw_only=True)
class SpectralPrediction:
    """Of one direction in the limit of many dimensions; the expectations are means over the labels given.

    Attributes
    ----------
    overlap : float
        Squared cosine of the top eigenvector; 0 if it does not leave the bulk.
    eigenvalue, edge : float
        The top eigenvalue of (1/d) sum_i T(y_i) x_i x_i^T, and the edge of its bulk.
    """

    overlap: float
    eigenvalue: float
    edge: float


def predicted(t: Array, second: Array, alpha: float) -> SpectralPrediction:
    """Outlier and overlap of one direction.

    Source: arXiv:1702.06435 Theorem 1: with psi(l) = l (1/alpha + E[t/(l - t)]), phi(l) = l E[t z^2/(l - t)],
    an outlier stands at psi(l*) where phi(l*) = psi(l*) and psi'(l*) > 0; its squared cosine is
    psi'/(psi' - phi') there.

    Parameters
    ----------
    t, second : ndarray, shape (n,)
        T(y_i) and E[z^2 | y_i].
    alpha : float > 0

    Examples
    --------
    >>> y = np.random.default_rng(0).standard_normal(4000) ** 2  # of z1**2: T = 1 - 1/y
    >>> found = predicted(np.maximum(1 - 1 / y, -50), y, 0.75)
    >>> 0.05 < found.overlap < 0.25
    True
    """
    top = float(t.max())
    scale = max(abs(top), 1e-12)

    def psi(level: float) -> float:
        return level * (1 / alpha + float(np.mean(t / (level - t))))

    def phi(level: float) -> float:
        return level * float(np.mean(t * second / (level - t)))

    def at(logarithm: float) -> float:
        return top + scale * math.exp(logarithm)

    lowest = minimize_scalar(lambda s: psi(at(s)), bounds=(-14.0, 14.0), method="bounded")
    start = at(float(lowest.x))
    edge = alpha * psi(start)
    if phi(start) <= psi(start):
        return SpectralPrediction(overlap=0.0, eigenvalue=edge, edge=edge)
    end = start
    while phi(end) > psi(end) and end < _FAR * scale:
        end = top + 2 * (end - top)
    level, _ = root_between(lambda x: phi(x) - psi(x), start, end)
    slope = 1 / alpha - float(np.mean(t * t / (level - t) ** 2))
    fall = -float(np.mean(t * t * second / (level - t) ** 2))
    return SpectralPrediction(overlap=slope / (slope - fall), eigenvalue=alpha * psi(level), edge=edge)
