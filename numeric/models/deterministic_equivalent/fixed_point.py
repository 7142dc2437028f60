"""The equations of random-feature ridge regression for any spectrum, compiled.

For n samples, p features, ridge lambda and kernel eigenvalues x of multiplicity m, the pair

    n - lambda/nu1 = T,    p - p nu1/nu2 = T,    T(nu2) = sum m x/(x + nu2)

becomes one equation. With a = n - T and b = p - T it says a b = lambda p/nu2 while a - b = n - p, so that the
smaller of a and b is an explicit decreasing function of nu2 and nu2 is the one root of

    T(nu2) + small(nu2) = min(n, p).

Both sides of it are free of cancellation where nu2 -> 0, at the interpolation threshold and as lambda -> 0.
In log nu2 the logarithm of the left side has a slope in [-1, 0): each value gives a bound on the root, and
Newton's method stays between the bounds. With s = x/(x + nu2), u = 1 - s and beta^2 the squared coefficients,

    kappa = T11/(b + T11),  T11 = sum m s u,  T2 = sum m s^2,  B0 = sum beta^2 u^2,  B1 = sum beta^2 s u,
    bias = n (B0 + kappa B1)/(a + kappa b),   variance = noise (T2 + kappa T11)/(a + kappa b),
    training error = (a/n)^2 (bias + variance + noise).

Source: the deterministic equivalents of arXiv 2405.15699 (its nu1, nu2, Upsilon, chi), where
Upsilon = (T - kappa b)/n and chi = kappa/nu2; derived in docs/deterministic_equivalents.md.
"""

from __future__ import annotations

# mypy: disable-error-code="untyped-decorator"
import math

import numpy as np
from numba import prange
from numpy.typing import NDArray

from hermite_analytics.foundation.kernels_on_disk import kept
from hermite_analytics.foundation.numpy_arrays import Array

__all__ = [
    "COLUMNS",
    "CONVERGED",
    "DIVERGED",
    "INFINITE",
    "MAX_STEPS_REACHED",
    "solve_parallel",
    "solve_points",
]

CONVERGED, MAX_STEPS_REACHED, DIVERGED, INFINITE = 0, 1, 2, 3
COLUMNS = ("test_error", "bias", "variance", "train_error", "nu1", "nu2", "residual", "numerical_error")

_ROUNDING = 2.0**-51
_SMALLEST = -690.0  # log nu2 at which float64 ends


@kept(nogil=True, fastmath={"reassoc", "contract", "nsz"})
def _freedom(eigenvalues: Array, multiplicities: Array, nu: float) -> tuple[float, float, float]:
    """T, its complement sum m u, and T11 = -dT/dlog nu."""
    inside = outside = slope = 0.0
    for k in range(eigenvalues.size):
        reciprocal = 1.0 / (eigenvalues[k] + nu)
        s = eigenvalues[k] * reciprocal
        u = nu * reciprocal
        inside += multiplicities[k] * s
        outside += multiplicities[k] * u
        slope += multiplicities[k] * (s * u)
    return inside, outside, slope


@kept(nogil=True, fastmath={"reassoc", "contract", "nsz"})
def _moments(
    eigenvalues: Array, coefficients: Array, multiplicities: Array, nu: float
) -> tuple[float, float, float, float]:
    """T11, T2, B0, B1."""
    t11 = t2 = b0 = b1 = 0.0
    for k in range(eigenvalues.size):
        reciprocal = 1.0 / (eigenvalues[k] + nu)
        s = eigenvalues[k] * reciprocal
        u = nu * reciprocal
        t11 += multiplicities[k] * (s * u)
        t2 += multiplicities[k] * (s * s)
        b0 += coefficients[k] * (u * u)
        b1 += coefficients[k] * (s * u)
    return t11, t2, b0, b1


@kept(nogil=True)
def _complements(nu: float, samples: float, features: float, ridge: float) -> tuple[float, float]:
    """The smaller and the larger of a = n - T and b = p - T, from a b = ridge p/nu and a - b = n - p."""
    if ridge == 0.0 or math.isinf(samples):
        return 0.0, abs(samples - features)
    if math.isinf(features):
        return ridge / nu, np.inf
    product = ridge * features / nu
    difference = abs(samples - features)
    small = product / (0.5 * (difference + math.hypot(difference, 2.0 * math.sqrt(product))))
    return small, difference + small


@kept(nogil=True)
def _upper_bound(trace: float, samples: float, features: float, ridge: float) -> float:
    """A nu2 above the root: there T and the smaller complement are at most min(n, p)/2 each."""
    least = min(samples, features)
    share = 0.5
    if not math.isinf(features):
        share = features / (least + 2.0 * abs(samples - features))
    return max(2.0 * trace / least, 4.0 * ridge / least * share)


@kept(nogil=True)
def _root(
    eigenvalues: Array,
    multiplicities: Array,
    tail: tuple[float, float, float],
    rank: float,
    point: tuple[float, float, float],
    tolerance: float,
    max_steps: int,
) -> tuple[float, float, float, int, int]:
    """(nu2, relative residual, its relative error, steps, code).

    Parameters
    ----------
    tail : trace of infinitely many small eigenvalues, the largest of them, their coefficient.
    point : samples, features, ridge.
    """
    # one loop on purpose: Newton's method and its bracket share all their numbers
    samples, features, ridge = point
    least = min(samples, features)
    trace = tail[0]
    for k in range(eigenvalues.size):
        trace += multiplicities[k] * eigenvalues[k]
    high, low = math.log(_upper_bound(trace, samples, features, ridge)), -np.inf
    x, stride, before = high, 4.0, np.inf
    residual = error = np.inf
    for step in range(1, max_steps + 1):
        nu = math.exp(x)
        inside, outside, slope = _freedom(eigenvalues, multiplicities, nu)
        small, large = _complements(nu, samples, features, ridge)
        if tail[0] == 0.0 and outside < inside:  # T = rank - outside keeps the digits of a full spectrum
            excess = (rank - least) + small - outside
        else:
            excess = inside + tail[0] / nu + small - least
        whole = inside + tail[0] / nu + small
        height = math.log1p(excess / least) if excess > -0.5 * least else math.log(whole / least)
        slope += tail[0] / nu + (small if math.isinf(large) else small * large / max(small + large, 1e-300))
        slope /= whole
        residual = abs(excess) / least
        move = height / slope
        error = abs(move) + (_ROUNDING + tail[0] * tail[1] / (nu * nu * least)) / slope
        settled = abs(move) <= tolerance or abs(move) >= 0.5 * before
        if residual <= tolerance and settled:
            # the last move of Newton's method squares the error that is left, unless rounding made it
            return nu * math.exp(move) if abs(move) <= tolerance else nu, residual, error, step, CONVERGED
        if height > 0.0:
            low = max(low, x + height)
        else:
            high = min(high, x + height)
        following = x + move
        if math.isinf(low):
            following = max(following, high - stride)
            stride *= 2.0
        elif not (low <= following <= high) or abs(move) > 0.5 * before:
            following = 0.5 * (low + high)
        before = abs(following - x)
        x = following
        if x < _SMALLEST:
            return nu, residual, error, step, DIVERGED
    return math.exp(x), residual, error, max_steps, MAX_STEPS_REACHED


@kept(nogil=True)
def _errors(
    moments: tuple[float, float, float, float],
    tail: tuple[float, float, float],
    nu: float,
    complements: tuple[float, float],
    samples: float,
    noise: float,
    out: Array,
) -> int:
    """Test error, bias, variance and training error to out[0:4]; the code."""
    a, b = complements
    t11, t2, b0, b1 = moments
    if nu > 0.0:
        t11 += tail[0] / nu
    b0 += tail[2]
    kappa = 0.0 if t11 == 0.0 else t11 / (b + t11)
    kappa_b = t11 if math.isinf(b) else kappa * b
    missing = b0 + kappa * b1
    spread = t2 + kappa * t11
    share = 1.0 if math.isinf(samples) else a / samples
    gap = 1.0 if math.isinf(samples) else (a + kappa_b) / samples
    if gap == 0.0:  # the interpolation threshold without a ridge
        out[1] = np.inf if missing > 0.0 else 0.0
        out[2] = np.inf if noise > 0.0 else 0.0
        out[0] = out[1] + out[2]
        out[3] = 0.0
        return INFINITE if math.isinf(out[0]) else CONVERGED
    out[1] = missing / gap
    out[2] = 0.0 if math.isinf(samples) else noise * (spread / samples) / gap
    out[0] = out[1] + out[2]
    out[3] = share * share * (missing + noise) / gap
    return CONVERGED


@kept(nogil=True)
def _solve_point(
    spectrum: tuple[Array, Array, Array],
    tail: tuple[float, float, float],
    rank: float,
    point: tuple[float, float, float],
    noise: float,
    tolerance: float,
    max_steps: int,
    out: Array,
) -> tuple[int, int]:
    """(steps, code); one point, written to out[0:8]."""
    eigenvalues, coefficients, multiplicities = spectrum
    samples, features, ridge = point
    least = min(samples, features)
    if (ridge == 0.0 or math.isinf(samples)) and (rank <= least or math.isinf(least)):
        # fewer eigenfunctions than samples and features: least squares finds all of them, nu2 -> 0
        reached = min(rank, least)
        a = np.inf if math.isinf(samples) else samples - reached
        b = np.inf if math.isinf(features) else features - reached
        code = _errors((0.0, reached, 0.0, 0.0), tail, 0.0, (a, b), samples, noise, out)
        out[4:8] = 0.0
        return 0, code
    nu, residual, error, steps, code = _root(
        eigenvalues, multiplicities, tail, rank, point, tolerance, max_steps
    )
    out[6], out[7] = residual, error
    if code != CONVERGED:
        out[0:6] = np.nan
        return steps, code
    small, large = _complements(nu, samples, features, ridge)
    a, b = (small, large) if samples <= features else (large, small)
    moments = _moments(eigenvalues, coefficients, multiplicities, nu)
    out[4] = nu if math.isinf(features) else nu * (b / features)
    out[5] = nu
    return steps, _errors(moments, tail, nu, (a, b), samples, noise, out)


@kept(nogil=True)
def solve_points(
    spectrum: tuple[Array, Array, Array],
    tail: tuple[float, float, float],
    rank: float,
    points: Array,
    tolerance: float,
    max_steps: int,
    out: Array,
    steps: NDArray[np.int64],
    code: NDArray[np.int64],
) -> None:
    """Solve all points of one spectrum.

    Parameters
    ----------
    spectrum : three arrays of shape (levels,)
        Eigenvalues, squared coefficients of the target, multiplicities.
    tail : (trace, largest, coefficient)
        Of infinitely many eigenvalues that are small beside nu2, and of what no feature sees.
    rank : float
        Number of eigenfunctions, infinite with a tail.
    points : array of shape (points, 4)
        Samples, features, ridge, noise.
    out : array of shape (points, 8), filled in the order of `COLUMNS`; NaN where not converged.
    steps, code : arrays of shape (points,), filled.
    """
    for i in range(points.shape[0]):
        point = (points[i, 0], points[i, 1], points[i, 2])
        steps[i], code[i] = _solve_point(
            spectrum, tail, rank, point, points[i, 3], tolerance, max_steps, out[i]
        )


@kept(nogil=True, parallel=True)
def solve_parallel(
    spectrum: tuple[Array, Array, Array],
    tail: tuple[float, float, float],
    rank: float,
    points: Array,
    tolerance: float,
    max_steps: int,
    out: Array,
    steps: NDArray[np.int64],
    code: NDArray[np.int64],
) -> None:
    """`solve_points` with the points shared among threads; the results are the same to the last bit."""
    for i in prange(points.shape[0]):
        point = (points[i, 0], points[i, 1], points[i, 2])
        steps[i], code[i] = _solve_point(
            spectrum, tail, rank, point, points[i, 3], tolerance, max_steps, out[i]
        )
