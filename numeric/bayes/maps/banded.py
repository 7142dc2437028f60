"""Matrices of which a row has few entries other than 0, all of them near each other: by blocks of rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array

__all__ = ["ROWS", "Banded"]

ROWS = 64  # of a block


@dataclass(frozen=True, slots=True)
class Banded:
    """A matrix by blocks of rows, one after the other.

    Attributes
    ----------
    blocks : tuple of (int, ndarray)
        The first column of a block, and its entries from there on: others are 0.
    """

    blocks: tuple[tuple[int, Array], ...]

    @classmethod
    def whole(cls, matrix: Array) -> Banded:
        """In one block."""
        return cls(((0, matrix),))

    @classmethod
    def halves(cls, blocks: Iterable[tuple[int, Array]]) -> tuple[Banded, Banded]:
        """What a matrix does with the even and with the odd part of a table, given at x >= 0 and x > 0.

        Parameters
        ----------
        blocks : (int, ndarray)
            As those of `Banded`, with columns counted from x = 0: some are below it.

        Examples
        --------
        >>> even, odd = Banded.halves([(-1, np.array([[1.0, 2.0, 3.0, 4.0]]))])
        >>> even.blocks[0][1].tolist(), odd.blocks[0][1].tolist()
        ([[2.0, 4.0, 4.0]], [[2.0, 4.0]])
        """
        even, odd = [], []
        for first, matrix in blocks:
            if first > 0:
                even.append((first, matrix))
                odd.append((first - 1, matrix))
                continue
            reach = max(-first, first + matrix.shape[1] - 1)
            signed = np.zeros((len(matrix), 2 * reach + 1))
            signed[:, reach + first : reach + first + matrix.shape[1]] = matrix
            above, below = signed[:, reach + 1 :], signed[:, :reach][:, ::-1]
            even.append((0, np.column_stack([signed[:, reach], above + below])))
            odd.append((0, np.ascontiguousarray(above - below)))
        return cls(tuple(even)), cls(tuple(odd))

    def times(self, table: Array) -> Array:
        """The product with the first axis of a table, which becomes the last one.

        Examples
        --------
        >>> mean = Banded(((0, np.eye(2)), (1, np.full((1, 2), 0.5))))
        >>> mean.times(np.array([[1.0], [2.0], [4.0]])).tolist()
        [[1.0, 2.0, 3.0]]
        """
        flat = table.reshape(len(table), -1)
        found, start = np.empty((flat.shape[1], sum(len(matrix) for _, matrix in self.blocks))), 0
        for first, matrix in self.blocks:
            rows = found[:, start : start + len(matrix)]
            np.matmul(flat[first : first + matrix.shape[1]].T, matrix.T, out=rows)
            start += len(matrix)
        return found.reshape(*table.shape[1:], -1)
