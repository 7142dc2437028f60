"""F of a label without noise beside complete overlap: what its tangent planes say.

For V = I - M -> 0 a label y = g(z) is one linear equation n.(z - omega) = const for z ~ N(omega, V), n the
gradient at z. So

    F -> E[n n^T / (n^T V n)],

which is homogeneous of degree -1 in V, with Tr(V F) -> P(n != 0).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.bayes.maps.unresolved import UnresolvedOverlap

__all__ = ["BesideComplete", "Tangents", "determined_share", "tangent_sum", "unresolved"]

_ALONG = 1e-12  # square of the part of a unit vector that is none
_WIDEST = 0.98  # eigenvalue of I - M at which F is interpolated
_TOGETHER = 16_384  # normals whose numbers stay in the processor's cache
_MOST_POWERS = 200
_SETTLED = 1e-7  # change of the growth, of it
_BEHIND = 1e-4  # eigenvalue: of directions that fall behind
_LEAST_POWER = 1e-8  # eigenvalue that is kept of them
_CLOSEST_NODES = 1.25  # ratio of the distances from 1 of the nodes, at least


def tangent_sum(normals: Array, masses: Array, variance: Array) -> Array:
    """E[n n^T / (n^T V n)], shape (q, q).

    Parameters
    ----------
    normals : ndarray, shape (k, q)
        Gradients of any length; 0 where the label is constant.
    masses : ndarray, shape (k,)
    variance : ndarray, shape (q, q)
        V > 0.

    Examples
    --------
    >>> tangent_sum(np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([0.5, 0.5]), np.diag([0.1, 0.2])).tolist()
    [[5.0, 0.0], [0.0, 2.5]]
    """
    total = np.zeros_like(variance)
    for start in range(0, len(normals), _TOGETHER):
        some, p = normals[start : start + _TOGETHER], masses[start : start + _TOGETHER]
        known = np.einsum("ki,ki->k", some @ variance, some)
        weights = np.divide(p, known, out=np.zeros_like(p), where=known > 0)
        total += (some * weights[:, None]).T @ some
    return total


def determined_share(normals: Array, masses: Array, directions: Array) -> float:
    """lim (1 - m) F at m -> 1 in some directions, the others being unknown, where it is largest among them.

    Labels that depend on other directions beside say nothing there: their equation is satisfied by these.

    Parameters
    ----------
    directions : ndarray, shape (q, k)
        Orthonormal columns.

    Examples
    --------
    >>> normals, masses = np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([0.25, 0.75])
    >>> determined_share(normals, masses, np.array([[1.0], [0.0]]))
    0.25
    """
    within = normals @ directions
    squares = (normals**2).sum(1)
    along = squares - (within**2).sum(1) <= _ALONG * squares
    return float(
        np.linalg.eigvalsh(tangent_sum(within[along], masses[along], np.eye(directions.shape[1])))[-1]
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Tangents:
    """The tangent planes of the labels at points of them.

    Attributes
    ----------
    normals, masses : ndarray, shape (k, q) and (k,)
        See `tangent_sum`.
    turned : ndarray or None
        A symmetry under which the points are half of all, with twice their masses.
    """

    normals: Array
    masses: Array
    turned: Array | None = None

    def limit(self, variance: Array) -> Array:
        """lim x F(I - x V) at x -> 0."""
        found = tangent_sum(self.normals, self.masses, variance)
        if self.turned is None:
            return found
        s = self.turned
        image = tangent_sum(self.normals, self.masses, s.T @ variance @ s)
        return np.asarray(0.5 * (found + s @ image @ s.T))

    def exact_share(self) -> float:
        """1 / (the alpha above which M = I is stable); 0 where some direction has no equation.

        I - M -> (alpha lim F)^-1 is increasing and homogeneous beside 0: its powers grow by one number, which
        is 1 there. It is the number of unknowns for each equation, in those directions that have fewest: of
        all directions where none falls behind, as Tr(V lim F) = P(n != 0) for the V that only grows.
        """
        variance, growth = np.eye(self.normals.shape[1]), np.inf
        for _ in range(_MOST_POWERS):
            found = self.limit(variance)
            if np.linalg.eigvalsh(found)[0] <= 0:
                return 0.0
            following = np.linalg.inv(found)
            before, growth = growth, float(np.trace(following) / np.trace(variance))
            values, vectors = np.linalg.eigh(following / np.trace(following))
            if abs(growth - before) <= _SETTLED * growth:
                if values[0] > _BEHIND:
                    return float(self.masses[self.normals.any(axis=1)].sum()) / len(values)
                break
            variance = (vectors * np.maximum(values, _LEAST_POWER)) @ vectors.T
        return 1 / growth

    def determined(self, directions: Array) -> float:
        """See `determined_share`."""
        found = determined_share(self.normals, self.masses, directions)
        if self.turned is None:
            return found
        return 0.5 * (found + determined_share(self.normals, self.masses, self.turned.T @ directions))


def unresolved(left: float) -> UnresolvedOverlap:
    """An overlap 1 - left, and others that are not near 1."""
    return UnresolvedOverlap(
        f"an overlap of {1 - left:.3f} beside smaller ones is too close to 1 for the grid of three "
        "coordinates; simulate it by AMP"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class BesideComplete:
    """F(I - x U) by x F at x = 0, 1 and about 2, U having the least eigenvalue at which F is cheap.

    Attributes
    ----------
    nearest : float
        That eigenvalue.
    isotropic : bool
        Whether U is a number; the values are kept then.
    f : function of M and a level
        F, found as elsewhere.
    of : function of a level
        The tangent planes.
    known : dict
        The values that are kept.
    """

    nearest: float
    isotropic: bool
    f: Callable[[Array, int], Array]
    of: Callable[[int], Tangents | None]
    known: dict[tuple[float, int], Array]

    def holds(self, matrix: Array) -> bool:
        """Whether this F is taken for M."""
        return bool(0 < 1 - np.linalg.eigvalsh(matrix)[-1] < self.nearest)

    def __call__(self, matrix: Array, level: int) -> Array:
        """F(M); by two nodes at level 0, by three at level 1.

        Raises
        ------
        UnresolvedOverlap
            If other overlaps are far from 1.
        """
        variance = np.eye(len(matrix)) - matrix
        left = float(np.linalg.eigvalsh(variance)[0])
        x = left / self.nearest
        unit = self.nearest * np.eye(len(matrix)) if self.isotropic else variance / x
        further = min(2.0, _WIDEST / float(np.linalg.eigvalsh(unit)[-1]))
        if further < _CLOSEST_NODES:
            raise unresolved(left)
        limit = self._scaled(unit, 0.0, level)
        if level == 0:  # off by more than level 1: the change with the level is an error
            node = 1.0 if self.isotropic else further
            return np.asarray((limit + x / node * (self._scaled(unit, node, level) - limit)) / x)
        one, two = self._scaled(unit, 1.0, level), self._scaled(unit, further, level)
        found = limit * (1 - x) * (1 - x / further) + one * x * (further - x) / (further - 1)
        return np.asarray((found + two * x * (x - 1) / (further * (further - 1))) / x)

    def _scaled(self, unit: Array, x: float, level: int) -> Array:
        """x F(I - x U)."""
        key = (x, level)
        if self.isotropic and key in self.known:
            return self.known[key]
        found = x * self.f(np.eye(len(unit)) - x * unit, level) if x else self._limit(unit, level)
        if self.isotropic:
            self.known[key] = found
        return found

    def _limit(self, unit: Array, level: int) -> Array:
        tangents = self.of(level)
        return np.zeros_like(unit) if tangents is None else tangents.limit(unit)
