"""Drift and noise of one neuron and one direction as functions of the overlap, tabulated once.

In m = sin(theta) averages over the pair (z, h) of correlation m are smooth up to m = +-1, so that a Chebyshev
series in theta converges fast; it is doubled until its last coefficients vanish.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import chebyshev

from hermite_analytics.activation import Activation
from hermite_analytics.errors import ConvergenceError
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.language.shape import is_even
from hermite_analytics.numeric.models.sgd_flow.averages import quadrature_averages
from hermite_analytics.numeric.models.sgd_flow.gradient import Gradient
from hermite_analytics.numeric.models.sgd_flow.problem import flow_problem
from hermite_analytics.numeric.models.sgd_flow.rule import MOST_LEVEL
from hermite_analytics.symbols import variable
from hermite_analytics.target import Target

__all__ = ["OverlapTable", "overlap_table"]

_PROBES = (-1.3, -0.4, 0.3, 1.1)
_ACCURACY = 1e-11
_FEWEST, _MOST = 16, 256
_TAIL = 4  # coefficients that measure the truncation
_SETTLED = 1e-5  # relative, of a table that is given without its error
_FEW = 64  # overlaps at which all terms are held at once


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OverlapTable:
    """Chebyshev series in theta = arcsin(m).

    Attributes
    ----------
    coefficients : ndarray, shape (n, 2)
        Of E[F (z - m h)] and E[F^2].
    errors : ndarray, shape (2,)
        Estimated largest errors of the two.
    relative : float
        The same relative to their sizes.
    problem : str
        Activation and target.
    """

    coefficients: Array
    errors: Array
    relative: float
    problem: str

    def settled(self) -> OverlapTable:
        """Itself, if the quadrature has settled.

        Raises
        ------
        ConvergenceError
            If it has not, as for labels that are steep or narrow on the scale of its finest rule.
        """
        if self.relative > _SETTLED:
            raise ConvergenceError(
                f"drift and fluctuation of {self.problem} are not settled: they still change by "
                f"{self.relative:.1g} of their size on the finest rule of quadrature; simulate('sgd', ..) "
                "takes any label"
            )
        return self

    def __call__(self, overlap: Array) -> Array:
        """(drift, noise) at overlaps, shape (2, ...)."""
        theta = np.arcsin(np.clip(overlap, -1.0, 1.0)) * (2.0 / np.pi)
        if theta.size > _FEW:
            return np.asarray(chebyshev.chebval(theta, self.coefficients))
        degrees = np.arange(self.coefficients.shape[0])
        terms = np.cos(np.multiply.outer(np.arccos(theta), degrees))  # no loop over the terms
        return np.moveaxis(terms @ self.coefficients, -1, 0)


@functools.lru_cache(maxsize=64)
def overlap_table(
    activation: Activation,
    target: Target,
    loss: str,
    method: str,
    shift: float,
    noise: float,
    readout: float = 1.0,
) -> OverlapTable:
    """The table of a problem at label noise of variance `noise`, with the readout of its one neuron."""
    gradient = Gradient(
        problem=flow_problem(activation, target),
        loss=loss,
        method=method,
        shift=shift,
        readout=np.array([readout]),
    )

    def both(theta: float, level: int) -> Array:
        m = float(np.sin(theta))
        found = quadrature_averages(gradient, np.array([[m]]), np.eye(1), noise, level)
        return np.array([float((found.signal - m * found.field)[0, 0]), float(found.product[0, 0])])

    level, change = _level(both)
    even = is_even(target.noiseless, variable(1))
    values: dict[float, Array] = {}

    def value(theta: float) -> Array:
        if even and theta < 0.0:  # z -> -z: the drift is odd, the noise even
            return np.array([-1.0, 1.0]) * value(-theta)
        if theta not in values:
            kept = np.array([0.0 if even and theta == 0.0 else 1.0, 1.0])
            values[theta] = both(theta, level) * kept
        return values[theta]

    count = _FEWEST
    while True:
        angles = 0.5 * np.pi * np.sin(np.pi * np.arange(count, -count - 1, -2) / (2 * count))
        sampled = np.array([value(float(theta)) for theta in angles])
        series = _series(sampled)
        scale = _scale(sampled)
        tail = float(np.max(np.abs(series[-_TAIL:]).max(axis=0) / scale))
        if tail <= max(_ACCURACY, 0.1 * change) or count >= _MOST:
            relative = tail * count**0.5 + change
            return OverlapTable(
                coefficients=_cut(series, scale),
                errors=relative * scale,
                relative=relative,
                problem=f"{activation.text} and {target.text}",
            )
        count *= 2


def _level(both: Callable[[float, int], Array]) -> tuple[int, float]:
    """The first level of the quadrature that the next coarser one agrees with, and their difference."""
    change = np.inf
    before = np.array([both(theta, 0) for theta in _PROBES])
    for level in range(1, MOST_LEVEL + 1):
        after = np.array([both(theta, level) for theta in _PROBES])
        change = float(np.max(np.abs(after - before) / _scale(after)))
        if change <= 10 * _ACCURACY:
            break
        before = after
    return level, change


def _series(values: Array) -> Array:
    """Chebyshev coefficients of values at cos(pi j/n), j = 0..n, along the first axis."""
    n = values.shape[0] - 1
    extended = np.concatenate([values, values[-2:0:-1]])
    series = np.fft.rfft(extended, axis=0).real / n
    series[0] /= 2.0
    series[-1] /= 2.0
    return np.asarray(series, dtype=np.float64)


def _scale(values: Array) -> Array:
    """Of drift and noise: |E[F (z - m h)]|^2 is at most E[F^2]."""
    noise = float(np.abs(values[:, 1]).max())
    return np.array([np.sqrt(noise), noise])


def _cut(series: Array, scale: Array) -> Array:
    """Without the last coefficients, which are rounding."""
    kept = np.flatnonzero(np.any(np.abs(series) > 1e-16 * scale, axis=1))
    return series[: int(kept[-1]) + 1]
