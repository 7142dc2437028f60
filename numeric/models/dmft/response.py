"""Two-time functions of a run: correlations of its weights, responses of fields to their own gradients."""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_triangular

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.models.dmft.weights import Weights

__all__ = ["correlations_of", "responses_of"]


def correlations_of(runs: list[Weights], times: list[int]) -> Array:
    """C(t, s), shape (times, times, p, p), the mean over the runs; NaN where they ended before."""
    total = np.zeros(())
    for run in runs:
        made, p = [t for t in times if t < len(run.coordinates)], run.last.shape[0]
        rows = np.zeros((len(made) * p, run.last.shape[1]))
        for place, t in enumerate(made):
            rows[place * p : (place + 1) * p, : run.coordinates[t].shape[1]] = run.coordinates[t]
        found = np.full((len(times), len(times), p, p), np.nan)
        blocks = (rows @ rows.T).reshape(len(made), p, len(made), p)
        found[: len(made), : len(made)] = blocks.transpose(0, 2, 1, 3)
        total = total + found / len(runs)
    return np.asarray(total)


def responses_of(runs: list[Weights], times: list[int]) -> Array:
    """R(t, s), shape (times, gradients, p, p), the mean over the runs; NaN where they ended before."""
    return np.asarray(np.mean([_responses(run, times) for run in runs], axis=0))


def _responses(run: Weights, times: list[int]) -> Array:
    """alpha^{-1/2} sum_k D_{t,nu_k} (L^{-1})_{ks}, where g = L gamma are the orthonormalised gradients."""
    p, done = run.last.shape[0], len(run.coordinates) - 1
    size, first = done * p, run.coordinates[0].shape[1]
    triangle, scale = np.eye(size), np.zeros((size, size))
    rows = np.zeros((len(times) * p, size))
    for t, step in enumerate(run.increments[:done]):
        here = slice(t * p, (t + 1) * p)
        triangle[here, : t * p] = step.inverse @ step.projection
        scale[here, here] = step.inverse
    for place, t in enumerate(times):
        if t <= done:
            rows[place * p : (place + 1) * p, : t * p] = run.coordinates[t][:, first:]
    # triangle L^{-1} = scale
    inverse = solve_triangular(triangle, scale, lower=True, unit_diagonal=True) if done else scale
    along = (rows @ inverse / np.sqrt(run.alpha)).reshape(len(times), p, done, p).transpose(0, 2, 1, 3)
    found = np.full((len(times), times[-1], p, p), np.nan)
    for place, t in enumerate(times):
        if t <= done:
            found[place] = 0.0
            found[place, :t] = along[place, :t]
    return found
