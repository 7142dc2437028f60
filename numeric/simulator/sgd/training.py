"""The steps of SGD: one sample at a time in a compiled loop, or batches by matrix products."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.numeric.simulator.backend import Array, Backend
from hermite_analytics.numeric.simulator.data import IndexData, chunks
from hermite_analytics.numeric.simulator.functions import ActivationLike
from hermite_analytics.numeric.simulator.sgd.loop import scalar_functions, sgd_samples

__all__ = ["UpdateRule", "train"]

_WORK = 2**28  # multiplications between two chances to interrupt the compiled loop


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateRule:
    """w_j += (rate/(p d)) sum over a batch of F_j x, with F_j = a_j r sigma'(h_j) and h_j = w_j.x.

    r = y (correlation loss), or y - f with f = (1/p) sum_j a_j sigma(h_j) (square loss).

    Parameters
    ----------
    activation : Activation
    readout : ndarray, shape (p,)
        a.
    rate : float > 0
    look_ahead : float
        kappa: F is taken after a step kappa/d on the same sample, at the fields h_j + kappa F_j |x|^2/d.
    uses : int >= 1
        How often each batch is used, in a row.
    batch : int >= 1
        Samples a step.
    square : bool
        Of the two losses, the square one.
    spherical : bool
        Whether rows are normalised after each step.

    References
    ----------
    arXiv 2405.15459: rate = p * prefactor, look_ahead = rho_prefactor of the published code.
    """

    activation: ActivationLike
    readout: NDArray[np.float64]
    rate: float
    look_ahead: float = 0.0
    uses: int = 1
    batch: int = 1
    square: bool = False
    spherical: bool = False

    def plain_forces(self, backend: Backend) -> Callable[[Array, Array], Array]:
        """F, without a look-ahead, of fields (count, p) and labels (count,)."""
        value = self.activation.function("array")
        slope = self.activation.derivative_function("array")
        readout = backend.array(self.readout)

        def forces(fields: Array, labels: Array) -> Array:
            residual = labels
            if self.square:
                residual = labels - value(fields) @ readout / self.readout.size
            return residual[:, None] * slope(fields) * readout

        return forces

    def forces(self, backend: Backend) -> Callable[[Array, Array, Array], Array]:
        """F of fields (count, p), labels (count,) and |x|^2/d (count,), with the look-ahead."""
        plain = self.plain_forces(backend)

        def forces(fields: Array, labels: Array, size: Array) -> Array:
            first = plain(fields, labels)
            if self.look_ahead == 0.0:
                return first
            return plain(fields + self.look_ahead * size[:, None] * first, labels)

        return forces


def train(
    weights: Array, data: IndexData, rule: UpdateRule, samples: Sequence[int], chunk_rows: int
) -> Iterator[Array]:
    """The weights after the first samples[0], samples[1], ... samples of the data.

    Parameters
    ----------
    weights : array, shape (p, d)
        In the working precision; not changed.
    data : IndexData
    rule : UpdateRule
    samples : sequence of int >= 0
        In increasing order, multiples of `rule.batch`.
    chunk_rows : int >= 1
        Samples held at once; changes the result by rounding only.

    Yields
    ------
    array of float64, shape (p, d)
    """
    advance = _one_by_one if rule.batch == 1 else _in_batches
    weights = data.backend.xp.asarray(weights, copy=True)
    done = 0
    for stop in samples:
        weights = advance(weights, data, rule, done, stop, chunk_rows)
        done = stop
        yield data.backend.xp.asarray(data.backend.wide(weights), copy=True)


def _one_by_one(
    weights: NDArray[Any], data: IndexData, rule: UpdateRule, start: int, stop: int, chunk_rows: int
) -> NDArray[Any]:
    value, slope = scalar_functions(cast(Hashable, rule.activation))
    p, d = weights.shape
    rows = min(chunk_rows, max(16, _WORK // (4 * p * d * rule.uses)))
    for first, count in chunks(start, stop, rows):
        x, y = data.rows(first, count)
        labels = np.array(y, dtype=weights.dtype)  # writeable, as the compiled loop expects
        sgd_samples(
            weights, x, labels, rule.readout, value, slope,
            rule.rate / (p * d), rule.look_ahead, rule.uses, rule.square, rule.spherical,
        )  # fmt: skip
    return weights


def _in_batches(
    weights: Array, data: IndexData, rule: UpdateRule, start: int, stop: int, chunk_rows: int
) -> Array:
    backend = data.backend
    xp = backend.xp
    p, d = weights.shape
    wide = backend.wide(weights)
    forces = rule.forces(backend)
    with np.errstate(over="ignore", invalid="ignore"):  # a rate that diverges gives inf, then NaN
        for first, size in chunks(start, stop, rule.batch):
            for _ in range(rule.uses):
                narrow = backend.narrow(wide)
                gradient = backend.zeros(p, d)
                for begin, count in chunks(first, first + size, chunk_rows):
                    x, y = data.rows(begin, count)
                    force = forces(x @ narrow.T, y, xp.sum(x * x, axis=1) / d)
                    gradient += backend.wide(force.T @ x)
                wide = wide + rule.rate / (p * d) * gradient
                if rule.spherical:
                    wide = wide / xp.sqrt(xp.sum(wide * wide, axis=1))[:, None]
    return backend.narrow(wide)
