"""One large gradient step on the first layer of a two-layer network, over streamed data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

from array_api_compat import array_namespace

from hermite_analytics.numeric.simulator.backend import Array
from hermite_analytics.numeric.simulator.data import IndexData, chunks
from hermite_analytics.numeric.simulator.functions import Pair

__all__ = ["GradientStep", "gradient_step", "preactivations"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GradientStep:
    """What a step did.

    Attributes
    ----------
    displacement : array of float64, shape (..., p, d)
        W1 - W0.
    mean_slope : array of float64, shape (...)
        The mean of sigma'(w_k.x_i + b_k) over neurons and samples (an estimate of E sigma'(z)).
    """

    displacement: Array
    mean_slope: Array


def preactivations(x: Array, weights: Array, biases: Array | None) -> Array:
    """w_k.x_i + b_k, shape (..., samples, p)."""
    fields = x @ array_namespace(x).matrix_transpose(weights)
    return fields if biases is None else fields + biases


def _weigh(fields: Array, y: Array, readout: Array, activation: Pair, block: slice) -> Array:
    """Turn a block of fields into (y - f) sigma'; the sum of sigma' in it."""
    xp = array_namespace(fields)
    value, slope = activation(fields[..., block, :])
    residuals = y[..., block] - value @ readout
    total = xp.sum(slope, axis=(-2, -1), dtype=xp.float64)
    fields[..., block, :] = residuals[..., None] * slope  # only now: sigma' of z^2/2 is the fields themselves
    return total


def gradient_step(
    weights: Array,
    readout: Array,
    data: IndexData,
    *,
    activation: Pair,
    samples: int,
    step_size: float,
    chunk_rows: int,
    biases: Array | None = None,
    step: int = 0,
) -> GradientStep:
    """The step w_k += step_size sqrt(p) a_k (1/n) sum_i (y_i - f(x_i)) sigma'(w_k.x_i + b_k) x_i.

    f(x) = (1/sqrt p) sum_k a_k sigma(w_k.x + b_k). With a_k = 1/sqrt p and b = 0 this is the step of
    docs/theory.md, "The giant step", with effective step e = step_size.

    Parameters
    ----------
    weights : array, shape (..., p, d)
        W, rows of norm O(1); with a first axis if `data` has several seeds.
    readout : array, shape (p,)
        a, entries O(1/sqrt p).
    data : IndexData
        Samples 0, ..., samples - 1 of its table `step` are used.
    activation : callable
        (sigma, sigma') of an array, elementwise.
    samples : int >= 1
    step_size : float
        Of order 1: the displacement of a row has norm O(1).
    chunk_rows : int >= 1
        Samples held at once; changes the result by rounding only.
    biases : array, shape (p,), optional
        b.
    step : int >= 0

    Returns
    -------
    GradientStep
    """
    backend, xp = data.backend, data.backend.xp
    p = weights.shape[-2]
    gradient = backend.zeros(*weights.shape)
    slopes = backend.zeros(*weights.shape[:-2])
    for first, count in chunks(0, samples, chunk_rows):
        x, y = data.rows(first, count, step=step)
        fields = preactivations(x, weights, biases)
        weigh = partial(_weigh, fields, y, readout / math.sqrt(p), activation)
        slopes += sum(backend.in_row_blocks(weigh, count, math.prod(fields.shape) // count))
        # a float32 product, added up in float64
        gradient += xp.matrix_transpose(fields) @ x
    scale = step_size * math.sqrt(p) / samples * backend.wide(readout)
    return GradientStep(displacement=scale[:, None] * gradient, mean_slope=slopes / (samples * p))
