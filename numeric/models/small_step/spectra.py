"""Bulk densities of the weights and of the kernel of random features; a small step moves neither.

Source: docs/random_features.md, "Spectra". For z off the real axis (1/d) tr(Phi Phi^T - z)^(-1) = 1/s1, where
s1 = s (1 - t/beta), -z = s1 (alpha - t), t = mu1^2/(mu1^2 + s) + mu2^2/s: a quartic in s. Its root is
followed from z = i infinity, where s = -z/alpha.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hermite_analytics.errors import InputError
from hermite_analytics.foundation.arrays import Numbers
from hermite_analytics.foundation.numpy_arrays import Complex
from hermite_analytics.foundation.ranges import POSITIVE
from hermite_analytics.numeric.checks import checked
from hermite_analytics.numeric.frozen import frozen, frozen_numbers

__all__ = ["KERNEL_STEPS", "kernel_density", "kernel_residual", "kernel_stieltjes", "weights_density"]

_LEVELS = 90
_NEWTON_STEPS = 4
KERNEL_STEPS = (_LEVELS + 1) * _NEWTON_STEPS  # from i infinity down to z


def weights_density(x: ArrayLike, beta: float) -> Numbers:
    """Density of the eigenvalues of W W^T, W of shape (d, beta d) with entries N(0, 1/d), at x."""
    values = checked("x", x)
    ratio = float(checked("beta", beta, POSITIVE))
    low, high = (1.0 - np.sqrt(ratio)) ** 2, (1.0 + np.sqrt(ratio)) ** 2
    inside = (values > low) & (values < high)
    safe = np.where(inside, values, 0.5 * (low + high))
    density = np.sqrt((high - safe) * (safe - low)) / (2.0 * np.pi * safe)
    return frozen_numbers(np.where(inside, density, 0.0))


def kernel_stieltjes(z: ArrayLike, alpha: float, beta: float, first: float, second: float) -> Any:
    """(1/p) tr(Phi^T Phi - z)^(-1) at z != 0; on the real axis the limit from above."""
    points = np.asarray(z, dtype=np.complex128)
    if np.any(points == 0.0) or not np.all(np.isfinite(points)):
        raise InputError("z is 0 or not finite; any other complex number is accepted")
    above = np.where(points.imag >= 0.0, points, points.conj())
    found = _per_neuron(_followed(above, alpha, beta, first, second), above, alpha, beta, first, second)
    return frozen(np.where(points.imag >= 0.0, found, found.conj()))


def kernel_residual(found: Any, z: ArrayLike, alpha: float, beta: float, first: float, second: float) -> Any:
    """Relative residual of t = mu1^2/(mu1^2 + s) + mu2^2/s at a transform that was found."""
    points = np.asarray(z, dtype=np.complex128)
    s1 = 1.0 / (beta * np.asarray(found) - (alpha - beta) / points)
    t = alpha + points / s1
    s = s1 / (1.0 - t / beta)
    image = first / (first + s) + second / s
    return frozen(np.abs(image - t) / (np.abs(image) + np.abs(t) + alpha + beta))


def kernel_density(x: ArrayLike, alpha: float, beta: float, first: float, second: float) -> Numbers:
    """Density of the eigenvalues of Phi^T Phi at x > 0, without the atom at 0."""
    values = checked("x", x, POSITIVE)
    scale = np.maximum(values, 1e-300)
    s = _followed(values + 1e-11j * scale, alpha, beta, first, second)
    s = _newton(s, values.astype(np.complex128), alpha, beta, first, second, 40)
    found = _per_neuron(s, values.astype(np.complex128), alpha, beta, first, second)
    return frozen_numbers(np.maximum(found.imag, 0.0) / np.pi)


def _per_neuron(s: Complex, z: Complex, alpha: float, beta: float, first: float, second: float) -> Complex:
    """From the samples' side (n of them) to the neurons' side: they differ by zero eigenvalues."""
    t = first / (first + s) + second / s
    samples = 1.0 / (alpha * s * (1.0 - t / beta))
    return np.asarray((alpha * samples + (alpha - beta) / z) / beta)


def _followed(z: Complex, alpha: float, beta: float, first: float, second: float) -> Complex:
    """The physical root s at z in the upper half plane."""
    size = (first + second) * (1.0 + alpha) * (1.0 + 1.0 / beta) + np.abs(z)
    heights = np.geomspace(1e4, 1e-14, _LEVELS)
    s = -(z + 1j * heights[0] * size) / alpha
    for height in heights:
        s = _newton(s, z + 1j * height * size, alpha, beta, first, second, _NEWTON_STEPS)
    return _newton(s, z, alpha, beta, first, second, _NEWTON_STEPS)


def _newton(
    s: Complex, z: Complex, alpha: float, beta: float, first: float, second: float, steps: int
) -> Complex:
    """Newton's method on (beta d - n)(alpha d - n) + z beta s (mu1^2 + s)^2, t = n/d."""
    total, product = first + second, first * second
    for _ in range(steps):
        n, d = total * s + product, s * (first + s)
        d_slope = first + 2.0 * s
        left, right = beta * d - n, alpha * d - n
        value = left * right + z * beta * s * (first + s) ** 2
        slope = (beta * d_slope - total) * right + left * (alpha * d_slope - total)
        slope = slope + z * beta * ((first + s) ** 2 + 2.0 * s * (first + s))
        s = s - value / slope
    return s
