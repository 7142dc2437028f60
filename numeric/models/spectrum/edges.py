"""The upper edge of the bulk and the eigenvalues beyond it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.numeric.models.spectrum.branch import Branch, Followed

__all__ = ["Right", "finite_outliers", "growing_outliers", "right_of_the_bulk"]

Array = NDArray[Any]
_FAR = 64.0
_CLOSE = 1e-11
_BISECTIONS = 200


class Right:
    """The real branch on (edge, infinity), and points on it from large z downwards."""

    def __init__(self, edge: float, points: list[tuple[float, Followed]]) -> None:
        self.edge, self.points = edge, points


def right_of_the_bulk(branch: Branch) -> Right:
    """Follow the real branch down to where the Jacobian of the equations is singular: the edge.

    Steps shrink by half whenever Newton's method loses the branch, until they are of the size of rounding.
    """
    z = _FAR * branch.top
    found, rr = branch.real(z, None, None)
    while not _good(branch, found):
        z *= 4.0
        if z > 1e12 * branch.top:
            return Right(np.nan, [])
        found, rr = branch.real(z, None, None)
    points = [(z, found)]
    ratio = 0.5
    for _ in range(_BISECTIONS):
        if ratio < _CLOSE:
            break
        following = z * (1.0 - ratio)
        tried, tried_rr = branch.real(following, found.responses, rr)
        if _good(branch, tried):
            z, found, rr = following, tried, tried_rr
            points.append((z, found))
        else:
            ratio *= 0.5
    return Right(z, points)


def _good(branch: Branch, found: Followed) -> bool:
    """On the real branch: settled, negative, no pole at a node, and the Jacobian not yet singular."""
    x = found.responses[0]
    spread = branch.products.spread(found.responses)
    settled = bool(found.settled[0]) and bool(np.all(np.isfinite(x)))
    return (
        settled
        and bool(np.all(x[-branch.vocabulary.letters :] < 0.0))
        and bool(np.min(1.0 + spread) > 0.0 and found.determinant[0] > 0.0)
    )


def _outlier_matrix(branch: Branch, found: Followed) -> Array:
    """What is singular at an outlier: the means' system with its growing part m eliminated, times alpha P."""
    table, vocabulary = branch.table, branch.vocabulary
    weights = table.weight / (1.0 + branch.products.spread(found.responses)[0])
    slopes = (table.kappa[:, None, :] * table.mu1[None]).reshape(-1, weights.size)
    a = (table.mu0 * weights) @ table.mu0.T
    b = (table.mu0 * weights) @ slopes.T
    c = (slopes * weights) @ slopes.T
    inverse = np.linalg.pinv(a, rcond=1e-12, hermitian=True)
    power = branch.alpha * (vocabulary.fraction * vocabulary.c * found.bulk.rr[0].real)
    power = np.tile(power, table.kappa.shape[0])
    matrix: Array = np.eye(power.size) + power[:, None] * (c - b.T @ inverse @ b)
    return matrix


def finite_outliers(branch: Branch, right: Right) -> list[float]:
    """Eigenvalues of order 1 beyond the edge, largest first: zeros of a determinant, found by bisection."""
    found = []
    count = [_below_zero(_outlier_matrix(branch, f)) for _, f in right.points]
    for (high, above), (low, below), n_high, n_low in zip(
        right.points, right.points[1:], count, count[1:], strict=False
    ):
        for wanted in range(n_high, n_low):
            found.append(_bisect(branch, high, above, low, below, wanted))
    return sorted(found, reverse=True)


def _below_zero(matrix: Array) -> int:
    """How many eigenvalues are negative: they are real, those of a symmetric matrix in other coordinates."""
    return int(np.sum(np.linalg.eigvals(matrix).real < 0.0))


def _bisect(branch: Branch, high: float, above: Followed, low: float, below: Followed, wanted: int) -> float:
    """Where the number of negative eigenvalues passes from `wanted` to more, as z decreases."""
    for _ in range(60):
        middle = 0.5 * (high + low)
        found, _ = branch.real(middle, above.responses, above.bulk.rr)
        if not _good(branch, found):
            found, _ = branch.real(middle, below.responses, below.bulk.rr)
        if _below_zero(_outlier_matrix(branch, found)) > wanted:
            low, below = middle, found
        else:
            high, above = middle, found
        if high - low <= 1e-13 * high:
            break
    return 0.5 * (high + low)


def growing_outliers(branch: Branch) -> list[float]:
    """Rates of the eigenvalues that grow with the dimension, eigenvalue/d: those of the mean map (eq 191)."""
    table, fraction = branch.table, branch.vocabulary.fraction
    root = np.sqrt(fraction)[:, None] * table.mu0
    values = np.linalg.eigvalsh((root * table.weight) @ root.T)
    scale = float(
        np.sum(fraction[:, None] * (table.mu0**2 + table.mu1**2 + table.mu2_squared) @ table.weight)
    )
    return [float(branch.alpha * v) for v in values[::-1] if v > 1e-12 * scale]
