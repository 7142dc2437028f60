"""The finite group that accepted symmetries generate, in floats: it only saves repeated checks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hermite_analytics.gaussian.zero.balls import enclosure
from hermite_analytics.gaussian.zero.isometries import Isometry
from hermite_analytics.gaussian.zero.monomials import Form, rational_value

__all__ = ["SymmetryGroup"]

_LARGEST = 4000
_DIGITS = 8
Key = tuple[int, ...]


class SymmetryGroup:
    """Matrices with their characters, closed under products up to 4000 elements.

    Examples
    --------
    >>> from hermite_analytics.gaussian.zero.isometries import signed_permutations
    >>> group = SymmetryGroup(2)
    >>> minus, first, second = list(signed_permutations(2))[:3]
    >>> group.insert(minus, 1)
    >>> group.insert(first, -1)
    >>> group.character(second)
    -1
    """

    def __init__(self, n: int) -> None:
        identity = np.eye(n)
        self._elements: dict[Key, tuple[np.ndarray, int]] = {_key(identity): (identity, 1)}
        self._generators: list[tuple[np.ndarray, int]] = []

    def character(self, isometry: Isometry) -> int | None:
        """The character of an element, None for a matrix that is not one."""
        found = self._elements.get(_key(_floats(isometry)))
        return None if found is None else found[1]

    def insert(self, isometry: Isometry, character: int) -> None:
        """Add a generator and close the group."""
        self._generators.append((_floats(isometry), character))
        frontier: Sequence[tuple[np.ndarray, int]] = list(self._elements.values())
        while frontier and len(self._elements) < _LARGEST:
            following = []
            for matrix, chi in frontier:
                for generator, theirs in self._generators:
                    product = generator @ matrix
                    key = _key(product)
                    if key not in self._elements:
                        self._elements[key] = (product, chi * theirs)
                        following.append(self._elements[key])
            frontier = following


def _floats(isometry: Isometry) -> np.ndarray:
    return np.array([[_float(x) for x in row] for row in isometry.matrix])


def _float(form: Form) -> float:
    rational = rational_value(form)
    return float(enclosure(form, 64)) if rational is None else float(rational)


def _key(matrix: np.ndarray) -> Key:
    return tuple(np.rint(matrix.ravel() * 10**_DIGITS).astype(np.int64).tolist())
