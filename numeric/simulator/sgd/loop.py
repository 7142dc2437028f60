"""SGD with one sample a step: a compiled loop that takes the generated activation as a function."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.numeric.compiled import compiled, summing
from hermite_analytics.numeric.losses.interface import compiled_as

if TYPE_CHECKING:
    from hermite_analytics.activation import Activation
    from hermite_analytics.codegen.kernel import Kernel

__all__ = ["ScalarFunction", "scalar_functions", "sgd_samples"]

Array: TypeAlias = NDArray[np.floating]
ScalarFunction: TypeAlias = Callable[[float], float]
"""A compiled function float64 -> float64: one type for all, so that one compiled loop serves."""

_SCALAR = "float64(float64)"
_FUNCTION = f"FunctionType({_SCALAR})"


@functools.lru_cache(maxsize=64)
def scalar_functions(activation: Activation) -> tuple[ScalarFunction, ScalarFunction]:
    """sigma and sigma' of an `Activation`, as functions of one number; compiled once a process."""
    return (
        _first_output(activation.function("numba")),
        _first_output(activation.derivative_function("numba")),
    )


def _first_output(kernel: Kernel) -> ScalarFunction:
    of = kernel.scalar

    @compiled_as(_SCALAR, cache=False)
    def value(x: float) -> float:
        return float(of(x)[0])

    return value


@summing
def _product(left: Array, right: Array) -> float:
    total = 0.0
    for k in range(left.size):
        total += left[k] * right[k]
    return total


@summing
def _moved(row: Array, amount: float, direction: Array) -> float:
    """Add amount * direction to a row; its new squared norm."""
    total = 0.0
    for k in range(row.size):
        value = row[k] + amount * direction[k]
        row[k] = value
        total += value * value
    return total


@compiled
def _fill_forces(
    forces: Array,
    fields: Array,
    label: float,
    readout: Array,
    value: ScalarFunction,
    slope: ScalarFunction,
    square: bool,
) -> None:
    """F_j = a_j r sigma'(h_j), r = y or y - (1/p) sum_j a_j sigma(h_j)."""
    residual = label
    if square:
        prediction = 0.0
        for j in range(fields.size):
            prediction += readout[j] * value(fields[j])
        residual -= prediction / fields.size
    for j in range(fields.size):
        forces[j] = readout[j] * residual * slope(fields[j])


_SIGNATURES = [
    f"void({real}[:, ::1], {real}[:, ::1], {real}[::1], float64[::1], {_FUNCTION}, {_FUNCTION}, "
    "float64, float64, int64, boolean, boolean)"
    for real in ("float64", "float32")
]


@compiled_as(_SIGNATURES)
def sgd_samples(
    weights: Array,
    inputs: Array,
    labels: Array,
    readout: Array,
    value: ScalarFunction,
    slope: ScalarFunction,
    step: float,
    shift: float,
    passes: int,
    square: bool,
    spherical: bool,
) -> None:
    """Take one sample after the other, in place: w_j += step F_j x, `passes` times each.

    Parameters
    ----------
    weights : ndarray of float64 or float32, shape (p, d)
    inputs : ndarray of the same dtype, shape (count, d)
    labels : ndarray of the same dtype, shape (count,)
    readout : ndarray of float64, shape (p,)
    value, slope : callable
        sigma and sigma', of `scalar_functions`.
    step : float
        rate/(p d).
    shift : float
        kappa: F is taken after a step kappa/d on the same sample, at the fields h_j + kappa F_j |x|^2/d.
    passes : int >= 1
    square : bool
        Whether the residual is y - f rather than y.
    spherical : bool
        Whether rows are normalised after each step.
    """
    p, d = weights.shape
    fields = np.empty(p)
    forces = np.empty(p)
    for i in range(inputs.shape[0]):
        x, y = inputs[i], float(labels[i])
        ahead = shift * _product(x, x) / d if shift != 0.0 else 0.0
        for _ in range(passes):
            for j in range(p):
                fields[j] = _product(weights[j], x)
            _fill_forces(forces, fields, y, readout, value, slope, square)
            if ahead != 0.0:
                for j in range(p):
                    fields[j] += ahead * forces[j]
                _fill_forces(forces, fields, y, readout, value, slope, square)
            for j in range(p):
                norm = np.sqrt(_moved(weights[j], step * forces[j], x))
                if spherical:
                    weights[j] /= norm
