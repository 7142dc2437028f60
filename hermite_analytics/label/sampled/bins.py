"""An estimate of a threshold for any label, by sampling: the last resort for three and more coordinates.

Independent samples are sorted by their label and cut into bins of m neighbours. With g_1, ..., g_m the
matrices w w^T - I of a bin, the mean of g_i (x) g_j over i != j estimates G (x) G without the bias of the
mean within the bin. Low-discrepancy points would not do: neighbours avoid each other, and the estimate
comes out too low.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import InputError
from hermite_analytics.label.operator import operator_matrix, symmetric_basis
from hermite_analytics.label.quadrature import LabelQuadrature

__all__ = ["SampledThreshold", "sampled_threshold"]

Array = NDArray[np.float64]
Function = Callable[[Array], Array]

_REPLICATES = 8
_BIN = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledThreshold:
    """An estimate of 1/alpha_c, never the ground of a discrete claim.

    Parameters
    ----------
    eigenvalue : float
        Mean over replicates of <M, E[G M G]>, with the leading eigen-matrix M of the other replicates.
    standard_error : float
        Of this mean, and of what bins of finite width lose.
    """

    eigenvalue: float
    standard_error: float

    @property
    def alpha_c(self) -> float:
        """1/eigenvalue; inf if the estimate is not positive."""
        return 1 / self.eigenvalue if self.eigenvalue > 0 else math.inf


def sampled_threshold(
    value: Function,
    dimension: int,
    *,
    noise: float = 0.0,
    hidden: int = 0,
    basis: Array | None = None,
    samples: int = 2**16,
    seed: int = 0,
) -> SampledThreshold:
    """Estimate the largest eigenvalue of M -> E[G M G], G = E[w w^T - I | y], y = g(w) + noise * xi.

    Parameters
    ----------
    value : function of an array (n, dimension + hidden)
        g.
    dimension : int >= 1
    noise : float >= 0
    hidden : int
        How many coordinates, the last ones, are noise inside the label.
    basis : ndarray, shape (k, dimension, dimension), optional
        Orthonormal symmetric matrices whose span contains the leading eigen-matrix, such as those that the
        symmetries of g fix: fewer directions, less noise.
    samples : int
        Of each of eight replicates, a multiple of 16.
    seed : int

    Returns
    -------
    SampledThreshold

    Raises
    ------
    InputError
        If `samples` is not a multiple of 16 of at least 1024.

    Examples
    --------
    >>> import numpy as np
    >>> found = sampled_threshold(lambda w: w[:, 0] ** 2 + w[:, 1] ** 2, 2, samples=2**13)  # alpha_c = 1
    >>> abs(found.alpha_c - 1) < 0.1
    True
    """
    if samples < 1024 or samples % (2 * _BIN):
        raise InputError(f"samples is {samples}; a multiple of {2 * _BIN} of at least 1024 is accepted")
    base = symmetric_basis(dimension)
    project = None if basis is None else np.einsum("kij,aij->ka", basis, base)
    streams = np.random.SeedSequence(seed).spawn(_REPLICATES)
    found = []
    for stream in streams:
        pair = _operators(value, dimension, noise, hidden, samples, np.random.default_rng(stream))
        found.append(pair if project is None else project @ pair @ project.T)
    narrow, wide = (_values(np.array(found)[:, k]) for k in (0, 1))
    # bins of twice the width lose more of the variation of G: the difference bounds what these have lost
    loss = abs(float(np.mean(narrow - wide)))
    error = float(narrow.std(ddof=1)) / math.sqrt(_REPLICATES)
    return SampledThreshold(eigenvalue=float(narrow.mean()), standard_error=math.hypot(error, loss))


def _values(operators: Array) -> Array:
    """The largest eigenvalue, from each replicate."""
    # the direction from the other replicates, its value from this one: the largest of noisy numbers is biased
    total = np.sum(operators, axis=0)
    directions = [np.linalg.eigh(total - one)[1][:, -1] for one in operators]
    return np.array([v @ one @ v for v, one in zip(directions, operators, strict=True)])


def _operators(
    value: Function, dimension: int, noise: float, hidden: int, samples: int, rng: np.random.Generator
) -> Array:
    """One replicate of the operator, from bins of m and of 2 m neighbours, without the bias of means."""
    w = rng.standard_normal((samples, dimension + hidden))
    y = value(w) + (noise * rng.standard_normal(samples) if noise > 0 else 0.0)
    w = w[:, :dimension]
    # labels that are equal are put in random order
    order = np.lexsort((rng.random(samples), y))
    g = (w[:, :, None] * w[:, None, :] - np.eye(dimension))[order]
    single = _uniform(g)
    pair = []
    for m in (_BIN, 2 * _BIN):
        means = g.reshape(-1, m, dimension, dimension).mean(1)
        pair.append((m * _uniform(means) - single) / (m - 1))
    return np.array(pair)


def _uniform(g: Array) -> Array:
    """The operator of equally probable matrices."""
    n, q = g.shape[:2]
    return operator_matrix(LabelQuadrature(weights=np.full(n, 1 / n), first=np.zeros((n, q)), second=g))
