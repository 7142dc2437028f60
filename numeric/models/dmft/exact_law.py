"""The law of a run at finite n and d, without a data matrix.

Conditioning on what gradient descent has seen of a Gaussian matrix is exact before any limit. The recursion
of the limit then holds with two changes: the average runs over the n actual rows, to whose gradients the
fresh noise is made orthogonal; and the size of the new directions fluctuates, with the triangular factor R of
a (d - q) x p Gaussian matrix, q the directions known before: R_ii ~ chi_{d-q-i+1}, R_ij ~ N(0, 1) for i < j
(Bartlett 1933). Overlaps, norms, fields, readouts and labels have jointly the law of those of a network that
is trained on n samples in dimension d; the cost does not depend on d beyond n = alpha d.

Source: docs/dmft.md.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from hermite_analytics.errors import InputError
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.models.dmft.arguments import Run
from hermite_analytics.numeric.models.dmft.bartlett import bartlett_factor
from hermite_analytics.numeric.models.dmft.limit_run import Diverged, require_bounded
from hermite_analytics.numeric.models.dmft.network import Network
from hermite_analytics.numeric.models.dmft.place import Place
from hermite_analytics.numeric.models.dmft.rows import TrainingRows
from hermite_analytics.numeric.models.dmft.weights import Weights
from hermite_analytics.numeric.simulator.streams import GaussianStream, Purpose

__all__ = ["exact_run", "masks_of", "require_dimension"]


def require_dimension(network: Network, run: Run, d: int) -> None:
    """Refuse a d in which the directions of all steps have no room."""
    p, r = network.readout.size, network.problem.dimension
    least = r + p * (run.usage.steps + 1)
    if d < least:
        raise InputError(
            f"d is {d}; accepted: at least {least}, p directions a gradient and those at the start"
        )


def exact_run(
    place: Place,
    run: Run,
    n: int,
    d: int,
    seed: int,
    progress: Callable[[float], None] | None = None,
) -> tuple[Weights, Array]:
    """One run, by its seed; progress(share of it that is done) after each gradient.

    Returns
    -------
    weights : Weights
        Their coordinates after each gradient, as far as they stay bounded.
    train : ndarray, shape (gradients + 1, 2)
        (1/n) sum (y - f)^2 and (1/n) sum l(f, y), label noise included; NaN after a divergence.
    """
    network, backend = place.network, place.backend
    p, r, steps = network.readout.size, network.problem.dimension, run.usage.steps
    rows = _rows(place, run, n, d, seed)
    stream = GaussianStream(seed=seed, purpose=Purpose.TRAINING_ROWS)
    directions = GaussianStream(seed=seed, purpose=Purpose.NEW_DIRECTIONS)
    weights = Weights(run.method, n / d, [run.start], [network.readout])
    train = np.full((steps + 1, 2), np.nan)
    try:
        for t in range(steps):
            moments = rows.measure(weights.last, weights.readout)
            train[t] = moments.error, moments.loss
            if not np.all(np.isfinite(moments.vector)):
                raise Diverged(t + 1)
            normals = directions.normals(p, p, step=t)
            factor = bartlett_factor(normals, d - r - p * (t + 1)) / np.sqrt(d)
            step = weights.advance(moments, factor)
            require_bounded(weights)
            rows.absorb(step, backend.normals(stream, p, n, step=t + 1), finite=True)
            if progress is not None:
                progress((t + 1) / (steps + 1))
        train[steps] = rows.errors(weights.last, weights.readout)
    except Diverged as end:
        weights.cut(int(end.args[0]))
    return weights, train


def _rows(place: Place, run: Run, n: int, d: int, seed: int) -> TrainingRows:
    """The n rows before the first step."""
    network = place.network
    p, r = network.readout.size, network.problem.dimension
    known = network.label_variables(run.noise)
    stream = GaussianStream(seed=seed, purpose=Purpose.TRAINING_ROWS)
    start = place.backend.normals(stream, p + known, n)
    label = network.label(start[p:], run.noise)
    masks = masks_of(run, n, seed)
    return TrainingRows(place, n / d, start[: p + r], label, place.zeros(n) + 1.0 / n, masks)


def masks_of(run: Run, n: int, seed: int) -> NDArray[np.bool_]:
    """Which of n samples each gradient sees, shape (gradients, n); blocks are dealt out in order."""
    usage = run.usage
    if usage.sees_all:
        uniforms = np.broadcast_to(0.5, (usage.steps, n))
    elif usage.probability is None:
        uniforms = np.broadcast_to((np.arange(n) + 0.5) / n, (usage.steps, n))
    else:
        uniforms = ndtr(GaussianStream(seed=seed, purpose=Purpose.BATCH).normals(usage.steps, n))
    return usage.drawn(uniforms)
