"""The sums of F for three coordinates: labels with weighted points of space, omega on a grid.

With p_k the probabilities of the points z_k of a label, omega = M^(1/2) t in the axes of M and V = I - M,

    F = sum over labels int dt (sum_k p_k J_k d_k) (sum_k p_k J_k d_k)^T / sum_k p_k J_k,
    d_k = V^-1 (z_k - omega),  J_k(t) = N(t; M^(1/2) z_k, V).

J is a product over the coordinates and smooth in z on the scale (V/m)^(1/2). The points of a label are
therefore replaced once by masses on a grid x, by means of B-splines psi of degree 7, and J by the product of
matrices A with

    sum_x psi(z - x) A(t, x) = N(t; m^(1/2) z, V),
    sum_x psi(z - x) B(t, x) = V^-1 (z - m^(1/2) t) N(t; m^(1/2) z, V)

by least squares, contracted with one axis of the grid after the other. Polynomials of degree 7 are exact,
whatever the step; omega is integrated by the trapezoid rule.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import BSpline

from hermite_analytics.numeric.compiled import compiled

__all__ = ["PointGrid", "label_sums", "point_grid"]

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

_DEGREE = 7  # of the splines
_FARTHEST = (5.2, 5.8)  # |t| by level
_EDGE = 6.4  # |z|
_FRACTION = (0.6, 0.5)  # of (V/m)^(1/2): the step of x
_COARSEST = 0.9
_RATIO = math.sqrt(2.0)  # of the steps of x that are used
_STEP = (0.5, 0.4)  # of t, in standard deviations V^(1/2)
_DENSE = 4  # points in a step of x at which the splines are fitted
_TINY = 1e-12  # of the largest density: beyond, nothing is divided


@dataclass(frozen=True, slots=True, kw_only=True)
class PointGrid:
    """The grid that takes the masses of points: x = -half step, .., half step along each axis.

    Attributes
    ----------
    step : float
    half : int
    """

    step: float
    half: int

    @property
    def count(self) -> int:
        """Nodes along an axis."""
        return 2 * self.half + 1

    def spread(self, points: Array, masses: Array) -> Array:
        """sum_k p_k psi(z_k - x), shape (n, n, n); points beyond the grid are left out.

        Examples
        --------
        >>> grid = point_grid(0.5, 1)
        >>> found = grid.spread(np.array([[0.3, -1.0, 2.0]]), np.array([0.5]))
        >>> round(float(found.sum()), 12)
        0.5
        """
        total = np.zeros((self.count,) * 3)
        _spread(points, masses, self.step, self.half, _spline_pieces(), total)
        return total

    def fitted(self, z: Array, values: Array) -> Array:
        """Coefficients of the splines through values at dense points z, shape (..., len(z))."""
        place = z / self.step
        first = np.floor(place).astype(np.int64) - _DEGREE // 2
        pieces = np.vander(place - np.floor(place), _DEGREE + 1, increasing=True) @ _spline_pieces().T
        design = np.zeros((len(z), self.count))
        for j in range(_DEGREE + 1):
            design[np.arange(len(z)), first + j + self.half] = pieces[:, j]
        return np.asarray(np.linalg.lstsq(design, values.T, rcond=1e-13)[0].T)

    def dense(self) -> Array:
        """Points at which splines are fitted."""
        far = (self.half - _DEGREE // 2 - 1) * self.step
        return np.linspace(-far, far, 2 * _DENSE * self.half + 1)


def point_grid(overlap: float, level: int) -> PointGrid:
    """The grid for the largest eigenvalue of M; one serves overlaps up to the next step."""
    width = math.sqrt((1 - overlap) / overlap) if overlap > 0 else math.inf
    step = min(_COARSEST, _FRACTION[level] * width)
    step = _COARSEST * _RATIO ** -math.ceil(math.log(_COARSEST / step, _RATIO) - 1e-9)
    return PointGrid(step=step, half=math.ceil(_EDGE / step) + _DEGREE // 2 + 1)


@functools.cache
def _spline_pieces() -> Array:
    """(8, 8): the B-splines that do not vanish in a step, in powers of the place in it."""
    n = _DEGREE
    spline = BSpline.basis_element(np.arange(n + 2), extrapolate=False)
    x = 0.5 - 0.5 * np.cos((np.arange(n + 1) + 0.5) * math.pi / (n + 1))
    rows = [np.linalg.solve(np.vander(x, increasing=True), spline(x + n - j)) for j in range(n + 1)]
    return np.array(rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class OmegaAxis:
    """One axis of omega: A and B with rows t, and the weights of t."""

    plain: Array
    slope: Array
    weights: Array


def omega_axis(m: float, grid: PointGrid, level: int, *, half_line: bool) -> OmegaAxis:
    """The trapezoid rule in t; one point where the overlap is 0, t >= 0 alone where F is even in t."""
    z = grid.dense()
    if m <= 0:
        ones = np.ones((1, grid.count))
        return OmegaAxis(plain=ones, slope=grid.fitted(z, z[None]), weights=np.ones(1))
    step = _STEP[level] * math.sqrt(1 - m)
    half = math.ceil(_FARTHEST[level] / step)
    t = step * np.arange(0 if half_line else -half, half + 1, dtype=np.float64)
    shift = z - math.sqrt(m) * t[:, None]
    square = (t[:, None] - math.sqrt(m) * z) ** 2 / (1 - m)
    density = np.exp(-0.5 * square) / math.sqrt(2 * math.pi * (1 - m))
    weights = np.full(len(t), step)
    if half_line:
        weights[1:] *= 2
    return OmegaAxis(
        plain=grid.fitted(z, density), slope=grid.fitted(z, shift / (1 - m) * density), weights=weights
    )


def label_sums(density: Array, axes: Sequence[OmegaAxis], *, diagonal: bool) -> Array:
    """What one label adds to F, shape (3, 3), in the axes of M.

    Parameters
    ----------
    density : ndarray, shape (n, n, n)
        Of its points, spread over the grid.
    axes : three OmegaAxis
    diagonal : bool
        Leave out what is not on the diagonal.
    """
    a, b, c = axes
    n = len(density)
    flat = density.reshape(-1, n)
    plain, slope = (_swapped(flat @ m.T, n) for m in (c.plain, c.slope))  # (n, t3, n): axes 1, 3, 2
    both = plain @ b.plain.T, plain @ b.slope.T, slope @ b.plain.T  # (n, t3, t2)
    z, z2, z3 = (_first(a.plain, x) for x in both)
    z1 = _first(a.slope, both[0])
    floor = _TINY * float(z.max())
    weight = np.divide(1.0, z, out=np.zeros_like(z), where=z > floor)
    weight *= a.weights[:, None, None] * c.weights[:, None] * b.weights
    fields = (z1, z2, z3)
    found = np.zeros((3, 3))
    for i in range(3):
        scaled = weight * fields[i]
        for j in range(i, i + 1 if diagonal else 3):
            found[i, j] = found[j, i] = float(np.vdot(scaled, fields[j]))
    return found


def _swapped(flat: Array, n: int) -> Array:
    """(n n, t) -> (n, t, n)."""
    return np.ascontiguousarray(flat.reshape(n, n, -1).swapaxes(1, 2))


def _first(matrix: Array, table: Array) -> Array:
    """The matrix on the first axis."""
    return np.asarray((matrix @ table.reshape(len(table), -1)).reshape(len(matrix), *table.shape[1:]))


@compiled
def _spread(points: Array, masses: Array, step: float, half: int, pieces: Array, total: Array) -> None:
    width = len(pieces)
    f = np.empty((3, width))
    first = np.empty(3, dtype=np.int64)
    for k in range(len(points)):
        inside = True
        for d in range(3):
            place = points[k, d] / step
            low = math.floor(place)
            first[d] = int(low) - (width - 1) // 2 + half
            inside = inside and first[d] >= 0 and first[d] + width <= 2 * half + 1
            for j in range(width):
                value = 0.0
                for m in range(width - 1, -1, -1):
                    value = value * (place - low) + pieces[j, m]
                f[d, j] = value
        if not inside:
            continue
        for i in range(width):
            one = masses[k] * f[0, i]
            for j in range(width):
                two = one * f[1, j]
                for m in range(width):
                    total[first[0] + i, first[1] + j, first[2] + m] += two * f[2, m]
