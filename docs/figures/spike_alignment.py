"""Spiked random features: learning curves for several alignments of the spike with the target."""

from __future__ import annotations

import numpy as np
from gallery_style import picture
from learning_curves import ALPHA, PROBLEM, RIDGE, curve, finish
from matplotlib.axes import Axes
from networks import Array, with_a_spike

from hermite_analytics.numeric import SpikedRandomFeatures

BETA, R = 0.5, 2.0


def weights(rng: np.random.Generator, theta: Array, gamma: float) -> Array:
    """With a spike of this alignment."""
    return with_a_spike(rng, round(BETA * len(theta)), theta, r=R, gamma=gamma)


def draw(axes: Axes) -> None:
    """Lines: infinite dimension; points: features of dimension 150."""
    model = SpikedRandomFeatures(*PROBLEM)
    for gamma in (0.3, 0.6, 0.8, 1.0):
        theory = model.solve(alpha=ALPHA, ridge=RIDGE, c=1.0, r=R, beta=BETA, gamma=gamma)
        curve(axes, theory.test_error, rf"$\gamma$ = {gamma:g}", lambda rng, t, g=gamma: weights(rng, t, g))
    finish(axes, float(theory.linear_floor), ylim=(0, 0.8))


if __name__ == "__main__":
    picture(draw)
