"""One-pass SGD at finite d in a plain loop, all seeds at once: the reference of the closed equations."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def simulated_overlaps(
    activation: Callable[[Array], Array],
    slope: Callable[[Array], Array],
    label: Callable[[Array], Array],
    start: Array,
    *,
    d: int,
    seeds: int,
    rate: float,
    times: Sequence[float],
    square: bool = False,
    kappa: float = 0.0,
    passes: int = 1,
    spherical: bool = True,
    noise: float = 0.0,
    readout: Array | None = None,
) -> Array:
    """Overlaps of p neurons with r directions, shape (times, seeds, p, r).

    `label` takes (..., r); `start` is (p, r). The target's directions are the first r axes.
    """
    rng = np.random.default_rng(2024)
    p, r = start.shape
    a = np.ones(p) if readout is None else readout
    w = rng.normal(size=(seeds, p, d))
    w[:, :, :r] = 0.0
    for j in range(p):  # orthogonal outside the target's directions
        for i in range(j):
            w[:, j] -= np.sum(w[:, j] * w[:, i], axis=1, keepdims=True) * w[:, i]
        w[:, j] /= np.linalg.norm(w[:, j], axis=1, keepdims=True)
    w *= np.sqrt(1 - np.sum(start**2, axis=1))[None, :, None]
    w[:, :, :r] = start

    def force(fields: Array, y: Array) -> Array:
        residual = y - (a * activation(fields)).mean(axis=1) if square else y
        return a * residual[:, None] * slope(fields)

    found, steps = [], 0
    for time in times:
        while steps < time * d:
            x = rng.normal(size=(seeds, d))
            y = label(x[:, :r]) + np.sqrt(noise) * rng.normal(size=seeds)
            size = np.sum(x**2, axis=1)[:, None] / d
            for _ in range(passes):
                h = np.einsum("spd,sd->sp", w, x)
                f = force(h, y)
                if kappa:
                    f = force(h + kappa * f * size, y)
                w += (rate / (p * d)) * f[:, :, None] * x[:, None, :]
                if spherical:
                    w /= np.linalg.norm(w, axis=2, keepdims=True)
            steps += 1
        found.append(w[:, :, :r].copy())
    return np.array(found)
