"""The saddle point of ridge regression on spiked random features, compiled: all neurons alike, one spike.

For the square loss (V1, V2) is a closed two-dimensional fixed point, solved by Newton's method on the
undamped residual; the overlaps m, zeta, psi, q1, q2 then follow from two linear 2 x 2 systems.

The ridge enters through a pair (one, ridge): w = 1/(one + V), t = ridge + V2hat. (1, lambda) is the
problem itself; (lambda, 1) is the same in the variables lambda V1, lambda V2, which stay finite as
lambda -> 0 below the interpolation threshold.

Beside that threshold 1 - A S, of Newton's method and of (q1, q2), is nearly singular. Scaled by x,
V(x; x one, ridge/x) is a fixed point as well: this gives (1 - A S) V as a sum of positive terms, by which its
entries and its determinant are known to all digits, and alpha E[one w] = alpha - beta + beta ridge V2, which
sets the scale of V.

Source: docs/theory.md, "Saddle point", after arXiv 2402.04980, Result 3.3 (eqs 17-25, 117-129).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.compiled import compiled, summing_over_nodes

__all__ = [
    "BESIDE",
    "COLUMNS",
    "CONVERGED",
    "DIVERGED",
    "MAX_STEPS_REACHED",
    "SCALED",
    "bulk",
    "bulk_moments",
    "solve_points",
]

CONVERGED, MAX_STEPS_REACHED, DIVERGED = 0, 1, 2
COLUMNS = ("test_error", "train_error", "m", "zeta", "psi", "q1", "q2", "V1", "V2")
BESIDE = 0.5  # alpha/beta - 1 up to which the scale of V is asked for
SCALED = 1e-13  # relative change of it that is none
_VANISHING = 1e-28  # mu0 counts as identically zero below this share of E[mu0^2 + mu1^2 + mu2^2]


@compiled
def bulk(s: float, t: float, c: float, beta: float) -> tuple[float, float]:
    """(V1, V2) = (<D/(t + sD)>, <1/(t + sD)>) for D ~ c x Marchenko-Pastur of ratio beta."""
    b = t + s * c * (1.0 - beta)
    a = t * s * c * beta
    root = math.sqrt(b * b + 4.0 * a)
    v2 = 2.0 / (b + root) if b > 0.0 else (root - b) / (2.0 * a)
    v1 = c * v2 / (1.0 + beta * s * c * v2)
    return v1, v2


@compiled
def bulk_moments(s: float, v1: float, v2: float, c: float, beta: float) -> tuple[float, float, float]:
    """A_k = <D^k/(t + sD)^2>, k = 0, 1, 2."""
    x = 1.0 - beta * s * s * v1 * v1
    a1 = v1 * v1 / (c * x)
    return v2 * v2 / x, a1, beta * v1 * v1 + a1 * (v1 / v2) * (v1 / v2) / c


@summing_over_nodes
def _responses(
    weight: Array, first: Array, second: Array, v1: float, v2: float, one: float
) -> tuple[float, float, float, float, float, float, float, float]:
    """Averages of w, a w, b w, a w^2, b w^2, a a w^2, a b w^2, b b w^2.

    a = mu1^2, b = mu2^2, w = 1/(one + a V1 + b V2).
    """
    s0 = s = t = s1 = s2 = s11 = s12 = s22 = 0.0
    for k in range(weight.size):
        a = first[k]
        b = second[k]
        w = 1.0 / (one + a * v1 + b * v2)
        g = weight[k] * w
        s0 += g
        s += g * a
        t += g * b
        g *= w
        s1 += g * a
        s2 += g * b
        s11 += g * a * a
        s12 += g * a * b
        s22 += g * b * b
    return s0, s, t, s1, s2, s11, s12, s22


@compiled
def _system(
    sums: tuple[float, float, float, float, float],
    ratio: float,
    moments: tuple[float, float, float],
    v1: float,
    v2: float,
    one: float,
    ridge: float,
    left: tuple[float, float],
) -> tuple[float, float, float, float, float]:
    """The matrix 1 - A S of Newton's step and of (q1, q2), and its determinant.

    `left` is V less its image, 0 at a fixed point, where nothing is subtracted here.
    """
    s1, s2, s11, s12, s22 = sums
    a0, a1, a2 = moments
    x = ratio * (a2 * s12 + a1 * s22)
    y = ratio * (a1 * s11 + a0 * s12)
    r1 = left[0] + one * ratio * (a2 * s1 + a1 * s2) + ridge * a1
    r2 = left[1] + one * ratio * (a1 * s1 + a0 * s2) + ridge * a0
    j11, j22 = (r1 + x * v2) / v1, (r2 + y * v1) / v2
    return j11, -x, -y, j22, (r1 / v1) * (r2 / v2) + r1 / v1 * (y * v1 / v2) + r2 / v2 * (x * v2 / v1)


@compiled
def _scale(
    sums: tuple[float, float, float],
    ratio: float,
    excess: float,
    v1: float,
    v2: float,
    one: float,
    ridge: float,
) -> float:
    """By what V is multiplied to fulfil ratio E[one w] = excess + ridge V2: a step of Newton's method."""
    s0, s1, s2 = sums
    slope = ratio * one * (v1 * s1 + v2 * s2) + ridge * v2
    wanted = 1.0 + (ratio * one * s0 - excess - ridge * v2) / slope
    return min(max(wanted, 0.1), 10.0)


@compiled
def _is_scaled(excess: float, scale: float, tolerance: float) -> bool:
    """Away from the threshold the residual shows the scale too."""
    return abs(excess) > BESIDE or abs(scale - 1.0) <= max(tolerance, SCALED)


@compiled
def _fixed_point(
    functions: tuple[Array, Array, Array],
    c: float,
    beta: float,
    alpha: float,
    one: float,
    ridge: float,
    start: tuple[float, float],
    tolerance: float,
    max_steps: int,
) -> tuple[float, float, float, int, int]:
    """(V1, V2, relative residual, steps, code) by Newton with the plain iteration as its safeguard."""
    ratio, excess = alpha / beta, (alpha - beta) / beta
    v1, v2 = start
    best = np.inf
    stalled = 0
    residual = np.inf
    for step in range(1, max_steps + 1):
        s0, s, t, s1, s2, s11, s12, s22 = _responses(*functions, v1, v2, one)
        s, t = ratio * s, ratio * t + ridge
        f1, f2 = bulk(s, t, c, beta)
        if not (f1 > 0.0 and f2 > 0.0 and math.isfinite(f1) and math.isfinite(f2)):
            return v1, v2, np.inf, step, DIVERGED
        residual = max(abs(f1 - v1) / f1, abs(f2 - v2) / f2)
        if residual <= tolerance:
            # rounding stops Newton a few ulps above zero: take the plain image, it is as good
            scale = _scale((s0, s1, s2), ratio, excess, v1, v2, one, ridge)
            if _is_scaled(excess, scale, tolerance):
                return f1, f2, residual, step, CONVERGED
            v1, v2 = scale * f1, scale * f2
            continue
        stalled = 0 if residual < 0.5 * best else stalled + 1
        best = min(best, residual)
        d1, d2 = f1 - v1, f2 - v2
        sums, moments = (s1, s2, s11, s12, s22), bulk_moments(s, f1, f2, c, beta)
        j11, j12, j21, j22, determinant = _system(sums, ratio, moments, v1, v2, one, ridge, (-d1, -d2))
        n1 = v1 + (d1 * j22 - d2 * j12) / determinant
        n2 = v2 + (d2 * j11 - d1 * j21) / determinant
        newton = n1 > 0.1 * v1 and n2 > 0.1 * v2 and n1 < 10.0 * v1 and n2 < 10.0 * v2
        if newton and stalled < 4:
            v1, v2 = n1, n2
        else:
            v1, v2 = f1, f2
            if stalled >= 8:
                stalled = 0
    return v1, v2, residual, max_steps, MAX_STEPS_REACHED


@summing_over_nodes
def _linear_averages(
    columns: tuple[Array, ...], v1: float, v2: float, one: float
) -> tuple[float, float, float, float, float, float, float]:
    """Averages with w of mu0^2, k mu0 mu1, (k mu1)^2, mu0 h, k mu1 h, mu1 h1, and mu1^2 + mu2^2."""
    weight, kappa, mu0, mu1, mu2s, h, h1, _ = columns
    a00 = a01 = a11 = b0 = b1 = p1 = size = 0.0
    for k in range(weight.size):
        a, b = mu1[k] * mu1[k], mu2s[k]
        g = weight[k] / (one + a * v1 + b * v2)
        km = kappa[k] * mu1[k]
        a00 += g * mu0[k] * mu0[k]
        a01 += g * km * mu0[k]
        a11 += g * km * km
        b0 += g * mu0[k] * h[k]
        b1 += g * km * h[k]
        p1 += g * mu1[k] * h1[k]
        size += g * (a + b)
    return a00, a01, a11, b0, b1, p1, size


@summing_over_nodes
def _residual_averages(
    columns: tuple[Array, ...],
    v1: float,
    v2: float,
    one: float,
    noise: float,
    m: float,
    zeta: float,
    psi: float,
) -> tuple[float, float, float, float]:
    """Averages of R2 without (q1, q2): with mu1^2 w^2, mu2^2 w^2, w^2, and without noise with 1."""
    weight, kappa, mu0, mu1, mu2s, h, h1, hh = columns
    base1 = base2 = train = test = 0.0
    for k in range(weight.size):
        a, b = mu1[k] * mu1[k], mu2s[k]
        w = 1.0 / (one + a * v1 + b * v2)
        cc = mu0[k] * m + kappa[k] * mu1[k] * zeta
        error = hh[k] - 2.0 * cc * h[k] + cc * cc - 2.0 * mu1[k] * psi * h1[k]
        g = weight[k] * w * w * (error + noise)
        base1 += g * a
        base2 += g * b
        train += g
        test += weight[k] * error
    return base1, base2, train, test


@compiled
def _observables(
    columns: tuple[Array, ...],
    functions: tuple[Array, Array, Array],
    powers: tuple[float, float],
    c: float,
    beta: float,
    alpha: float,
    one: float,
    ridge: float,
    noise: float,
    v1: float,
    v2: float,
    out: Array,
) -> None:
    """Linear stages: (m, zeta), psi, (q1, q2), then the errors; written to out[0:9]."""
    ratio = alpha / beta
    a00, a01, a11, b0, b1, p1, size = _linear_averages(columns, v1, v2, one)
    z = alpha * c * v2
    if a00 <= _VANISHING * (a00 + size):
        m = 0.0
        zeta = z * b1 / (1.0 + z * a11)
    else:
        determinant = a00 * (1.0 + z * a11) - z * a01 * a01
        m = (b0 * (1.0 + z * a11) - z * a01 * b1) / determinant
        zeta = z * (a00 * b1 - a01 * b0) / determinant
    zeta_hat = zeta / (math.sqrt(beta) * c * v2) if v2 > 0.0 else 0.0
    psi_hat = (alpha / math.sqrt(beta)) * p1
    psi = math.sqrt(beta) * psi_hat * v1
    base1, base2, train, test = _residual_averages(columns, v1, v2, one, noise, m, zeta, psi)
    q1 = q2 = 0.0
    _, s, _, s1, s2, s11, s12, s22 = _responses(*functions, v1, v2, one)
    if v2 > 0.0:
        # q^ = base + S q with S = (S11, S12; S12, S22): q = A (base + extra) + A S q
        base1 = ratio * base1 + psi_hat * psi_hat
        base2 = ratio * base2 + c * zeta_hat * zeta_hat
        moments = bulk_moments(ratio * s, v1, v2, c, beta)
        a0, a1, a2 = moments
        e1 = a2 * base1 + a1 * base2
        e2 = a1 * base1 + a0 * base2
        sums = (s1, s2, s11, s12, s22)
        j11, j12, j21, j22, determinant = _system(sums, ratio, moments, v1, v2, one, ridge, (0.0, 0.0))
        q1 = (e1 * j22 - e2 * j12) / determinant
        q2 = (e2 * j11 - e1 * j21) / determinant
    out[0] = test + q1 * powers[0] + q2 * powers[1]
    out[2], out[3], out[4], out[5], out[6] = m, zeta, psi, q1, q2
    if one > 0.0:
        out[1], out[7], out[8] = one * one * (train + q1 * s1 + q2 * s2), v1 / one, v2 / one
    else:  # the ridgeless limit interpolates: no training error, infinite responses
        out[1], out[7], out[8] = 0.0, np.inf, np.inf


@compiled
def solve_points(
    columns: tuple[Array, ...],
    c: float,
    alpha: Array,
    beta: Array,
    ridge: Array,
    noise: Array,
    tolerance: float,
    max_steps: int,
    start: Array,
    out: Array,
    residual: Array,
    steps: NDArray[np.int64],
    code: NDArray[np.int64],
) -> None:
    """Solve all points of one table of functions.

    Parameters
    ----------
    columns : tuple of 8 arrays of shape (n,)
        weight, kappa, mu0, mu1, mu2_squared, h, h1, hh.
    alpha, beta, ridge, noise : arrays of shape (points,)
        An infinite ridge is the limit after d -> infinity: only the mean m is left.
    start : array of shape (points, 2)
        (V1, V2) to start from, NaN where unknown; on return those found.
    out : array of shape (points, 9), filled in the order of `COLUMNS`; NaN where not converged.
    residual, steps, code : arrays of shape (points,), filled.
    """
    weight, mu1, mu2s = columns[0], columns[3], columns[4]
    functions = (weight, mu1 * mu1, mu2s)
    powers = (np.sum(weight * functions[1]), np.sum(weight * mu2s))
    for i in range(alpha.size):
        ratio = alpha[i] / beta[i]
        # above the threshold the responses stay finite as ridge -> 0: their order of magnitude
        one, shift = 1.0, ridge[i]
        size = shift + max(ratio - 1.0, 0.0) * (c * powers[0] + powers[1])
        if ridge[i] < 1.0 and alpha[i] < beta[i]:
            one, shift = ridge[i], 1.0
            # V2 of the ridgeless limit is known; with a ridge the iteration starts from above
            size = beta[i] / (beta[i] - alpha[i]) if one == 0.0 else 1.0
        unit = one if one > 0.0 else 1.0
        if math.isinf(shift):
            v1, v2, residual[i], steps[i], code[i] = 0.0, 0.0, 0.0, 0, CONVERGED
        else:
            first = (c / size, 1.0 / size)
            if start[i, 0] > 0.0:
                first = (unit * start[i, 0], unit * start[i, 1])
            v1, v2, residual[i], steps[i], code[i] = _fixed_point(
                functions, c, beta[i], alpha[i], one, shift, first, tolerance, max_steps
            )
        start[i, 0], start[i, 1] = v1 / unit, v2 / unit
        if code[i] == CONVERGED:
            _observables(
                columns, functions, powers, c, beta[i], alpha[i], one, shift, noise[i], v1, v2, out[i]
            )
        else:
            out[i, :] = np.nan
            start[i, :] = np.nan
