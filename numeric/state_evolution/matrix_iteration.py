"""Fixed points of a whole overlap matrix: the monotone iteration, finished by Newton's method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.numeric.solution import Status

__all__ = ["FoundMatrix", "iterate_matrix"]

Array = NDArray[np.float64]
Map = Callable[[Array, int], Array]

_FLOOR = 1e-5  # the start 0+
_CEILING = 1 - 1e-2  # the informed start
_NEAR = 2e-2  # eigenvalues of I - M below which the map is homogeneous in it
_SWITCH = 2e-2  # relative change in any direction below which Newton's method is tried
_STEP = 1e-4  # relative, of its differences
_LONGEST = 100.0  # of its steps, in residuals
_HELD = 1e-12
_HURRY = 30.0  # steps in one, of a direction that grows slowly
_SMALL = 0.05  # overlap below which it may be at its start


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
) -> FoundMatrix:
    """M -> alpha F (I + alpha F)^-1 on the span of a basis of symmetric matrices, from 0+ or from I-.

    F is increasing in the order of matrices: from 0+ the iteration rises to the smallest fixed point that it
    may reach, from I- it falls to the largest. Eigenvalues that would fall below the start are held there
    while the others move, and are 0 in the end if they still fall. Above `exact_alpha`, where M = I is
    stable, an iteration that still rises beside it has left all other fixed points behind.

    Parameters
    ----------
    overlap_map : function of M and a level, 0 or 1
    basis : ndarray, shape (k, q, q)
        Orthonormal.
    """
    q = basis.shape[1]
    unit = np.eye(q)

    def step(m: Array, level: int) -> Array:
        f = alpha * overlap_map(m, level)
        return np.asarray(unit - np.linalg.inv(unit + 0.5 * (f + f.T)))

    m = (_CEILING if informed else _FLOOR) * unit
    held = unit  # the projection on what is still allowed to grow
    count, residual, level = 0, np.inf, 0
    while count < max_steps:
        following = step(m, level)
        count += 1
        following = _not_below(held @ following @ held, held)
        residual = float(np.abs(following - m).max())
        left = np.linalg.eigvalsh(unit - m)
        if alpha > exact_alpha and left[-1] < _NEAR and np.linalg.eigvalsh(following - m)[0] > 0:
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
        count += len(basis) if newton is not None else 0
        if newton is not None or residual <= tolerance:
            level = 1
        m = _hurried(following, growth, along) if newton is None else newton
    status = Status.CONVERGED if residual <= tolerance else Status.MAX_STEPS_REACHED
    change = np.abs(step(m, 0) - step(m, 1))
    slack = 1.0 - _rate(lambda x: held @ step(x, 1) @ held, m)
    error = min(float(change.max()) / max(slack, 1e-3), 1.0)
    return FoundMatrix(matrix=m, status=status, residual=residual, iterations=count, error=error)


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
