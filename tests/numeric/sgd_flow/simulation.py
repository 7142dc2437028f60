"""One-pass SGD at finite d, all seeds at once: the reference of the closed equations.

A new input N(0, I_d) knows weights by their overlaps and products alone: these are followed instead of
the weights: the input's coordinates along the target's directions and along what is left of the weights are
normal, and what remains of |x|^2 is a chi-square. The law is that of the weights at this d, and no limit.
`test_weights_and_products` compares a run of both on the same inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Problem:
    """What a step takes; `label` takes the coordinates (..., r) along the target's directions."""

    activation: Callable[[Array], Array]
    slope: Callable[[Array], Array]
    label: Callable[[Array], Array]
    d: int
    rate: float
    square: bool = False
    kappa: float = 0.0
    passes: int = 1
    spherical: bool = True
    noise: float = 0.0
    readout: Array | None = None

    def force(self, fields: Array, y: Array) -> Array:
        """What each neuron moves by along x, but for rate/(p d)."""
        a = np.ones(fields.shape[1]) if self.readout is None else self.readout
        residual = y - (a * self.activation(fields)).mean(axis=1) if self.square else y
        return a * residual[:, None] * self.slope(fields)


@dataclass(kw_only=True)
class Seeds:
    """Overlaps (seeds, p, r) of the weights, and products (seeds, p, p) of what the target does not see."""

    overlaps: Array
    rest: Array

    def step(self, problem: Problem, z: Array, fields: Array, size: Array, y: Array) -> None:
        """One input: z (seeds, r), the fields (seeds, p) of the rest, and |x|^2 (seeds,) without z."""
        p = fields.shape[1]
        total = (size + np.sum(z**2, axis=1))[:, None] / problem.d
        for _ in range(problem.passes):
            h = np.einsum("spr,sr->sp", self.overlaps, z) + fields
            f = problem.force(h, y)
            if problem.kappa:
                f = problem.force(h + problem.kappa * f * total, y)
            f = problem.rate / (p * problem.d) * f
            self.overlaps += f[:, :, None] * z[:, None, :]
            mixed = f[:, :, None] * fields[:, None, :]
            self.rest += mixed + mixed.swapaxes(1, 2)
            self.rest += size[:, None, None] * f[:, :, None] * f[:, None, :]
            fields = fields + f * size[:, None]
            if problem.spherical:
                norms = np.sqrt(np.sum(self.overlaps**2, axis=2) + np.einsum("spp->sp", self.rest))
                self.overlaps /= norms[:, :, None]
                self.rest /= norms[:, :, None] * norms[:, None, :]
                fields = fields / norms


def simulated_overlaps(problem: Problem, start: Array, *, seeds: int, times: Sequence[float]) -> Array:
    """Overlaps of p neurons with r directions from `start` (p, r), shape (times, seeds, p, r).

    The neurons start with norm 1, orthogonal outside the target's directions.
    """
    rng = np.random.default_rng(2024)
    p, r = start.shape
    first = np.diag(1 - np.sum(start**2, axis=1))
    state = Seeds(overlaps=np.tile(start, (seeds, 1, 1)), rest=np.tile(first, (seeds, 1, 1)))
    found, steps = [], 0
    for time in times:
        while steps < time * problem.d:
            z, u = rng.normal(size=(seeds, r)), rng.normal(size=(seeds, p))
            y = problem.label(z) + np.sqrt(problem.noise) * rng.normal(size=seeds)
            fields = np.einsum("spq,sq->sp", np.linalg.cholesky(state.rest), u)
            size = np.sum(u**2, axis=1) + rng.chisquare(problem.d - r - p, size=seeds)
            state.step(problem, z, fields, size, y)
            steps += 1
        found.append(state.overlaps.copy())
    return np.array(found)
