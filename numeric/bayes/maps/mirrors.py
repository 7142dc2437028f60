"""Mirrors of a label in the axes of M: which half lines of omega are enough, and what vanishes in F."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Bools, Integers

__all__ = ["Mirrors", "best_axes"]

_SAME = 1e-9
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Mirrors:
    """The group of changes of signs of axes that take every label to itself.

    Attributes
    ----------
    signs : ndarray, shape (k, q)
        The identity among them.
    """

    signs: Array

    @classmethod
    def along(cls, axes: Array, even: Sequence[Array]) -> Mirrors:
        """Those among some symmetries that are mirrors of the axes, which are columns.

        Examples
        --------
        >>> Mirrors.along(np.eye(2), [-np.eye(2)]).half_lines
        (True, False)
        """
        turned = [axes.T @ s @ axes for s in (np.eye(len(axes)), *even)]
        found = [np.sign(np.diag(s)) for s in turned if np.abs(s - np.diag(np.diag(s))).max() < _SAME]
        return cls(np.unique(np.array(found), axis=0))

    @property
    def generators(self) -> tuple[tuple[int, Array], ...]:
        """(axis, signs that change its sign and fix the axes before it that are named)."""
        left, found = self.signs, []
        for k in range(left.shape[1]):
            changing = left[left[:, k] < 0]
            found += [(k, changing[0])] if len(changing) else []
            left = left[left[:, k] > 0]
        return tuple(found)

    @property
    def half_lines(self) -> tuple[bool, ...]:
        """The axes of omega of which half is enough: the next one after those before are fixed."""
        named = {k for k, _ in self.generators}
        return tuple(k in named for k in range(self.signs.shape[1]))

    @property
    def parities(self) -> Integers:
        """Which functions the group leaves, shape (2^q/k, q): 1 for an axis in which they are odd, else 0.

        Examples
        --------
        >>> Mirrors.along(np.eye(2), [-np.eye(2)]).parities.tolist()
        [[0, 0], [1, 1]]
        """
        odd = np.array(list(itertools.product([0, 1], repeat=self.signs.shape[1])))
        characters = np.prod(self.signs ** odd[:, None], axis=-1)
        return np.asarray(odd[(characters > 0).all(axis=1)])

    @property
    def corners(self) -> Array:
        """Signs of the axes, one choice for each coset of the group, shape (2^q/k, q)."""
        left = list(itertools.product([1.0, -1.0], repeat=self.signs.shape[1]))
        found = []
        while left:
            found.append(left[0])
            images = {tuple(row) for row in (self.signs * left[0]).tolist()}
            left = [corner for corner in left if corner not in images]
        return np.array(found)

    @property
    def absent(self) -> Bools:
        """The entries of F, shape (q, q), that change their sign: they are 0."""
        products = self.signs[:, :, None] * self.signs[:, None, :]
        return np.asarray((products < 0).any(0))

    def folded(self, points: Array, masses: Array) -> tuple[Array, Array]:
        """The points of which the others are mirror images; those on a mirror are shared by both sides."""
        for k, half in enumerate(self.half_lines):
            if half:
                keep = points[:, k] > -_SAME
                points, masses = points[keep], masses[keep]
                masses = np.where(points[:, k] < _SAME, 0.5, 1.0) * masses
        return points, masses


def best_axes(matrix: Array, common: Array | None, even: Sequence[Array]) -> tuple[Array, Array]:
    """(eigenvalues, axes of M): of some choices that make it diagonal, the one with most mirrors.

    Parameters
    ----------
    common : ndarray or None
        Axes that are taken first.
    even : sequence of ndarray
        Symmetries of the label.
    """
    own = np.linalg.eigh(matrix)[1]
    images = [np.linalg.eigh(s)[1] for s in even if np.abs(s - s.T).max() < _SAME]
    choices = [] if common is None else [common]
    best, most = own, 0
    for axes in (*choices, np.eye(len(matrix)), *images, own):
        inside = axes.T @ matrix @ axes
        count = len(Mirrors.along(axes, even).signs)
        if count > most and np.abs(inside - np.diag(np.diag(inside))).max() < _ROUNDING:
            best, most = axes, count
    return np.clip(np.diag(best.T @ matrix @ best), 0.0, None), best
