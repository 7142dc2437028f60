"""What is known of coordinates beside an observation of each: observations of sums of them.

With the signal-to-noise ratio Gamma = (I - M)^-1 - I = Lambda + sum_k a_k a_k^T, Lambda diagonal, M says as
much as an observation of each coordinate, omega_i ~ N(0, m_i) with m_i = Lambda_i/(1 + Lambda_i), and further
ones theta_k = a_k.z + n_k. Given omega, with V the diagonal of 1 - m_i and A^T V A that of tau_k^2,

    theta_k - a_k.omega = (1 + tau_k^2)^(1/2) xi_k =: t_k,    xi ~ N(0, I),

and the ratio of the densities of t given z and not is a transform in s_k = a_k.(z - omega):

    prod_k (1 + tau_k^2)^(1/2) exp(xi_k^2/2) E exp(i l_k (s_k - t_k)),    l ~ N(0, I).

Coordinates of equal parts enter the a_k alike.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Complex
from hermite_analytics.numeric.bayes.maps.gaussian_grid import normal_nodes

__all__ = ["MOST_SHARED", "SharedObservations", "shared_observations"]

MOST_SHARED = 2
_NODES = ((8, 12), (5, 6))  # of xi, by number and level
_MORE = ((14, 18), (8, 10))
_STEP, _REACH = (0.75, 0.6), 6.2  # of xi, in its scale, by level
_ALIASED = (44.0, 36.0)
_FREQUENCY = (6.5, 6.0)  # exp(-l^2/2) is nothing there
_NOTHING = 1e-14
_BELOW = 1e-9  # relative, by which Lambda may miss


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedObservations:
    """Of g kinds of coordinates, r_g of each.

    Attributes
    ----------
    own : ndarray, shape (g,)
        m_i.
    slopes : ndarray, shape (p, g)
        d E[z_i | theta, omega]/d xi_k.
    frequencies : ndarray, shape (l, g)
        Those of (z_i - omega_i)/(1 - m_i)^(1/2).
    xi, weights : ndarrays, shapes (t, p) and (t,)
    contraction : ndarray, shape (l, t)
        From l to xi.
    """

    own: Array
    slopes: Array
    frequencies: Array
    xi: Array
    weights: Array
    contraction: Complex


def shared_observations(
    ratio: Array, across: Array, counts: Sequence[int], *, level: int = 1, finer: bool = False
) -> SharedObservations | None:
    """None where there is no such form, with at most two of the a_k.

    Parameters
    ----------
    ratio : ndarray, shape (g, g)
        Gamma between the unit vectors along the sums of the coordinates of a kind.
    across : ndarray, shape (g,)
        Its value across them: NaN where a kind has one coordinate.
    counts : sequence of int
        r_g.
    finer : bool
        With more nodes of xi, and as many as a strong observation asks for.

    Examples
    --------
    >>> gamma = np.array([[1.0, 0.3], [0.3, 0.5]])
    >>> found = shared_observations(gamma, np.full(2, np.nan), (1, 1))
    >>> total = np.diag(found.own) + found.slopes.T @ found.slopes  # M
    >>> np.allclose(np.linalg.inv(np.eye(2) - total) - np.eye(2), gamma)
    True
    """
    found = _own(ratio, across)
    if found is None:
        return None
    left = ratio - np.diag(found)
    v = 1 / (1 + found)
    values, vectors = np.linalg.eigh(np.sqrt(v)[:, None] * left * np.sqrt(v))
    kept = values > _NOTHING
    squares, vectors = values[kept], vectors[:, kept]
    if len(squares) > MOST_SHARED:
        return None
    per = np.sqrt(np.array(counts, dtype=np.float64))
    frequencies, xi, weights, contraction = _transforms(squares, level, finer)
    tau = np.sqrt(squares)
    return SharedObservations(
        own=1 - v,
        slopes=(np.sqrt(v)[:, None] * vectors * (tau / np.sqrt(1 + squares)) / per[:, None]).T,
        frequencies=frequencies @ (vectors * tau / per[:, None]).T,
        xi=xi,
        weights=weights,
        contraction=contraction,
    )


def _own(ratio: Array, across: Array) -> Array | None:
    """Lambda: given where kinds have several coordinates, else as large as it may be."""
    free = np.isnan(across)
    scale = float(np.abs(ratio).max(initial=_NOTHING))
    if free.all() and len(ratio) == 3:
        alone = _one_factor(ratio)
        if alone is not None:
            return alone
    found = np.where(free, 0.0, across)
    rest = ratio - np.diag(found)
    fixed = ~free
    if fixed.any():
        block = rest[np.ix_(fixed, fixed)]
        if np.linalg.eigvalsh(block)[0] < -_BELOW * scale:
            return None
        beside = rest[np.ix_(free, fixed)]
        rest = rest[np.ix_(free, free)] - beside @ np.linalg.pinv(block, rcond=1e-10) @ beside.T
    if free.any():
        size = np.sqrt(np.maximum(np.diag(ratio)[free], 1e-300))
        share = float(np.linalg.eigvalsh(rest / size[:, None] / size)[0])
        if share < -_BELOW:
            return None
        found[free] = max(share, 0.0) * size**2
    return found


def _one_factor(ratio: Array) -> Array | None:
    """Of three coordinates: Gamma - a a^T, diagonal, where it is not negative."""
    x, y, z = ratio[0, 1], ratio[0, 2], ratio[1, 2]
    if x * y * z <= 0:
        return None
    found = np.diag(ratio) - np.array([x * y / z, x * z / y, y * z / x])
    return found if found.min() >= 0 else None


def _transforms(squares: Array, level: int, finer: bool) -> tuple[Array, Array, Array, Complex]:
    """(l, xi, weights, matrix from l to xi): products over the observations."""
    columns = [_one_transform(float(t), len(squares), level, finer) for t in squares]
    if not columns:
        return np.zeros((1, 0)), np.zeros((1, 0)), np.ones(1), np.ones((1, 1), dtype=np.complex128)
    matrix = columns[0][3]
    for other in columns[1:]:
        matrix = np.asarray(np.kron(matrix, other[3]), dtype=np.complex128)
    ells = np.array(list(itertools.product(*(c[0] for c in columns))))
    xi = np.array(list(itertools.product(*(c[1] for c in columns))))
    weights = np.prod(np.array(list(itertools.product(*(c[2] for c in columns)))), axis=1)
    return ells, xi, weights, matrix


def _one_transform(
    square: float, number: int, level: int, finer: bool
) -> tuple[Array, Array, Array, Complex]:
    if finer and number == 1 and square > 1:  # what is averaged changes on the scale 1/tau
        xi, weights = normal_nodes(_STEP[level] / math.sqrt(square), _REACH)
    else:
        xi, weights = np.polynomial.hermite_e.hermegauss((_MORE if finer else _NODES)[number - 1][level])
    farthest, deviation = float(np.abs(xi).max()), math.sqrt(1 + square)
    # images of the trapezoidal rule in l are D apart: D (D - 2 t) > (1 + tau^2) 60
    period = (farthest + math.sqrt(farthest**2 + _ALIASED[number - 1])) * deviation
    step = 2 * math.pi / period
    half = math.ceil(_FREQUENCY[number - 1] / step)
    ells = np.asarray(step * np.arange(-half, half + 1), dtype=np.float64)
    density = step / math.sqrt(2 * math.pi) * np.exp(-0.5 * ells**2)
    phases = np.exp(0.5 * xi * xi - 1j * deviation * np.outer(ells, xi))
    return ells, xi, weights / weights.sum(), np.asarray(deviation * phases * density[:, None])
