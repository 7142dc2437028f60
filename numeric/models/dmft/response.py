"""Two-time functions of a run: correlations of its weights, responses of fields to their own gradients."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.numeric.models.dmft.weights import Weights

__all__ = ["correlations_of", "responses_of"]

Array = NDArray[np.float64]


def correlations_of(runs: list[Weights], times: list[int]) -> Array:
    """C(t, s), shape (times, times, p, p), the mean over the runs; NaN where they ended before."""
    found = [[[_product(run, t, s) for s in times] for t in times] for run in runs]
    return np.asarray(np.mean(found, axis=0))


def _product(run: Weights, t: int, s: int) -> Array:
    p = run.last.shape[0]
    if max(t, s) >= len(run.coordinates):
        return np.full((p, p), np.nan)
    return run.product(t, s)


def responses_of(runs: list[Weights], times: list[int]) -> Array:
    """R(t, s), shape (times, gradients, p, p), the mean over the runs; NaN where they ended before."""
    return np.asarray(np.mean([_responses(run, times) for run in runs], axis=0))


def _responses(run: Weights, times: list[int]) -> Array:
    """alpha^{-1/2} sum_k D_{t,nu_k} (L^{-1})_{ks}, where g = L gamma are the orthonormalised gradients."""
    p, done = run.last.shape[0], len(run.coordinates) - 1
    inverse = np.zeros((done * p, done * p))
    for t, step in enumerate(run.increments[:done]):
        here = slice(t * p, (t + 1) * p)
        inverse[here, : t * p] = -step.inverse @ step.projection @ inverse[: t * p, : t * p]
        inverse[here, here] = step.inverse
    first = run.coordinates[0].shape[1]
    found = np.full((len(times), times[-1], p, p), np.nan)
    for place, t in enumerate(times):
        if t <= done:
            found[place] = 0.0
            along = run.coordinates[t][:, first:] @ inverse[: t * p, : t * p] / np.sqrt(run.alpha)
            found[place, :t] = along.reshape(p, t, p).transpose(1, 0, 2)
    return found
