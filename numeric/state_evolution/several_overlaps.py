"""Fixed points of several overlaps: the monotone iteration, finished by Newton's method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.numeric.solution import Status
from hermite_analytics.numeric.state_evolution.known_coordinate import KnownCoordinate

__all__ = ["FoundOverlaps", "iterate"]

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]
Map = Callable[[Array, int], Array]
Beside = Callable[[Bools], KnownCoordinate | None]

_FLOOR = 1e-5  # the start 0+
_LEAST_LEFT = 1e-4  # 1 - m at the informed start
_SWITCH = 1e-2  # relative residual below which Newton's method is tried
_STEP = 1e-5  # relative, of its differences
_NEAR = 1e-3  # distance to complete overlap below which the map is homogeneous in I - M
_LONGEST = 100.0  # of its steps, in residuals
_HURRY = 30.0  # steps in one, of an overlap that grows slowly
_SMALL = 0.05  # overlap below which it may be a start
_CLOSER = 4.0  # ratio of distances from 1 at which overlaps that go there are looked at


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundOverlaps:
    """One fixed point with its statistics."""

    overlaps: Array
    status: Status
    residual: float
    iterations: int
    error: float


def iterate(
    overlap_map: Map,
    alpha: float,
    size: int,
    *,
    exact_alpha: float,
    informed: bool,
    tolerance: float,
    max_steps: int,
    resolution: float = 1e-4,
    unseen: float = 0.0,
    partly_exact: bool = False,
    beside: Beside | None = None,
) -> FoundOverlaps:
    """m -> alpha F/(1 + alpha F), entry by entry, from 0+ or from 1-.

    F is increasing in the order of matrices: the iteration from 0+ rises to the smallest fixed point that it
    may reach, the one from 1- falls to the largest. Overlaps that would fall below the start 0+ are held
    there while the others move, and are 0 in the end if they still fall. Above `exact_alpha`, where M = I is
    stable, an iteration that still rises beside it has left all other fixed points behind. With
    `partly_exact`, where some of the overlaps go to 1 and others do not, these are found with the first ones
    held as close to 1 as `resolution` allows; the error includes what changes from there. Where `beside` has
    the map of the others for overlaps that are 1, that takes the place of both. `unseen` is the relative
    error of F that the coarser rule, level 0, does not show.
    """

    def step(m: Array, level: int) -> Array:
        f = alpha * overlap_map(m, level)
        return np.asarray(f / (1 + f))

    near = max(_NEAR, 2 * resolution)
    m = np.full(size, 1 - max(_LEAST_LEFT, resolution) if informed else _FLOOR)
    held, looked_at, count, residual, level = True, informed or not partly_exact, 0, np.inf, 0
    while count < max_steps:
        following = step(m, level)
        count += 1
        falls = (m <= _FLOOR) & (following < m)
        if held:
            following = np.where(falls, m, following)
        residual = float(np.abs(following - m).max())
        if alpha > exact_alpha and np.all(m > 1 - near) and np.all(following > m):
            return FoundOverlaps(
                overlaps=np.ones(size), status=Status.CONVERGED, residual=0.0, iterations=count, error=0.0
            )
        if level == 1 and residual <= tolerance:
            if not (held and falls.any()):
                break
            m, held = np.where(falls, 0.0, m), False
            continue
        complete = (m > 1 - near) & (following > m)
        if complete.any() and not complete.all() and not looked_at:
            looked_at = True
            known = None if beside is None else beside(complete)
            if known is not None and alpha * known.share > 1:
                return _beside_known(known, alpha, complete, tolerance)
            if known is None and _is_exact(overlap_map, alpha, m, complete, resolution):
                return _beside_exact(
                    overlap_map, alpha, m, complete, resolution, tolerance=tolerance, max_steps=max_steps
                )
        newton = None
        if np.all(np.abs(following - m) <= _SWITCH * m):
            newton = _newton(lambda x, k=level: step(x, k), m, following)
            count += len(m)
            level = 1
        m = _hurried(m, following) if newton is None else newton
    status = Status.CONVERGED if residual <= tolerance else Status.MAX_STEPS_REACHED
    causes = np.stack([step(m, 0) - step(m, 1), unseen * m * (1 - m)], axis=1)
    changes = np.linalg.lstsq(_jacobian(lambda x: step(x, 0), m, step(m, 0)), causes, rcond=None)[0]
    error = min(float(np.abs(changes).sum(axis=1).max()), 1.0)
    return FoundOverlaps(overlaps=m, status=status, residual=residual, iterations=count, error=error)


def _beside_known(known: KnownCoordinate, alpha: float, complete: Bools, tolerance: float) -> FoundOverlaps:
    """The overlap beside one that is 1, by its own map."""
    m, residual, count, error = known.point(alpha, informed=False)
    return FoundOverlaps(
        overlaps=np.where(complete, 1.0, m),
        status=Status.CONVERGED if residual <= tolerance else Status.MAX_STEPS_REACHED,
        residual=residual,
        iterations=count,
        error=error,
    )


def _is_exact(overlap_map: Map, alpha: float, m: Array, complete: Bools, resolution: float) -> bool:
    """Whether alpha (1 - m) F has a limit above 1 at m -> 1, by its values at two places.

    It has no limit but 0 where labels never determine an overlap; the error at both is about (1 - m)^(1/2).
    """
    products = []
    for left in (resolution, resolution / _CLOSER):
        found = overlap_map(np.where(complete, 1 - left, m), 1)
        products.append(alpha * left * found[complete])
    return bool(np.all(2 * products[1] - products[0] > 1))


def _beside_exact(
    overlap_map: Map,
    alpha: float,
    m: Array,
    complete: Bools,
    resolution: float,
    *,
    tolerance: float,
    max_steps: int,
) -> FoundOverlaps:
    """The overlaps beside some that are 1, which are kept short of it by `resolution` or less."""
    found = []
    for left in (resolution, resolution / _CLOSER):

        def others(x: Array, level: int, left: float = left) -> Array:
            full = np.where(complete, 1 - left, m)
            full[~complete] = x
            return overlap_map(full, level)[~complete]

        found.append(
            iterate(
                others,
                alpha,
                int(np.count_nonzero(~complete)),
                exact_alpha=np.inf,
                informed=False,
                tolerance=tolerance,
                max_steps=max_steps,
                resolution=resolution,
            )
        )
    overlaps = np.ones(len(m))
    # what is left is about (1 - m)^(1/2), at which the labels' other boundaries are seen
    overlaps[~complete] = np.clip(2 * found[1].overlaps - found[0].overlaps, 0.0, 1.0)
    change = float(np.abs(found[1].overlaps - found[0].overlaps).max())
    return FoundOverlaps(
        overlaps=overlaps,
        status=found[1].status,
        residual=found[1].residual,
        iterations=sum(f.iterations for f in found),
        error=min(change + found[1].error, 1.0),
    )


def _hurried(m: Array, following: Array) -> Array:
    """The slowest overlap further along, where all are nearly at rest: it leaves 0 near its threshold."""
    change = following - m
    relative = np.abs(change) / np.maximum(m, 1e-300)
    k = int(np.argmax(relative))
    if relative[k] > _SWITCH or change[k] <= 0 or m[k] > _SMALL:
        return following
    moved = following.copy()
    moved[k] = m[k] + _HURRY * change[k]
    return moved


def _newton(step: Callable[..., Array], m: Array, following: Array) -> Array | None:
    """One step of Newton's method in the direction of the iteration, else None."""
    residual = following - m
    moving = np.abs(residual) > 0
    matrix = _jacobian(step, m, np.where(moving, following, m))[np.ix_(moving, moving)]
    try:
        move = np.zeros(len(m))
        move[moving] = np.linalg.solve(matrix, residual[moving])
    except np.linalg.LinAlgError:
        return None
    new = m + move
    far = bool(np.abs(move).max() > _LONGEST * np.abs(residual).max())
    turns = bool(np.any(move * residual < -1e-3 * np.abs(residual).max() ** 2))
    return None if far or turns or np.any(new < 0) or np.any(new >= 1) else new


def _jacobian(step: Callable[..., Array], m: Array, base: Array) -> Array:
    """I - d step/d m by differences; overlaps that are 0 stay so."""
    result = np.eye(len(m))
    for k in np.flatnonzero(m > 0):
        h = _STEP * min(m[k], 1 - m[k])
        moved = m.copy()
        moved[k] -= h
        result[:, k] -= (base - step(moved)) / h
    return result
