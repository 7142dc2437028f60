"""What is measured on the weights: overlaps with the target's directions, and how far noise moves them.

"..." in shapes is the axis of the seeds if there are several, else nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.numeric.simulator.backend import Array, Backend
from hermite_analytics.numeric.simulator.data import chunks
from hermite_analytics.numeric.simulator.learned import Decision, Decisions, decisions
from hermite_analytics.numeric.simulator.protocol import Sample
from hermite_analytics.numeric.simulator.streams import GaussianStream, Purpose, Seeds

if TYPE_CHECKING:
    from hermite_analytics.numeric.simulator.functions import Elementwise

__all__ = ["CONTROLS", "drift_decisions", "measured", "noise_factors"]

Floats = NDArray[np.float64]
Forces = Callable[[Array, Array], Array]
CONTROLS = 1000
_DRAWS = 2**22
_LEAST_ROWS = 256


def measured(
    backend: Backend,
    path: Array,
    start: Array,
    directions: Array,
    controls: Array,
    factors: Array,
) -> Sample:
    """Overlaps along a path of weights.

    Parameters
    ----------
    backend : Backend
        Of the arrays, which are of float64.
    path : array, shape (..., T, p, d)
    start : array, shape (..., p, d)
        The weights before the first step.
    directions : array, shape (..., r, d)
    controls : array, shape (..., K, d)
        Directions on which the labels do not depend.
    factors : array, shape (..., p, r)
        Of `noise_factors`.

    Returns
    -------
    dict of str to ndarray
        overlap and cosine (..., T, p, r), norm (..., T, p); largest_overlap (..., T, r), the largest |cosine|
        over neurons; null_overlap, signal and exceedance (..., T, r), see `_against_controls`.
    """
    xp = backend.xp
    along = xp.matrix_transpose(directions)[..., None, :, :]
    with np.errstate(all="ignore"):  # weights that diverged have no overlap: NaN
        norm = xp.sqrt(xp.sum(path * path, axis=-1))
        overlap = path @ along
        cosine = overlap / norm[..., None]
        moved = (path - start[..., None, :, :]) / norm[..., None]
        change = xp.max(xp.abs(moved @ along), axis=-2)  # (..., T, r)
        found = {
            "overlap": overlap,
            "cosine": cosine,
            "norm": norm,
            "largest_overlap": xp.max(xp.abs(cosine), axis=-2),
            **_against_controls(backend, moved, change, controls, factors),
        }
    return {name: backend.host(values) for name, values in found.items()}


def _against_controls(
    backend: Backend, moved: Array, change: Array, controls: Array, factors: Array
) -> dict[str, Array]:
    """The change of |cosine| along each direction of the target, against what noise alone would do.

    null_overlap: the mean over controls of the largest change over neurons, times the noise factors; signal:
    the squared change along the direction over the mean of their squares, 1 by chance; exceedance: the rank
    (1 + #{controls that changed as much})/(1 + K), a p-value of one seed for "there is no drift along this
    direction". NaN without controls.
    """
    xp = backend.xp
    count = controls.shape[-2]
    if count == 0:
        return dict.fromkeys(("null_overlap", "signal", "exceedance"), xp.full_like(change, math.nan))
    noise = xp.abs(moved @ xp.matrix_transpose(controls)[..., None, :, :])  # (..., T, p, K)
    # The largest over neurons for each direction: (..., T, r, K).
    scaled = (noise * factors[..., None, :, s, None] for s in range(factors.shape[-1]))
    null = xp.stack([xp.max(one, axis=-2) for one in scaled], axis=-2)
    level = xp.mean(null**2, axis=-1)
    beyond = xp.sum(xp.astype(null >= change[..., None], xp.float64), axis=-1)
    return {
        "null_overlap": xp.mean(null, axis=-1),
        "signal": xp.where(level == 0.0, 1.0, change**2 / level),  # 1 before the first step
        "exceedance": xp.where(xp.isnan(change), math.nan, (1 + beyond) / (1 + count)),
    }


def noise_factors(
    backend: Backend,
    seed: Seeds,
    forces: Forces,
    label: Elementwise,
    noise: float,
    overlap: Floats,
    correlations: Floats,
) -> Array:
    """By how much more noise moves w_j along w*_s than along a control direction.

    (E[F_j^2 z_s^2]/E[F_j^2])^(1/2), because the labels depend on z_s: sqrt(7) for He3 and the correlation
    loss at overlap 0. By Monte Carlo over the fields and labels of the initial weights.

    Parameters
    ----------
    backend : Backend
        In float64.
    seed : int or tuple of int
    forces : callable
        F of fields (..., count, p) and labels (..., count).
    label : callable
        g, of r arrays.
    noise : float
        Variance of the label noise.
    overlap, correlations : ndarray, shapes (..., p, r) and (..., p, p)
        W W*^T and W W^T of the initial weights.

    Returns
    -------
    array, shape (..., p, r)
        1 for a neuron that does not move.
    """
    xp = backend.xp
    *stack, p, r = overlap.shape
    values, vectors = np.linalg.eigh(correlations - overlap @ overlap.mT)
    root = vectors * np.sqrt(np.maximum(values, 0.0))[..., None, :]
    known, unknown = backend.array(overlap.mT), backend.array(root.mT)
    stream = GaussianStream(seed=seed, purpose=Purpose.TEST_DATA)
    total, along = backend.zeros(*stack, p), backend.zeros(*stack, p, r)
    width = p + r + 1
    rows = max(_LEAST_ROWS, backend.numbers_at_once // (math.prod(stack) * width))
    for first, count in chunks(0, min(2**16, max(2**12, _DRAWS // width)), rows):
        draws = backend.normals(stream, count, width, first_row=first)
        z, xi, other = draws[..., :r], draws[..., r], draws[..., r + 1 :]
        labels = label(*(z[..., k] for k in range(r))) + math.sqrt(noise) * xi
        squares = forces(z @ known + other @ unknown, labels) ** 2
        total += xp.sum(squares, axis=-2)
        along += xp.matrix_transpose(squares) @ (z * z)
    moving = (total > 0.0)[..., None]
    ratio = along / xp.where(moving, total[..., None], 1.0)
    return xp.where(moving, xp.sqrt(ratio), 1.0)


def drift_decisions(signals: Floats, exceedances: Floats) -> Decisions:
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
    return _each(found, lambda one: one | {"verdict": _positive(str(one["verdict"]))})


def _each(found: Decisions, change: Callable[[Decision], Decision]) -> Decisions:
    return [_each(one, change) for one in found] if isinstance(found, list) else change(found)


def _positive(verdict: str) -> str:
    return verdict if verdict == "learned" else "undecided"
