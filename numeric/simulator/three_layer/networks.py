"""Two and three layers of relus, trained one layer after the other on one set of data.

Source: arXiv 2502.13961, with the initial scales, step sizes and numbers of steps of the published code. The
gradient is that of the mean of (y - yhat)^2/2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from hermite_analytics.numeric.simulator.backend import Array, Backend, solve_positive
from hermite_analytics.numeric.simulator.streams import GaussianStream, Purpose

__all__ = ["Schedule", "TrainedNetwork", "train_three_layers", "train_two_layers"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """Sizes and lengths of the training.

    Parameters
    ----------
    width, second_width : int >= 1
        Neurons of the first and of the second layer.
    first_steps, second_steps : int >= 0
        Gradient steps on the first and on the second layer.
    rate : float > 0
    share : float in (0, 1]
        Of the samples in a step, drawn anew for each.
    scale : float > 0
        eps0 of the initial second and third layers.
    ridge : float > 0
        lambda of the last layer, in sum (y - yhat)^2 + lambda n |a|^2.
    """

    width: int
    second_width: int
    first_steps: int
    second_steps: int
    rate: float = 1.0
    share: float = 0.7
    scale: float = 0.2
    ridge: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainedNetwork:
    """What training gave.

    Attributes
    ----------
    first : array, shape (width, d)
        W1.
    predict : callable
        yhat of inputs (count, d).
    hidden : callable or None
        Fields of the second layer, (count, second_width); None without one.
    """

    first: Array
    predict: Callable[[Array], Array]
    hidden: Callable[[Array], Array] | None = None


def train_two_layers(backend: Backend, x: Array, y: Array, seed: int, schedule: Schedule) -> TrainedNetwork:
    """yhat = a.relu(W1 x + b1): `first_steps` on W1 from small a, then ridge regression for a.

    Parameters
    ----------
    backend : Backend
    x, y : array, shapes (n, d) and (n,)
    seed : int
    schedule : Schedule

    Returns
    -------
    TrainedNetwork
    """
    n, d = x.shape
    p = schedule.width
    first, bias = _first_layer(backend, seed, p, d), _uniform(backend, seed, p, 0)
    readout = backend.array(schedule.scale / math.sqrt(p) * _weights(seed, 1, p, 1)[0])
    step = schedule.rate * math.sqrt(p) / schedule.scale
    for batch in _batches(backend, seed, n, schedule.share, schedule.first_steps, 0):
        inputs, labels = _taken(backend, batch, x, y)
        fields = inputs @ first.T + bias
        residual = labels - _relu(backend, fields) @ readout
        push = residual[:, None] * _step(backend, fields) * readout
        first = first + step / labels.shape[0] * (push.T @ inputs)

    def features(inputs: Array) -> Array:
        return _relu(backend, inputs @ first.T + bias)

    return TrainedNetwork(first=first, predict=_ridge(backend, features, x, y, schedule.ridge))


def train_three_layers(backend: Backend, x: Array, y: Array, seed: int, schedule: Schedule) -> TrainedNetwork:
    """yhat = W3 relu(W2 relu(W1 x + b1) + b2): steps on W1, then steps on W2, then ridge regression for W3.

    Parameters
    ----------
    As in `train_two_layers`.

    Returns
    -------
    TrainedNetwork
    """
    n, d = x.shape
    p1, p2, scale = schedule.width, schedule.second_width, schedule.scale
    first, bias = _first_layer(backend, seed, p1, d), _uniform(backend, seed, p1, 0)
    second = backend.array(scale / math.sqrt(p1) * _weights(seed, p2, p1, 1))
    second_bias = scale * _uniform(backend, seed, p2, 1)
    third = backend.array(scale / math.sqrt(p2) * _weights(seed, 1, p2, 2)[0])
    step = schedule.rate * math.sqrt(p1) / scale**2
    for batch in _batches(backend, seed, n, schedule.share, schedule.first_steps, 0):
        inputs, labels = _taken(backend, batch, x, y)
        fields = inputs @ first.T + bias
        push = _push(backend, _relu(backend, fields) @ second.T + second_bias, labels, third)
        below = (push @ second) * _step(backend, fields)
        first = first + step / labels.shape[0] * (below.T @ inputs)

    hidden_features = _relu(backend, x @ first.T + bias)  # fixed from here on
    second = _train_second(backend, hidden_features, y, second, second_bias, third, seed, schedule)

    def hidden(inputs: Array) -> Array:
        return _relu(backend, inputs @ first.T + bias) @ second.T + second_bias

    def features(inputs: Array) -> Array:
        return _relu(backend, hidden(inputs))

    predict = _ridge(backend, features, x, y, schedule.ridge)
    return TrainedNetwork(first=first, predict=predict, hidden=hidden)


def _train_second(
    backend: Backend,
    features: Array,
    labels: Array,
    second: Array,
    bias: Array,
    third: Array,
    seed: int,
    schedule: Schedule,
) -> Array:
    """W2 after its steps on fixed features of shape (n, p1).

    Steps add multiples of the features: W2 = W2(0) + A^T features. With fewer samples than features the
    fields are followed through their Gram matrix, n^2 instead of n p1 products a step and unit.
    """
    xp = backend.xp
    n, p1 = features.shape
    step = 4 * schedule.rate * math.sqrt(schedule.second_width) / (schedule.scale * p1 * n)
    batches = _batches(backend, seed, n, schedule.share, schedule.second_steps, 1)
    if n > p1:
        for batch in batches:
            inputs, targets = _taken(backend, batch, features, labels)
            push = _push(backend, inputs @ second.T + bias, targets, third)
            second = second + step * (push.T @ inputs)
        return second
    gram = features @ features.T
    fields = features @ second.T + bias
    multipliers = xp.zeros_like(fields)
    for batch in batches:
        chosen = _indicator(backend, batch, n)
        added = step * chosen[:, None] * _push(backend, fields, labels, third)
        fields = fields + gram @ added
        multipliers = multipliers + added
    return second + multipliers.T @ features


def _push(backend: Backend, fields: Array, labels: Array, third: Array) -> Array:
    """(y - yhat) W3 relu'(fields) of each sample and unit: the descent direction of the fields."""
    residual = labels - _relu(backend, fields) @ third
    return residual[:, None] * _step(backend, fields) * third


def _ridge(
    backend: Backend, features: Callable[[Array], Array], x: Array, y: Array, ridge: float
) -> Callable[[Array], Array]:
    """The prediction of a = (H^T H + ridge n)^-1 H^T y on features H."""
    xp = backend.xp
    phi = backend.wide(features(x))
    n, width = phi.shape
    if n < width:
        matrix = phi @ phi.T + ridge * n * xp.eye(n, dtype=xp.float64, device=backend.place)
        readout = phi.T @ solve_positive(xp, matrix, backend.wide(y))
    else:
        matrix = phi.T @ phi + ridge * n * xp.eye(width, dtype=xp.float64, device=backend.place)
        readout = solve_positive(xp, matrix, phi.T @ backend.wide(y))
    return lambda inputs: backend.wide(features(inputs)) @ readout


def _batches(
    backend: Backend, seed: int, n: int, share: float, steps: int, stage: int
) -> Iterator[NDArray[np.int64]]:
    """For each step, the indices of a random part of the samples."""
    size = max(1, int(share * n))
    order = GaussianStream(seed=seed, purpose=Purpose.BATCH)
    for index in range(steps):
        if size == n:
            yield np.arange(n)
        else:
            draws = order.normals(1, n, first_row=index, stream=stage)[0]
            yield np.sort(np.argpartition(draws, size)[:size])


def _taken(backend: Backend, batch: NDArray[np.int64], x: Array, y: Array) -> tuple[Array, Array]:
    indices = backend.xp.asarray(batch, device=backend.place)
    return backend.xp.take(x, indices, axis=0), backend.xp.take(y, indices, axis=0)


def _indicator(backend: Backend, batch: NDArray[np.int64], n: int) -> Array:
    chosen = np.zeros(n)
    chosen[batch] = 1.0
    return backend.array(chosen)


def _weights(seed: int, rows: int, columns: int, layer: int) -> NDArray[np.float64]:
    return GaussianStream(seed=seed, purpose=Purpose.WEIGHTS).normals(rows, columns, stream=layer)


def _first_layer(backend: Backend, seed: int, p: int, d: int) -> Array:
    return backend.array(_weights(seed, p, d, 0) / math.sqrt(d))


def _uniform(backend: Backend, seed: int, count: int, layer: int) -> Array:
    """Uniform on [-1, 1]."""
    normals = GaussianStream(seed=seed, purpose=Purpose.BIAS).normals(1, count, stream=layer)[0]
    return backend.array(2.0 * ndtr(normals) - 1.0)


def _relu(backend: Backend, fields: Array) -> Array:
    xp = backend.xp
    return xp.where(fields > 0, fields, xp.zeros_like(fields))


def _step(backend: Backend, fields: Array) -> Array:
    xp = backend.xp
    return xp.astype(fields > 0, fields.dtype)
