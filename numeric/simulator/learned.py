"""Whether a direction is learned: overlaps against those with control directions of the same run.

The neurons of a network share their data, so that they are not independent samples: the seed is the unit. In
a run the mean squared cosine S of a direction is ranked among those of K random directions orthogonal to
everything that the labels depend on. If nothing is learned along it, it is exchangeable with them, and

    exceedance = (1 + number of controls with S_control >= S)/(1 + K)

is a p-value. Fisher's method combines the seeds. ("..." in shapes is the axis of the seeds if there are
several, else nothing.)
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.numeric.simulator.backend import Array, Backend
from hermite_analytics.numeric.simulator.observables import squared_overlaps
from hermite_analytics.numeric.simulator.streams import GaussianStream, Purpose, Seeds

__all__ = ["control_directions", "decisions", "exceedance"]

Decision: TypeAlias = dict[str, str | float]
Decisions: TypeAlias = "Decision | list[Decisions]"

MOST_CONTROLS = 1000
LEVEL = 1e-6
"""The p-value below which a direction can count as learned."""
LEARNED_FROM, NOT_LEARNED_BELOW = 10.0, 5.0
"""Bounds on d S: 1 for a direction that the weights do not know; it grows with d for one that they do."""
_CONFIDENCE = 0.99

Floats = NDArray[np.float64]


def control_directions(backend: Backend, directions: Array, seed: Seeds) -> Array:
    """Random unit vectors orthogonal to the given directions, in float64.

    Parameters
    ----------
    backend : Backend
    directions : array of float64, shape (..., r, d)
        Orthonormal rows.
    seed : int or tuple of int

    Returns
    -------
    array of float64, shape (..., min(d - r, 1000), d)
    """
    r, d = directions.shape[-2:]
    stream = GaussianStream(seed=seed, purpose=Purpose.CONTROL)
    random = backend.wide(backend.normals(stream, min(d - r, MOST_CONTROLS), d))
    random = random - (random @ backend.xp.matrix_transpose(directions)) @ directions
    return random / backend.xp.sqrt(backend.xp.sum(random * random, axis=-1))[..., None]


def exceedance(backend: Backend, weights: Array, overlaps: Floats, controls: Array) -> Floats:
    """The share of the control directions whose overlap is at least as large, the direction counted in.

    Parameters
    ----------
    backend : Backend
    weights : array of float64, shape (..., p, d)
    overlaps : ndarray, shape (..., count)
        Mean squared cosines of the rows with the directions in question.
    controls : array of float64, shape (..., K, d)

    Returns
    -------
    ndarray, shape (..., count)
        In [1/(K + 1), 1].
    """
    count = controls.shape[-2]
    if not count:
        return np.ones(overlaps.shape)
    chance = squared_overlaps(backend, weights, controls)
    beyond = np.sum(chance[..., None, :] >= overlaps[..., :, None], axis=-1)
    return np.asarray((1 + beyond) / (1 + count))


def decisions(overlaps: Floats, exceedances: Floats, d: int) -> Decisions:
    """What all seeds together say about each direction.

    "learned": p < 1e-6 and d S > 10. "not learned": d S < 5 with 99% confidence (Student's t over seeds).
    Otherwise "undecided": more seeds, or a larger d, tell.

    Parameters
    ----------
    overlaps, exceedances : ndarray, shape (seeds, ...)
    d : int

    Returns
    -------
    dict, or nested lists of such
        {"verdict", "p_value", "scaled_overlap" (d S), "seeds"}, in the shape of a seed's overlaps.
    """
    from scipy import stats  # slow to load, for verdicts alone

    if overlaps.ndim > 1:
        return [decisions(overlaps[:, k], exceedances[:, k], d) for k in range(overlaps.shape[1])]
    seeds = overlaps.size
    p_value = float(stats.combine_pvalues(exceedances, method="fisher").pvalue)
    scaled = d * float(np.mean(overlaps))
    verdict = "undecided"
    if p_value < LEVEL and scaled > LEARNED_FROM:
        verdict = "learned"
    elif seeds > 1:
        error = d * float(np.std(overlaps, ddof=1)) / np.sqrt(seeds)
        if scaled + stats.t.ppf(_CONFIDENCE, seeds - 1) * error < NOT_LEARNED_BELOW:
            verdict = "not learned"
    return {"verdict": verdict, "p_value": p_value, "scaled_overlap": scaled, "seeds": seeds}
