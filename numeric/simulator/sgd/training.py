"""The steps of SGD: one sample at a time in a compiled loop, or batches by matrix products.

Several seeds run at once: their compiled loops in threads beside each other, their matrix products stacked.
("..." in shapes is the axis of the seeds if there are several, else nothing.)
"""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.foundation.threads import ONE_EACH
from hermite_analytics.numeric.simulator.backend import Array, Backend
from hermite_analytics.numeric.simulator.data import IndexData, chunks
from hermite_analytics.numeric.simulator.functions import ActivationLike, derivative_of, with_derivative
from hermite_analytics.numeric.simulator.sgd.loop import scalar_functions, sgd_samples

__all__ = ["UpdateRule", "threads", "train"]

Pieces: TypeAlias = Callable[[], Iterator[tuple[Array, Array]]]
"""The inputs and labels of a batch, piece by piece, as often as it is called."""

_WORK = 2**28  # multiplications between two chances to interrupt the compiled loop


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateRule:
    """w_j += (rate/(p d)) sum over a batch of F_j x, with F_j = a_j r sigma'(h_j) and h_j = w_j.x.

    r = y (correlation loss), or y - f with f = (1/p) sum_j a_j sigma(h_j) (square loss).

    Parameters
    ----------
    activation : Activation
    readout : ndarray, shape (p,) or (..., p)
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
        """F, without a look-ahead, of fields (..., count, p) and labels (..., count)."""
        slope = derivative_of(self.activation)
        both = with_derivative(self.activation)
        readout = backend.array(self.readout)
        p = self.readout.shape[-1]

        def forces(fields: Array, labels: Array) -> Array:
            if not self.square:
                return labels[..., None] * slope(fields) * readout[..., None, :]
            value, slopes = both(fields)
            residual = labels - (value @ readout[..., None])[..., 0] / p
            return residual[..., None] * slopes * readout[..., None, :]

        return forces

    def forces(self, backend: Backend) -> Callable[[Array, Array, Array], Array]:
        """F of fields (..., count, p), labels and |x|^2/d (..., count), with the look-ahead."""
        plain = self.plain_forces(backend)

        def forces(fields: Array, labels: Array, size: Array) -> Array:
            first = plain(fields, labels)
            if self.look_ahead == 0.0:
                return first
            return plain(fields + self.look_ahead * size[..., None] * first, labels)

        return forces


def train(
    weights: Array, data: IndexData, rule: UpdateRule, samples: Sequence[int], chunk_rows: int
) -> Iterator[Array]:
    """The weights after the first samples[0], samples[1], ... samples of the data.

    Parameters
    ----------
    weights : array, shape (..., p, d)
        In the working precision; not changed.
    data : IndexData
    rule : UpdateRule
    samples : sequence of int >= 0
        In increasing order, multiples of `rule.batch`.
    chunk_rows : int >= 1
        Samples held at once; changes the result by rounding only.

    Yields
    ------
    array of float64, shape (..., p, d)
    """
    advance = _one_by_one if rule.batch == 1 else _in_batches
    weights = data.backend.xp.asarray(weights, copy=True)
    done = 0
    for stop in samples:
        weights = advance(weights, data, rule, done, stop, chunk_rows)
        done = stop
        yield data.backend.xp.asarray(data.backend.wide(weights), copy=True)


def threads() -> int:
    """How many compiled loops run beside each other: NUMBA_NUM_THREADS, by default one a processor."""
    from numba import config

    return int(config.NUMBA_NUM_THREADS)


def _one_by_one(
    weights: Array, data: IndexData, rule: UpdateRule, start: int, stop: int, chunk_rows: int
) -> Array:
    value, slope = scalar_functions(cast(Hashable, rule.activation))
    p, d = weights.shape[-2:]
    networks, sets = weights.reshape(-1, p, d), data.apart()
    readouts = np.array(np.broadcast_to(rule.readout, (len(sets), p)), order="C")
    rows = min(chunk_rows, max(16, _WORK // (4 * p * d * rule.uses)))
    ended = threading.Event()

    def follow(k: int) -> None:
        for first, count in chunks(start, stop, rows):
            if ended.is_set():
                return
            x, y = sets[k].rows(first, count)
            labels = np.array(y, dtype=weights.dtype)  # writeable, as the compiled loop expects
            sgd_samples(
                networks[k], x, labels, readouts[k], value, slope,
                rule.rate / (p * d), rule.look_ahead, rule.uses, rule.square, rule.spherical,
            )  # fmt: skip

    _beside_each_other(follow, len(sets), ended)
    return weights


def _beside_each_other(work: Callable[[int], None], count: int, ended: threading.Event) -> None:
    """work(0), ..., work(count - 1) in threads; after an error or Ctrl-C, `ended` tells the others."""
    if count == 1:
        return work(0)
    # each makes its own data, in one thread
    with ONE_EACH, ThreadPoolExecutor(min(count, threads())) as pool:
        tasks = [pool.submit(work, k) for k in range(count)]
        try:
            for task in as_completed(tasks):
                task.result()
        except BaseException:
            ended.set()
            raise


def _in_batches(
    weights: Array, data: IndexData, rule: UpdateRule, start: int, stop: int, chunk_rows: int
) -> Array:
    backend = data.backend
    xp = backend.xp
    p, d = weights.shape[-2:]
    wide = backend.wide(weights)
    forces = rule.forces(backend)
    with np.errstate(over="ignore", invalid="ignore"):  # a rate that diverges gives inf, then NaN
        for pieces in _batches(data, rule.batch, start, stop, chunk_rows):
            for _ in range(rule.uses):
                turned = xp.matrix_transpose(backend.narrow(wide))
                gradient = backend.zeros(*weights.shape)
                for x, y in pieces():
                    force = forces(x @ turned, y, xp.sum(x * x, axis=-1) / d)
                    gradient += backend.wide(xp.matrix_transpose(force) @ x)
                wide = wide + rule.rate / (p * d) * gradient
                if rule.spherical:
                    wide = wide / xp.sqrt(xp.sum(wide * wide, axis=-1))[..., None]
    return backend.narrow(wide)


def _batches(data: IndexData, batch: int, start: int, stop: int, chunk_rows: int) -> Iterator[Pieces]:
    """The batches of some samples: small ones made many at once, large ones in pieces, anew for each use."""
    if batch > chunk_rows:
        for first, size in chunks(start, stop, batch):
            yield functools.partial(_made, data, list(chunks(first, first + size, chunk_rows)))
        return
    numbers = math.prod(data.directions.shape) // data.directions.shape[-2]  # of a row of every seed
    rows = min(chunk_rows, data.backend.numbers_at_once // numbers)
    for first, count in chunks(start, stop, max(1, rows // batch) * batch):
        x, y = data.rows(first, count)
        for begin, size in chunks(0, count, batch):
            end = begin + size
            held = [(x[..., begin:end, :], y[..., begin:end])]
            yield functools.partial(iter, held)


def _made(data: IndexData, pieces: Sequence[tuple[int, int]]) -> Iterator[tuple[Array, Array]]:
    return (data.rows(first, count) for first, count in pieces)
