"""Ridge regression on spiked random features with numpy alone; the text goes into exported files.

Written from docs/theory.md, "Saddle point", and not from the compiled solver: each checks the other.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.numeric.gaussian_rule import Feature

__all__ = ["Functions", "features_of", "relative_change", "saddle_point"]

Array = NDArray[np.float64]
MOST_STEPS = 20_000


class Functions(NamedTuple):
    """Functions of kappa at the nodes of the rule for E_kappa."""

    weight: Array
    kappa: Array
    mu0: Array
    mu1: Array
    mu2_squared: Array
    h: Array
    h1: Array
    hh: Array


def features_of(
    r: float, c: float, gamma: float, kinks: tuple[float, ...], target_kinks: tuple[float, ...]
) -> list[Feature]:
    """Where functions of kappa change quickly: near kinks of sigma and g, smoothed by the average over z."""
    found = []
    if r != 0.0:
        found += [Feature(center=k / r, width=math.sqrt(c) / abs(r)) for k in kinks or (0.0,)]
    if gamma != 0.0:
        width = math.sqrt(max(1.0 - gamma**2, 0.0)) / abs(gamma)
        found += [Feature(center=k / gamma, width=width) for k in target_kinks]
    return found


def bulk_responses(s: float, t: float, c: float, beta: float) -> tuple[float, float]:
    """(V1, V2) = (<D/(t + s D)>, <1/(t + s D)>) for D/c of the Marchenko-Pastur law of ratio beta = p/d."""
    a, b = t * s * c * beta, t + s * c * (1.0 - beta)
    root = math.sqrt(b * b + 4.0 * a)
    v2 = 2.0 / (b + root) if b > 0.0 else (root - b) / (2.0 * a)
    return c * v2 / (1.0 + beta * s * c * v2), v2


def linear_response(
    f: Functions, v1: float, v2: float, ratio: float, beta: float, c: float
) -> tuple[Array, Array]:
    """The matrices A of the bulk and S of the samples: small changes obey dV = A S dV + A (sources)."""
    w = 1.0 / (1.0 + f.mu1**2 * v1 + f.mu2_squared * v2)
    squares = np.stack([f.mu1**2, f.mu2_squared])
    s = ratio * float(f.weight @ (f.mu1**2 * w))
    spread = 1.0 - beta * s**2 * v1**2
    a0, a1 = v2**2 / spread, v1**2 / (c * spread)
    a2 = beta * v1**2 + a1 * v1**2 / (c * v2**2)
    return np.array([[a2, a1], [a1, a0]]), ratio * (squares * w**2 * f.weight) @ squares.T


def responses(f: Functions, ratio: float, beta: float, ridge: float, c: float) -> tuple[float, float, int]:
    """The fixed point (V1, V2) and the number of steps: plain iteration, near it Newton's method."""
    v, best = np.array([c, 1.0]) / ridge, math.inf
    for step in range(1, MOST_STEPS + 1):
        w = f.weight / (1.0 + f.mu1**2 * v[0] + f.mu2_squared * v[1])
        s, t = ratio * float(w @ f.mu1**2), ridge + ratio * float(w @ f.mu2_squared)
        image = np.array(bulk_responses(s, t, c, beta))
        residual = float(np.max(np.abs(image - v) / image))
        if math.isnan(residual):
            raise ArithmeticError(f"the fixed point (V1, V2) is NaN after {step} steps: numbers overflow")
        if residual <= 1e-15 or best <= residual < 1e-12:  # the rest is rounding
            return float(image[0]), float(image[1]), step
        bulk, samples = linear_response(f, float(v[0]), float(v[1]), ratio, beta, c)
        stability = np.eye(2) - bulk @ samples
        newton = v + np.linalg.solve(stability, image - v)
        is_near = residual < min(0.1, best) and float(np.linalg.det(stability)) > 0.0
        v = newton if is_near and np.all((0.5 * v < newton) & (newton < 2.0 * v)) else image
        best = min(best, residual)
    raise ArithmeticError(f"the ridge is too small for {MOST_STEPS} steps")


def saddle_point(
    f: Functions, *, alpha: float, beta: float, ridge: float, noise: float, c: float
) -> dict[str, float]:
    """Test error, training error and order parameters at one point."""
    for name, values in f._asdict().items():
        if not np.all(np.isfinite(values)):
            where = f.kappa[~np.isfinite(values)][0]
            raise ArithmeticError(f"{name} at kappa = {where:.6g} is no finite number")
    ratio = alpha / beta
    v1, v2, steps = responses(f, ratio, beta, ridge, c)
    w = 1.0 / (1.0 + f.mu1**2 * v1 + f.mu2_squared * v2)

    def mean(values: Array) -> float:
        return float(f.weight @ values)

    # (m, zeta): two linear equations
    slope = f.kappa * f.mu1
    a00, a01, a11 = mean(f.mu0**2 * w), mean(f.mu0 * slope * w), mean(slope**2 * w)
    b0, b1 = mean(f.mu0 * f.h * w), mean(slope * f.h * w)
    x = alpha * c * v2
    if a00 <= 1e-28 * (a00 + mean((f.mu1**2 + f.mu2_squared) * w)):  # no spike in an odd activation
        m, zeta = 0.0, x * b1 / (1.0 + x * a11)
    else:
        determinant = a00 * (1.0 + x * a11) - x * a01**2
        m = (b0 * (1.0 + x * a11) - x * a01 * b1) / determinant
        zeta = x * (a00 * b1 - a01 * b0) / determinant

    zeta_hat = zeta / (math.sqrt(beta) * c * v2)
    psi_hat = alpha / math.sqrt(beta) * mean(f.mu1 * f.h1 * w)
    psi = math.sqrt(beta) * psi_hat * v1

    # (q1, q2) = A (sources + S (q1, q2)), as R2 = fixed + mu1^2 q1 + mu2^2 q2
    prediction = f.mu0 * m + slope * zeta
    fixed = f.hh - 2.0 * prediction * f.h + prediction**2 - 2.0 * f.mu1 * psi * f.h1
    of_samples = [mean(square * w**2 * (fixed + noise)) for square in (f.mu1**2, f.mu2_squared)]
    sources = ratio * np.array(of_samples) + np.array([psi_hat**2, c * zeta_hat**2])
    bulk, samples = linear_response(f, v1, v2, ratio, beta, c)
    q1, q2 = (float(q) for q in np.linalg.solve(np.eye(2) - bulk @ samples, bulk @ sources))

    error = fixed + f.mu1**2 * q1 + f.mu2_squared * q2
    return {
        "test_error": mean(error),
        "train_error": mean((error + noise) * w**2),
        "m": m,
        "zeta": zeta,
        "psi": psi,
        "q1": q1,
        "q2": q2,
        "V1": v1,
        "V2": v2,
        "steps": steps,
    }


def relative_change(before: dict[str, float], after: dict[str, float], scale: float) -> float:
    """Largest change of a result.

    Errors relative to the larger of them and E g^2, overlaps to that of them and 1, V1 and V2 to themselves.
    """
    unit = scale if scale > 0.0 else 1.0
    least = {"test_error": unit, "train_error": unit, "V1": 0.0, "V2": 0.0}
    return max(
        abs(after[name] - before[name]) / max(abs(after[name]), least.get(name, 1.0))
        for name in after
        if name != "steps"
    )
