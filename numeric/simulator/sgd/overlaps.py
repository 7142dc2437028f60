"""What is measured on the weights: overlaps with the target's directions, and how far noise moves them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.numeric.simulator.backend import Array, Backend
from hermite_analytics.numeric.simulator.learned import decisions
from hermite_analytics.numeric.simulator.protocol import Sample
from hermite_analytics.numeric.simulator.streams import GaussianStream, Purpose

__all__ = ["CONTROLS", "drift_decisions", "measured", "noise_factors"]

Floats = NDArray[np.float64]
Forces = Callable[[Floats, Floats], Floats]
CONTROLS = 1000
_DRAWS = 2**22


def measured(
    backend: Backend,
    path: Sequence[Array],
    start: Floats,
    directions: Floats,
    controls: Floats,
    factors: Floats,
) -> Sample:
    """Overlaps along a path of weights.

    Parameters
    ----------
    backend : Backend
    path : sequence of T arrays of float64, shape (p, d)
    start : ndarray, shape (p, d)
        The weights before the first step.
    directions : ndarray, shape (r, d)
    controls : ndarray, shape (K, d)
        Directions on which the labels do not depend.
    factors : ndarray, shape (p, r)
        Of `noise_factors`.

    Returns
    -------
    dict of str to ndarray
        overlap and cosine (T, p, r), norm (T, p); largest_overlap (T, r), the largest |cosine| over neurons;
        null_overlap, signal and exceedance (T, r), see `_against_controls`.
    """
    weights = np.stack([backend.host(w) for w in path])
    with np.errstate(all="ignore"):  # weights that diverged have no overlap: NaN
        norm = np.linalg.norm(weights, axis=2)
        overlap = weights @ directions.T
        cosine = overlap / norm[:, :, None]
        moved = (weights - start) / norm[:, :, None]
        return {
            "overlap": overlap,
            "cosine": cosine,
            "norm": norm,
            "largest_overlap": np.max(np.abs(cosine), axis=1),
            **_against_controls(moved, directions, controls, factors),
        }


def _against_controls(moved: Floats, directions: Floats, controls: Floats, factors: Floats) -> Sample:
    """The change of |cosine| along each direction of the target, against what noise alone would do.

    null_overlap: the mean over controls of the largest change over neurons, times the noise factors; signal:
    the squared change along the direction over the mean of their squares, 1 by chance; exceedance: the rank
    (1 + #{controls that changed as much})/(1 + K), a p-value of one seed for "there is no drift along this
    direction". NaN without controls.
    """
    change = np.max(np.abs(moved @ directions.T), axis=1)  # (T, r)
    if controls.shape[0] == 0:
        missing = np.full(change.shape, np.nan)
        return dict.fromkeys(("null_overlap", "signal", "exceedance"), missing)
    noise = np.abs(moved @ controls.T)  # (T, p, K)
    null = np.stack([np.max(noise * factor[:, None], axis=1) for factor in factors.T], axis=1)  # (T, r, K)
    level = np.mean(null**2, axis=2)
    beyond = np.sum(null >= change[:, :, None], axis=2)
    return {
        "null_overlap": np.mean(null, axis=2),
        "signal": np.where(level == 0.0, 1.0, change**2 / level),  # 1 before the first step
        "exceedance": np.where(np.isnan(change), np.nan, (1 + beyond) / (1 + controls.shape[0])),
    }


def noise_factors(
    seed: int,
    forces: Forces,
    label: Callable[..., Any],
    noise: float,
    overlap: Floats,
    correlations: Floats,
) -> Floats:
    """By how much more noise moves w_j along w*_s than along a control direction.

    (E[F_j^2 z_s^2]/E[F_j^2])^(1/2), because the labels depend on z_s: sqrt(7) for He3 and the correlation
    loss at overlap 0. By Monte Carlo over the fields and labels of the initial weights.

    Parameters
    ----------
    seed : int
    forces : callable
        F of fields (count, p) and labels (count,).
    label : callable
        g, of r arrays.
    noise : float
        Variance of the label noise.
    overlap, correlations : ndarray, shapes (p, r) and (p, p)
        W W*^T and W W^T of the initial weights.

    Returns
    -------
    ndarray, shape (p, r)
        1 for a neuron that does not move.
    """
    p, r = overlap.shape
    count = min(2**16, max(2**12, _DRAWS // (p + r + 1)))
    draws = GaussianStream(seed=seed, purpose=Purpose.TEST_DATA).normals(count, r + 1 + p)
    z, xi, other = draws[:, :r], draws[:, r], draws[:, r + 1 :]
    values, vectors = np.linalg.eigh(correlations - overlap @ overlap.T)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    fields = z @ overlap.T + other @ root.T
    squares = forces(fields, label(*z.T) + math.sqrt(noise) * xi) ** 2
    total = np.sum(squares, axis=0)
    along = squares.T @ (z * z)
    moving = total > 0.0
    ratio = along / np.where(moving, total, 1.0)[:, None]
    return np.where(moving[:, None], np.sqrt(ratio), 1.0)


def drift_decisions(signals: Floats, exceedances: Floats) -> Any:
    """What all seeds together say about a drift along each direction.

    "learned": Fisher's combination of the ranks is below 1e-6, and the mean signal above 10. Otherwise
    "undecided": an overlap below the noise of one dimension may still be there, see the scaling with d.

    Parameters
    ----------
    signals, exceedances : ndarray, shape (seeds, ...)

    Returns
    -------
    dict, or nested lists of such
        {"verdict", "p_value", "scaled_overlap" (the mean signal), "seeds"}, in the shape of a seed's numbers.
    """
    found = decisions(signals, exceedances, 1)
    return _each(found, lambda one: one | {"verdict": _positive(one["verdict"])})


def _each(found: Any, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    return [_each(one, change) for one in found] if isinstance(found, list) else change(found)


def _positive(verdict: str) -> str:
    return verdict if verdict == "learned" else "undecided"
