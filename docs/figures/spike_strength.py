"""Spiked random features: learning curves for several strengths of the spike."""

from __future__ import annotations

import numpy as np
from gallery_style import picture
from learning_curves import ALPHA, PROBLEM, RIDGE, curve, finish
from matplotlib.axes import Axes
from networks import Array, with_a_spike

from hermite_analytics.numeric import RandomFeatures, SpikedRandomFeatures

BETA = 0.5


def weights(rng: np.random.Generator, theta: Array, r: float) -> Array:
    """With a spike of this strength along the target."""
    return with_a_spike(rng, round(BETA * len(theta)), theta, r=r)


def draw(axes: Axes) -> None:
    """Lines: infinite dimension; points: features of dimension 150."""
    model = SpikedRandomFeatures(*PROBLEM)
    for r in (0.0, 0.5, 1.0, 2.0):
        theory = (
            model.solve(alpha=ALPHA, ridge=RIDGE, c=1.0, gamma=1.0, beta=BETA, r=r)
            if r
            else RandomFeatures(*PROBLEM).solve(alpha=ALPHA, ridge=RIDGE, beta=BETA)
        )
        curve(axes, theory.test_error, f"r = {r:g}", lambda rng, t, r=r: weights(rng, t, r))
    finish(axes, float(theory.linear_floor), ylim=(0, 0.8))


if __name__ == "__main__":
    picture(draw)
