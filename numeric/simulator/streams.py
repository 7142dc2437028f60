"""Streams of standard normals, addressed by seed and purpose: every random number of the simulator.

Where a seed is taken, several may stand: what is made of them then has one more axis in front, that of the
seeds, and what is computed from it runs along that axis.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from hermite_analytics.errors import InputError
from hermite_analytics.numeric.simulator.normals import fill_normals
from hermite_analytics.numeric.simulator.row_blocks import in_row_blocks

__all__ = ["GaussianStream", "Purpose", "Seeds", "orthonormal_rows", "unit_rows"]

Seeds: TypeAlias = int | tuple[int, ...]
"""One seed, or several whose numbers are stacked along a first axis."""

_WORD_RANGE = 2**32


class Purpose(IntEnum):
    """What a stream is for: the second key word. A number, once published, never changes its meaning."""

    WEIGHTS = 1
    TEACHER = 2
    SPIKE = 3
    STEP_DATA = 4
    STEP_NOISE = 5
    READOUT_DATA = 6
    READOUT_NOISE = 7
    TEST_DATA = 8
    READOUT_FEATURES = 21
    TEST_FEATURES = 22
    SECOND_LAYER = 23
    MEASUREMENTS = 31
    LABEL_NOISE = 32
    ESTIMATE_START = 33
    PREDICTION = 34
    CONTROL = 41
    BATCH = 42
    BIAS = 43
    TRAINING_ROWS = 51
    NEW_DIRECTIONS = 52


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianStream:
    """An endless table of independent N(0, 1), the same whatever part of it is asked for and in what order.

    Philox4x32-10 and Box-Muller with counter (column // 4, row, step, stream) and key (seed, purpose).

    Parameters
    ----------
    seed : int or tuple of int
        0 <= seed < 2**32. Several seeds make a table each, stacked along a first axis.
    purpose : Purpose
        Streams of different purposes are independent.

    Raises
    ------
    InputError
        If a seed is out of range.

    Examples
    --------
    >>> stream = GaussianStream(seed=3, purpose=Purpose.STEP_DATA)
    >>> whole = stream.normals(10, 6)
    >>> bool((whole[7:] == stream.normals(3, 6, first_row=7)).all())
    True
    >>> GaussianStream(seed=(3, 4), purpose=Purpose.STEP_DATA).normals(10, 6).shape
    (2, 10, 6)
    """

    seed: Seeds
    purpose: Purpose

    def __post_init__(self) -> None:
        for seed in self.seed if isinstance(self.seed, tuple) else (self.seed,):
            _check_word("seed", seed)

    def normals(
        self,
        rows: int,
        columns: int,
        *,
        first_row: int = 0,
        step: int = 0,
        stream: int = 0,
        dtype: DTypeLike = np.float64,
    ) -> NDArray[Any]:
        """Rows first_row, ..., first_row + rows - 1 of a table.

        Parameters
        ----------
        rows, columns : int >= 0
            The table has 2**32 rows.
        first_row : int
        step, stream : int
            Which table: 0 <= step, stream < 2**32.
        dtype : float64 or float32
            float32 is the rounded float64.

        Returns
        -------
        ndarray, shape (rows, columns), or (seeds, rows, columns)
            Within 1e-15 of the exact Box-Muller transform of the words (float64).

        Raises
        ------
        InputError
            If a counter word is out of range.
        """
        _check_word("step", step)
        _check_word("stream", stream)
        if first_row < 0 or first_row + rows > _WORD_RANGE:
            raise InputError(
                f"rows {first_row} to {first_row + rows} are asked for: a stream has rows 0 to 2**32 - 1"
            )
        seeds = self.seed if isinstance(self.seed, tuple) else (self.seed,)
        tables = np.empty((len(seeds), rows, columns), dtype)
        for table, seed in zip(tables, seeds, strict=True):
            words = [np.uint64(word) for word in (step, stream, seed, self.purpose)]

            def fill(block: slice, table: NDArray[Any] = table, words: list[np.uint64] = words) -> None:
                fill_normals(table[block], first_row + block.start, *words)

            in_row_blocks(fill, rows, columns)
        return tables if isinstance(self.seed, tuple) else tables[0]


def unit_rows(stream: GaussianStream, rows: int, columns: int) -> NDArray[np.float64]:
    """Independent rows, uniform on the unit sphere: the first rows of a stream, normalised.

    Parameters
    ----------
    stream : GaussianStream
    rows, columns : int >= 1

    Returns
    -------
    ndarray of float64, shape (rows, columns), or (seeds, rows, columns)
    """
    gaussian = stream.normals(rows, columns)
    gaussian /= np.linalg.norm(gaussian, axis=-1, keepdims=True)
    return gaussian


def orthonormal_rows(stream: GaussianStream, rows: int, columns: int) -> NDArray[np.float64]:
    """Uniformly distributed orthonormal rows: Gram-Schmidt on the first rows of a stream.

    The first is that of `unit_rows`.

    Parameters
    ----------
    stream : GaussianStream
    rows, columns : int >= 1
        rows <= columns.

    Returns
    -------
    ndarray of float64, shape (rows, columns), or (seeds, rows, columns)

    Raises
    ------
    InputError
        If there are more rows than columns.
    """
    if rows > columns:
        raise InputError(f"{rows} orthogonal directions are asked for in dimension {columns}")
    basis = unit_rows(stream, rows, columns)
    for k in range(1, rows):
        row, before = basis[..., k : k + 1, :], basis[..., :k, :]
        for _ in range(2):  # once more: the first projection leaves rounding errors of the large part
            row -= (row @ before.mT) @ before
        row /= np.linalg.norm(row, axis=-1, keepdims=True)
    return basis


def _check_word(name: str, value: int) -> None:
    if not 0 <= value < _WORD_RANGE:
        raise InputError(f"{name} is {value}: an integer from 0 to 2**32 - 1 is accepted")
