"""An estimate of a threshold for any label, by sampling: the last resort for three and more coordinates.

Independent samples are sorted by their label and cut into bins of m neighbours. With g_1, ..., g_m the
matrices w w^T - I of a bin, the mean of g_i (x) g_j over i != j estimates G (x) G without the bias of the
mean within the bin. Low-discrepancy points would not do: neighbours avoid each other, and the estimate
comes out too low. Of known coordinates each replicate has values of its own, one in each of equally probable
strata, and sorts the samples of each value by themselves.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from hermite_analytics.errors import InputError
from hermite_analytics.label.operator import operator_matrix, symmetric_basis
from hermite_analytics.label.quadrature import LabelQuadrature

__all__ = ["SampledThreshold", "sampled_slots", "sampled_threshold"]

Array = NDArray[np.float64]
Function = Callable[[Array], Array]

_REPLICATES = 8
_BIN = 8
_VALUES = 64  # of the known coordinates


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
    known: int = 0,
    basis: Array | None = None,
    samples: int = 2**16,
    seed: int = 0,
) -> SampledThreshold:
    """Estimate the largest eigenvalue of M -> E[G M G], G = E[w w^T - I | y, x], y = g(w, x) + noise * xi.

    Parameters
    ----------
    value : function of an array (n, dimension + hidden + known)
        g.
    dimension : int >= 1
    noise : float >= 0
    hidden : int
        How many coordinates, those after w, are noise inside the label.
    known : int
        How many coordinates, the last ones, are x.
    basis : ndarray, shape (k, dimension, dimension), optional
        Orthonormal symmetric matrices whose span contains the leading eigen-matrix, such as those that the
        symmetries of g fix: fewer directions, less noise.
    samples : int
        Of each of eight replicates, a multiple of 16, with known coordinates of 1024.
    seed : int

    Returns
    -------
    SampledThreshold

    Raises
    ------
    InputError
        If `samples` is not such a multiple, or less than 1024.

    Examples
    --------
    >>> import numpy as np
    >>> found = sampled_threshold(lambda w: w[:, 0] ** 2 + w[:, 1] ** 2, 2, samples=2**13)  # alpha_c = 1
    >>> abs(found.alpha_c - 1) < 0.1
    True
    """
    unit = 2 * _BIN * (_VALUES if known else 1)
    if samples < 1024 or samples % unit:
        raise InputError(f"samples is {samples}; a multiple of {unit} of at least 1024 is accepted")
    base = symmetric_basis(dimension)
    project = None if basis is None else np.einsum("kij,aij->ka", basis, base)
    streams = np.random.SeedSequence(seed).spawn(_REPLICATES)
    found = []
    for stream in streams:
        rng = np.random.default_rng(stream)
        w, y = _samples(value, (dimension + hidden, known), noise, samples, rng)
        pair = _operators(w[:, :dimension], y, rng)
        found.append(pair if project is None else project @ pair @ project.T)
    narrow, wide = (_values(np.array(found)[:, k]) for k in (0, 1))
    # bins of twice the width lose more of the variation of G: the difference bounds what these have lost
    loss = abs(float(np.mean(narrow - wide)))
    error = float(narrow.std(ddof=1)) / math.sqrt(_REPLICATES)
    return SampledThreshold(eigenvalue=float(narrow.mean()), standard_error=math.hypot(error, loss))


def sampled_slots(
    value: Function,
    dimension: int,
    *,
    order: int,
    hidden: int = 0,
    known: int = 0,
    samples: int = 2**16,
    seed: int = 0,
) -> tuple[Array, Array]:
    """(eigenvalues of E[zeta zeta^T] in increasing order, their standard errors), of shape (dimension,) each.

    zeta = E[w | y, x] for order 1, G = E[w w^T - I | y, x] for order 2; y = g(w, x). Where one of them is 0
    its estimate is a number near 0 of either sign.

    Examples
    --------
    >>> import numpy as np
    >>> values, errors = sampled_slots(lambda w: w[:, 0], 2, order=1, samples=2**13)  # 0 and 1
    >>> bool(np.all(np.abs(values - [0, 1]) < 6 * errors + 1e-3))
    True
    """
    found = []
    for stream in np.random.SeedSequence(seed).spawn(_REPLICATES):
        rng = np.random.default_rng(stream)
        w, y = _samples(value, (dimension + hidden, known), 0.0, samples, rng)
        features = _features(w[:, :dimension], order)[_sorted(y, rng)]
        means = features.reshape(-1, _BIN, *features.shape[1:]).mean(1)
        both, single = (np.einsum("nik,njk->ij", f, f) / len(f) for f in (means, features))
        found.append((_BIN * both - single) / (_BIN - 1))
    values = np.array([_values(np.array(found), place) for place in range(dimension)])
    return values.mean(1), values.std(1, ddof=1) / math.sqrt(_REPLICATES)


def _features(w: Array, order: int) -> Array:
    """He_order(w), its first slot apart, shape (n, q, .)."""
    return w[:, :, None] if order == 1 else w[:, :, None] * w[:, None, :] - np.eye(w.shape[1])


def _values(operators: Array, place: int = -1) -> Array:
    """The largest eigenvalue, or the one of another place in increasing order, from each replicate."""
    # the direction from the other replicates, its value from this one: the largest of noisy numbers is biased
    total = np.sum(operators, axis=0)
    directions = [np.linalg.eigh(total - one)[1][:, place] for one in operators]
    return np.array([v @ one @ v for v, one in zip(directions, operators, strict=True)])


def _samples(
    value: Function, counts: tuple[int, int], noise: float, samples: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    """(w and hidden coordinates, shape (n, .); labels, shape (values of x, n / values))."""
    unknown, known = counts
    w = rng.standard_normal((samples, unknown))
    rows = _VALUES if known else 1
    x = np.repeat(_stratified(rows, known, rng), samples // rows, axis=0)
    y = value(np.hstack([w, x])) + (noise * rng.standard_normal(samples) if noise > 0 else 0.0)
    return w, np.reshape(y, (rows, -1))


def _stratified(count: int, dimension: int, rng: np.random.Generator) -> Array:
    """Points of N(0, I), each coordinate in every stratum of probability 1/count once, shape (count, .)."""
    places = rng.permuted(np.tile(np.arange(count), (dimension, 1)), axis=1).T
    return np.asarray(ndtri((places + rng.random((count, dimension))) / count))


def _operators(w: Array, y: Array, rng: np.random.Generator) -> Array:
    """One replicate of the operator, from bins of m and of 2 m neighbours, without the bias of means."""
    q = w.shape[1]
    g = _features(w, 2)[_sorted(y, rng)]
    single = _uniform(g)
    pair = []
    for m in (_BIN, 2 * _BIN):
        means = g.reshape(-1, m, q, q).mean(1)
        pair.append((m * _uniform(means) - single) / (m - 1))
    return np.array(pair)


def _sorted(y: Array, rng: np.random.Generator) -> NDArray[np.intp]:
    """The places of the labels in increasing order, for each value of x; equal ones in random order."""
    rows = np.repeat(np.arange(len(y)), y.shape[1])
    return np.lexsort((rng.random(y.size), y.ravel(), rows))


def _uniform(g: Array) -> Array:
    """The operator of equally probable matrices."""
    n, q = g.shape[:2]
    return operator_matrix(LabelQuadrature(weights=np.full(n, 1 / n), first=np.zeros((n, q)), second=g))
