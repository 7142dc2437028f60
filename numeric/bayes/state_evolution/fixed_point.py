"""Fixed points of the overlap matrix, from 0+ or from I-."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.bayes.maps.commutant import Commutant
from hermite_analytics.numeric.bayes.state_evolution.iteration import (
    CLOSER,
    Beside,
    FoundMatrix,
    Iteration,
    Search,
)
from hermite_analytics.numeric.bayes.state_evolution.steps import Map, Steps, joined

__all__ = ["fixed_point"]

_LEAST_LEFT = 1e-4  # 1 - m at the informed start
_MOST_KEPT = 8  # values of the map


def fixed_point(
    overlap_map: Map,
    where: Commutant,
    alpha: float,
    search: Search,
    *,
    exact_alpha: Callable[[], float],
    resolution: float,
    partly_exact: bool = True,
    unseen: float = 0.0,
    beside: Beside | None = None,
    undetermined: Callable[[Array], bool] | None = None,
    sampled: bool = False,
    settled: float = 0.0,
    safety: float = 1.0,
    coarse: int = 0,
    takes: Callable[[Array], bool] | None = None,
) -> FoundMatrix:
    """M -> alpha F (I + alpha F)^-1 on the matrices that symmetries allow, from 0+ or from I-.

    F is increasing in the order of matrices: from 0+ the iteration rises to the smallest fixed point that it
    may reach, from I- it falls to the largest. Directions that would fall below the start 0+ are held there
    while the others move, and are 0 in the end if they still fall. Above `exact_alpha`, where M = I is
    stable, an iteration that still rises beside it has left all other fixed points behind. With
    `partly_exact` eigenvalues are held below 1 - `resolution`; those that would go on to 1 are 1, and the
    error includes what changes in the others from there; where `beside` has the map of the others, that
    takes the place of both.

    Parameters
    ----------
    overlap_map : function of M, shape (q, q), and a level, 0 or 1
        F(M), of which the part that the symmetries allow is taken.
    where : Commutant
        With common axes all is done entry by entry.
    exact_alpha : function without arguments
        The alpha above which M = I is stable; asked for beside M = I alone.
    resolution : float > 0
        The least eigenvalue of I - M at which the map is cheap.
    unseen : float
        Error of F that the coarser rule, level 0, does not show, relative to the F of a label that tells all.
    beside : function of directions, shape (q, k), optional
        The map of the others where these are known exactly.
    undetermined : function of directions, shape (q, k), optional
        Whether no overlap 1 in these alone is stable, whatever the others: no ceiling holds them then.
    sampled : bool
        Whether F has noise, of the size of its change with the level: the iteration starts above it.
    settled : float
        The share of that change at which a residual above the tolerance is none.
    safety : float >= 1
        How many times that change F may be off.
    coarse : int
        The level at which it comes near, 0 or -1.
    takes : function of M, optional
        Whether F is found there as it is at M.
    """
    steps = Steps(
        overlap_map=_kept(overlap_map),
        where=where,
        alpha=alpha,
        unseen=unseen,
        sampled=sampled,
        safety=safety,
        coarse=coarse,
        takes=takes,
    )
    iteration = Iteration(
        steps=steps,
        search=search,
        exact_alpha=exact_alpha,
        beside=beside,
        undetermined=undetermined,
        settled=settled,
    )
    unit = np.eye(where.basis.shape[1])
    start = (1 - max(_LEAST_LEFT, resolution) if search.informed else steps.floor) * unit
    if not partly_exact:
        return iteration.run(start, 1.0)
    found = iteration.run(start, 1 - resolution)
    top = steps.directions_at(found.matrix, 1 - resolution)
    if not top.size:
        return found
    if beside is not None and beside(top) is not None:  # overlap 1 is not stable, or not reached
        return iteration.run(found.matrix, 1.0)
    start = found.matrix + resolution * (1 - 1 / CLOSER) * top @ top.T
    closer = iteration.run(start, 1 - resolution / CLOSER, near=2 * resolution)
    if np.array_equal(closer.matrix, unit):
        return closer
    distances = resolution, resolution / CLOSER
    if not iteration.goes_to_one((found.matrix, closer.matrix), distances, top):
        return iteration.run(closer.matrix, 1.0, near=2 * resolution)
    one, two = (_completed(f.matrix, top) for f in (found, closer))
    change = float(np.abs(two - one).max())
    # what is left is about (1 - m)^(1/2), at which the labels' other boundaries are seen
    matrix = _completed(2 * two - one, top)
    if np.linalg.eigvalsh(matrix)[0] > 1 - 2 * change and alpha > exact_alpha():  # all may go to 1
        return iteration.run(closer.matrix, 1.0, near=2 * resolution)
    return dataclasses.replace(closer, matrix=matrix, error=min(closer.error + change, 1.0))


def _kept(overlap_map: Map) -> Map:
    """The same, the last values being kept: the error is asked for where the iteration ends."""
    known: dict[tuple[bytes, int], Array] = {}

    def at(m: Array, level: int) -> Array:
        key = m.tobytes(), level
        if key not in known:
            if len(known) >= _MOST_KEPT:
                del known[next(iter(known))]
            known[key] = overlap_map(m, level)
        return known[key]

    return at


def _completed(matrix: Array, top: Array) -> Array:
    """Some directions with overlap 1, the others between 0 and 1."""
    rest = np.eye(len(matrix)) - top @ top.T
    values, vectors = np.linalg.eigh(rest @ matrix @ rest)
    return joined(np.clip(values, 0.0, 1.0), vectors) + top @ top.T
