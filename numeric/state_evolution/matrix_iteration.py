"""Fixed points of a whole overlap matrix: the monotone iteration, finished by Newton's method."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.numeric.solution import Status
from hermite_analytics.numeric.state_evolution.known_coordinate import KnownCoordinate

__all__ = ["FoundMatrix", "beside_known", "iterate_matrix"]

Array = NDArray[np.float64]
Map = Callable[[Array, int], Array]
Beside = Callable[[Array], KnownCoordinate | None]

_FLOOR = 1e-5  # the start 0+
_CEILING = 1 - 1e-2  # the informed start
_NEAR = 2e-2  # eigenvalues of I - M below which the map is homogeneous in it
_SWITCH = 2e-2  # relative change in any direction below which Newton's method is tried
_STEP = 1e-4  # relative, of its differences
_LONGEST = 100.0  # of its steps, in residuals
_HELD = 1e-12
_HURRY = 30.0  # steps in one, of a direction that grows slowly
_SMALL = 0.05  # overlap below which it may be at its start
_AT_CEILING = 1e-9
_CLOSER = 4.0  # ratio of distances from 1 at which overlaps that go there are looked at


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundMatrix:
    """One fixed point with its statistics."""

    matrix: Array
    status: Status
    residual: float
    iterations: int
    error: float


def iterate_matrix(
    overlap_map: Map,
    alpha: float,
    basis: Array,
    *,
    exact_alpha: float,
    informed: bool,
    tolerance: float,
    max_steps: int,
    resolution: float = 0.0,
    unseen: float = 0.0,
    beside: Beside | None = None,
) -> FoundMatrix:
    """M -> alpha F (I + alpha F)^-1 on the span of a basis of symmetric matrices, from 0+ or from I-.

    F is increasing in the order of matrices: from 0+ the iteration rises to the smallest fixed point that it
    may reach, from I- it falls to the largest. Eigenvalues that would fall below the start are held there
    while the others move, and are 0 in the end if they still fall. Above `exact_alpha`, where M = I is
    stable, an iteration that still rises beside it has left all other fixed points behind. Eigenvalues are
    held below 1 - `resolution`; those that would go on to 1 are 1, and the error includes what changes in the
    others from there.

    Parameters
    ----------
    overlap_map : function of M and a level, 0 or 1
    basis : ndarray, shape (k, q, q)
        Orthonormal.
    resolution : float
        The least eigenvalue of I - M at which the map is cheap.
    unseen : float
        Relative error of F that the coarser rule, level 0, does not show.
    beside : function of directions, shape (q, k), optional
        The map of the others where these are known exactly.
    """
    unit = np.eye(basis.shape[1])

    def run(start: Array, ceiling: float) -> FoundMatrix:
        return _iterate(overlap_map, alpha, basis, start, ceiling, exact_alpha, tolerance, max_steps, unseen)

    found = run(min(_CEILING, 1 - resolution) * unit if informed else _FLOOR * unit, 1 - resolution)
    values, vectors = np.linalg.eigh(found.matrix)
    top = vectors[:, np.abs(values - (1 - resolution)) < _AT_CEILING]
    if resolution == 0 or not top.size:
        return found
    known = None if beside is None else beside(top)
    if known is not None and alpha * known.share > 1:
        return beside_known(known, alpha, informed=informed, tolerance=tolerance)
    closer = run(found.matrix + resolution * (1 - 1 / _CLOSER) * top @ top.T, 1 - resolution / _CLOSER)
    if known is not None or not _is_exact(overlap_map, alpha, (found.matrix, closer.matrix), top, resolution):
        return run(closer.matrix, 1.0)
    one, two = (_completed(m, top.shape[1]) for m in (found.matrix, closer.matrix))
    change = float(np.abs(two - one).max())
    # what is left is about (1 - m)^(1/2), at which the labels' other boundaries are seen
    matrix = _completed(2 * two - one, top.shape[1])
    return dataclasses.replace(closer, matrix=matrix, error=min(closer.error + change, 1.0))


def beside_known(known: KnownCoordinate, alpha: float, *, informed: bool, tolerance: float) -> FoundMatrix:
    """1 in the known direction, and the overlap across it by its own map."""
    m, residual, count, error = known.point(alpha, informed=informed)
    x, w = known.label.known, known.label.other
    return FoundMatrix(
        matrix=np.outer(x, x) + m * np.outer(w, w),
        status=Status.CONVERGED if residual <= tolerance else Status.MAX_STEPS_REACHED,
        residual=residual,
        iterations=count,
        error=error,
    )


def _completed(matrix: Array, count: int) -> Array:
    """The largest eigenvalues set to 1."""
    values, vectors = np.linalg.eigh(matrix)
    values[-count:] = 1.0
    return np.asarray((vectors * values) @ vectors.T)


def _is_exact(
    overlap_map: Map, alpha: float, matrices: Sequence[Array], top: Array, resolution: float
) -> bool:
    """Whether alpha (1 - m) F has a limit above 1 in some directions, by its values at two distances.

    It has no limit but 0 where labels never determine an overlap; the error at both is about (1 - m)^(1/2).
    """
    products = [
        alpha * left * np.linalg.eigvalsh(top.T @ overlap_map(m, 1) @ top)
        for m, left in zip(matrices, (resolution, resolution / _CLOSER), strict=True)
    ]
    return bool(np.all(2 * products[1] - products[0] > 1))


def _iterate(
    overlap_map: Map,
    alpha: float,
    basis: Array,
    start: Array,
    ceiling: float,
    exact_alpha: float,
    tolerance: float,
    max_steps: int,
    unseen: float,
) -> FoundMatrix:
    """From a matrix, with eigenvalues held below a ceiling."""
    unit = np.eye(len(start))
    near = max(_NEAR, 2 * (1 - ceiling))

    def free(m: Array, level: int) -> Array:
        f = alpha * overlap_map(m, level)
        return np.asarray(unit - np.linalg.inv(unit + 0.5 * (f + f.T)))

    def step(m: Array, level: int) -> Array:
        return _not_above(free(m, level), ceiling)

    m, held = start, unit  # the projection on what is still allowed to grow
    count, residual, level = 0, np.inf, 0
    while count < max_steps:
        rising = free(m, level)
        following = _not_above(rising, ceiling)
        count += 1
        following = _not_below(held @ following @ held, held)
        residual = float(np.abs(following - m).max())
        left = np.linalg.eigvalsh(unit - m)
        if alpha > exact_alpha and left[-1] < near and np.linalg.eigvalsh(rising - m)[0] > 0:
            return FoundMatrix(
                matrix=unit, status=Status.CONVERGED, residual=0.0, iterations=count, error=0.0
            )
        if level == 1 and residual <= tolerance:
            growing = _growing(m, step(m, level), held)
            count += 1
            if np.allclose(growing, held):
                break
            held, m = growing, growing @ m @ growing
            continue
        growth, along = _fastest(m, following)
        if growth > _SWITCH:
            m = following
            continue
        newton = _newton(lambda x, h=held, k=level: h @ step(x, k) @ h, m, following, basis, held)
        if newton is not None and np.linalg.eigvalsh(newton)[-1] > ceiling:
            newton = None
        count += len(basis) if newton is not None else 0
        if newton is not None or residual <= tolerance:
            level = 1
        m = _hurried(following, growth, along) if newton is None else newton
    status = Status.CONVERGED if residual <= tolerance else Status.MAX_STEPS_REACHED
    change = np.abs(step(m, 0) - step(m, 1)) + unseen * np.abs(m @ (unit - m))
    slack = 1.0 - _rate(lambda x: held @ step(x, 1) @ held, m)
    error = min(float(change.max()) / max(slack, 1e-3), 1.0)
    return FoundMatrix(matrix=m, status=status, residual=residual, iterations=count, error=error)


def _not_above(matrix: Array, ceiling: float) -> Array:
    """Eigenvalues lowered to a ceiling."""
    values, vectors = np.linalg.eigh(matrix)
    if values[-1] <= ceiling:
        return matrix
    return np.asarray((vectors * np.minimum(values, ceiling)) @ vectors.T)


def _not_below(matrix: Array, held: Array) -> Array:
    """Eigenvalues in the space that may grow raised to the start."""
    values, vectors = np.linalg.eigh(matrix)
    inside = np.einsum("ia,ij,ja->a", vectors, held, vectors) > 0.5
    values = np.where(inside, np.maximum(values, _FLOOR), 0.0)
    return np.asarray((vectors * values) @ vectors.T)


def _growing(m: Array, following: Array, held: Array) -> Array:
    """The projection without the directions at the start that still fall."""
    values, vectors = np.linalg.eigh(m)
    at_start = (values <= _FLOOR * (1 + 1e-9)) & (np.einsum("ia,ij,ja->a", vectors, held, vectors) > 0.5)
    falls = at_start & (np.einsum("ia,ij,ja->a", vectors, following, vectors) < _FLOOR * (1 - _HELD))
    dropped = vectors[:, falls]
    return np.asarray(held - dropped @ dropped.T)


def _fastest(m: Array, following: Array) -> tuple[float, Array]:
    """The largest relative change of M in any direction, and M there: a matrix of low rank.

    The eigenvalue of largest modulus of M^(-1/2) (following - M) M^(-1/2), and M^(1/2) P M^(1/2) with P the
    projection on its eigenvectors; 0 where it is no growth.
    """
    values, vectors = np.linalg.eigh(m)
    present = values > 0.5 * _FLOOR
    root = vectors[:, present] * np.sqrt(values[present])
    inverse = vectors[:, present] / np.sqrt(values[present])
    changes, directions = np.linalg.eigh(inverse.T @ (following - m) @ inverse)
    largest = float(np.abs(changes).max(initial=0.0))
    growing = directions[:, changes >= 0.9 * largest]
    return largest, root @ growing @ growing.T @ root.T


def _hurried(following: Array, growth: float, along: Array) -> Array:
    """The slowest direction further along, where all are nearly at rest: it leaves 0 near its threshold."""
    if float(np.linalg.eigvalsh(along)[-1]) > _SMALL:
        return following
    return np.asarray(following + _HURRY * growth * along)


def _newton(
    step: Callable[..., Array], m: Array, following: Array, basis: Array, held: Array
) -> Array | None:
    """One step of Newton's method on the coefficients, else None."""
    parts = [b for b in (held @ b @ held for b in basis) if np.abs(b).max() > 1e-9]
    directions, kept = _independent(np.array(parts))
    if np.linalg.eigvalsh(m)[0] <= _FLOOR * (1 + 1e-9) and kept == len(basis):
        return None  # an eigenvalue is held at the start
    residual = following - m
    left, right = float(np.linalg.eigvalsh(np.eye(len(m)) - m)[0]), float(np.abs(m).max())
    columns = []
    for b in directions:
        h = _STEP * min(left, right)
        columns.append(b - (step(m) - step(m - h * b)) / h)
    matrix = np.einsum("kij,lij->lk", np.array(columns), directions)
    try:
        move = np.linalg.solve(matrix, np.einsum("lij,ij->l", directions, residual))
    except np.linalg.LinAlgError:
        return None
    change = np.einsum("k,kij->ij", move, directions)
    new = m + change
    values = np.linalg.eigvalsh(new)
    far = float(np.abs(change).max()) > _LONGEST * float(np.abs(residual).max())
    return None if far or values[0] < 0 or values[-1] >= 1 else new


def _independent(parts: Array) -> tuple[Array, int]:
    """Orthonormal matrices with the span of some, and their number."""
    flat = parts.reshape(len(parts), -1)
    _, sizes, rows = np.linalg.svd(flat, full_matrices=False)
    kept = rows[sizes > 1e-9]
    return kept.reshape(len(kept), *parts.shape[1:]), len(kept)


def _rate(step: Callable[[Array], Array], m: Array) -> float:
    """The contraction of the iteration along M itself."""
    size = float(np.abs(m).max())
    if size == 0:
        return 0.0
    h = 1e-4
    change = (step(m) - step((1 - h) * m)) / h
    return float(np.abs(change).max()) / size
