"""Overlap matrices that a user gives."""

from __future__ import annotations

from typing import Any

import numpy as np

from hermite_analytics.errors import InputError
from hermite_analytics.foundation.numpy_arrays import Array

__all__ = ["overlap_inside"]

_ROUNDING = 1e-12


def overlap_inside(matrix: Any, rows: Array) -> Array:
    """M, shape (r, r), in the coordinates of a channel with these rows, shape (q, r).

    Raises
    ------
    InputError
        If M is no symmetric matrix of this shape with eigenvalues in [0, 1), or has overlaps in directions
        that are not spanned by the rows.

    Examples
    --------
    >>> overlap_inside([[0.0, 0.0], [0.0, 0.5]], np.array([[0.0, 1.0]])).tolist()
    [[0.5]]
    """
    given = np.asarray(matrix, dtype=np.float64)
    shape = (rows.shape[1],) * 2
    if given.shape != shape or not np.allclose(given, given.T):
        raise InputError(f"M has shape {given.shape}; a symmetric matrix of shape {shape} is accepted")
    inside = rows @ given @ rows.T
    if not np.allclose(rows.T @ inside @ rows, given):
        raise InputError("M has overlaps in directions that the label does not see")
    values = np.linalg.eigvalsh(inside)
    if values.min(initial=0.0) < -_ROUNDING or values.max(initial=0.0) >= 1:
        raise InputError(
            f"M has eigenvalues from {values.min():g} to {values.max():g}; those in [0, 1) are accepted"
        )
    return np.asarray(inside)
