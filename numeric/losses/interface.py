"""What compiled solvers ask of a loss: one function type for all losses, so that one compiled solver serves.

    proximal(y, field, variance, parameter) -> (prox, derivative, slope, curvature, loss)

with prox = argmin_x [(x - field)^2/(2 variance) + l(y, x)], derivative = d prox/d field,
slope = (prox - field)/variance = -l'(y, prox), curvature = (1 - derivative)/variance and loss = l(y, prox).
slope and curvature keep their digits where the variance is small. At variance 0 the prox is the field.

    corners(y, variance, parameter, out) -> count

writes the rows (field, width) around which the prox bends: quadratures place their panels there.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TypeVar, cast

from hermite_analytics.foundation.kernels_on_disk import kept
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.losses.record import Corners, LossRecord, Proximal

__all__ = [
    "CORNERS",
    "CORNERS_TYPE",
    "MOST_CORNERS",
    "PROXIMAL",
    "PROXIMAL_TYPE",
    "compiled_as",
    "compiled_record",
    "no_corners",
    "proximal_arrays",
]

F = TypeVar("F", bound=Callable[..., object])

MOST_CORNERS = 16

# Signatures are text: numba, which reads it, is loaded when a kernel is called.
PROXIMAL = "UniTuple(float64, 5)(float64, float64, float64, float64)"
PROXIMAL_TYPE = f"FunctionType({PROXIMAL})"
CORNERS = "int64(float64, float64, float64, float64[:, ::1])"
CORNERS_TYPE = f"FunctionType({CORNERS})"


def compiled_as(signature: object, *, cache: bool = True) -> Callable[[F], F]:
    """Compile for one signature; division by zero gives inf or NaN, as in numpy."""

    def decorate(function: F) -> F:
        if cache:
            return kept(signature, nogil=True)(function)
        from numba import njit

        return cast(F, njit(signature, error_model="numpy", nogil=True)(function))

    return decorate


@compiled_as(CORNERS)
def no_corners(y: float, variance: float, parameter: float, out: Array) -> int:
    return 0


@functools.cache
def compiled_record(record: LossRecord) -> tuple[Proximal, Corners]:
    """`proximal` and `corners` of a record, compiled once a process and cached on disk."""
    corners = no_corners if record.corners is None else compiled_as(CORNERS)(record.corners)
    return compiled_as(PROXIMAL)(record.proximal), corners


@compiled_as(
    f"void({PROXIMAL_TYPE}, float64[::1], float64[::1], float64[::1], float64, float64[:, ::1])",
)
def proximal_arrays(
    proximal: Proximal, y: Array, field: Array, variance: Array, parameter: float, out: Array
) -> None:
    """The five outputs at all points: out has shape (5, n)."""
    for i in range(y.size):
        found = proximal(y[i], field[i], variance[i], parameter)
        for j in range(5):
            out[j, i] = found[j]
