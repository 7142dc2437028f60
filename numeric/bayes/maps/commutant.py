"""The symmetric matrices that commute with the symmetries of a label: where its overlap matrix stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array

__all__ = ["Commutant", "commutant_of", "is_round"]

_SAME = 1e-9
_STILL = 1e-9  # of squares, which are of order one for matrices that some symmetry changes
_GENERIC = (0.7548776662, 0.5698402910, 0.4301597090, 0.3247179572, 0.2451223338, 0.1850)


@dataclass(frozen=True, slots=True, kw_only=True)
class Commutant:
    """The matrices M = M^T with S M S^T = M for all S of a group.

    Attributes
    ----------
    basis : ndarray, shape (k, q, q)
        Orthonormal in the Frobenius product.
    axes : ndarray, shape (q, q), or None
        Columns that are eigenvectors of all of them; None where they do not commute.
    groups : tuple of tuples of int
        The columns that share an eigenvalue in all of them; empty where there are no common axes.
    """

    basis: Array
    axes: Array | None
    groups: tuple[tuple[int, ...], ...]

    @property
    def cone(self) -> Array:
        """A basis as well: of positive semi-definite matrices where there are common axes."""
        if self.axes is None:
            return self.basis
        sides = (self.axes[:, list(g)] / len(g) ** 0.25 for g in self.groups)
        return np.array([side @ side.T for side in sides])

    def has(self, matrix: Array) -> bool:
        """Whether a matrix is one of them."""
        return bool(np.abs(self.projected(matrix) - matrix).max(initial=0.0) < _SAME)

    def projected(self, matrix: Array) -> Array:
        """The nearest matrix of the commutant."""
        return np.asarray(np.einsum("k,kij->ij", np.einsum("kij,ij->k", self.basis, matrix), self.basis))

    def split(self, matrix: Array) -> tuple[Array, Array]:
        """Eigenvalues and eigenvectors, as columns, of a matrix of it: in the common axes if any."""
        if self.axes is None:
            values, vectors = np.linalg.eigh(matrix)
            return values, vectors
        return np.einsum("ia,ij,ja->a", self.axes, matrix, self.axes), self.axes

    def within(self, other: Commutant) -> Commutant:
        """The matrices that are in both.

        Examples
        --------
        >>> one, other = Commutant.diagonal([(0, 1), (2,)]), Commutant.diagonal([(0,), (1, 2)])
        >>> np.abs(one.within(other).basis).round(4).tolist()
        [[[0.5774, 0.0, 0.0], [0.0, 0.5774, 0.0], [0.0, 0.0, 0.5774]]]
        """
        gap = self.basis - np.array([other.projected(b) for b in self.basis])
        values, vectors = np.linalg.eigh(np.einsum("kij,lij->kl", gap, gap))
        if (values < _STILL).all():
            return self
        return Commutant.spanned(np.einsum("lk,lij->kij", vectors[:, values < _STILL], self.basis))

    @classmethod
    def spanned(cls, basis: Array) -> Commutant:
        """Of an orthonormal basis, with common axes where its matrices commute."""
        products = np.einsum("kij,ljm->klim", basis, basis)
        if np.abs(products - products.swapaxes(0, 1)).max(initial=0.0) > _SAME:
            return cls(basis=basis, axes=None, groups=())
        axes, groups = _common_axes(basis)
        return cls(basis=basis, axes=axes, groups=groups)

    @classmethod
    def diagonal(cls, groups: Sequence[Sequence[int]]) -> Commutant:
        """The diagonal matrices with one number for each group of coordinates.

        Examples
        --------
        >>> np.diag(Commutant.diagonal([(0, 2), (1,)]).projected(np.diag([1.0, 5.0, 3.0]))).round(9).tolist()
        [2.0, 5.0, 2.0]
        """
        q = sum(len(g) for g in groups)
        basis = np.zeros((len(groups), q, q))
        for k, group in enumerate(groups):
            basis[k, list(group), list(group)] = len(group) ** -0.5
        return cls(basis=basis, axes=np.eye(q), groups=tuple(tuple(g) for g in groups))


def commutant_of(symmetries: Sequence[Array], dimension: int) -> Commutant:
    """The commutant of the group that orthogonal matrices generate.

    Examples
    --------
    >>> found = commutant_of([np.array([[0.0, 1.0], [1.0, 0.0]])], 2)
    >>> len(found.basis), found.groups
    (2, ((0,), (1,)))
    """
    q = dimension
    rows, columns = np.triu_indices(q)
    units = np.zeros((len(rows), q, q))
    for k, (i, j) in enumerate(zip(rows, columns, strict=True)):
        units[k, i, j] = units[k, j, i] = 1.0 if i == j else np.sqrt(0.5)
    change = np.zeros((len(rows), len(rows)))
    for s in symmetries:
        moved = np.einsum("ia,kab,jb->kij", s, units, s) - units
        change += np.einsum("kij,lij->kl", moved, moved)
    values, vectors = np.linalg.eigh(change)
    basis = np.einsum("lk,lij->kij", vectors[:, values < _STILL], units)
    return Commutant.spanned(basis)


def is_round(symmetries: Sequence[Array], dimension: int) -> bool:
    """Whether the multiples of I alone commute with some symmetries."""
    return len(commutant_of(symmetries, dimension).basis) == 1


def _common_axes(basis: Array) -> tuple[Array, tuple[tuple[int, ...], ...]]:
    """Eigenvectors of a generic member, along the coordinates where these will do, and their classes."""
    q = basis.shape[1]
    off_diagonal = basis * (1 - np.eye(q))
    if np.abs(off_diagonal).max(initial=0.0) < _SAME:
        axes = np.eye(q)
    else:
        generic = np.einsum("k,kij->ij", np.resize(_GENERIC, len(basis)), basis)
        axes = np.linalg.eigh(generic)[1]
    entries = np.einsum("ia,kij,ja->ak", axes, basis, axes)
    groups: list[list[int]] = []
    for a in range(q):
        home = next((g for g in groups if np.abs(entries[g[0]] - entries[a]).max() < _SAME), None)
        if home is None:
            groups.append([a])
        else:
            home.append(a)
    return axes, tuple(tuple(g) for g in groups)
