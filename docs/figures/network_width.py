"""Learning curves after one giant step of given size, for several widths of the network."""

from __future__ import annotations

import numpy as np
from gallery_style import picture
from learning_curves import ALPHA, PROBLEM, RIDGE, curve, finish, slope
from matplotlib.axes import Axes
from networks import Array, after_a_giant_step, directions

from hermite_analytics.numeric import GiantStep, SpikedRandomFeatures

ALPHA0, ETA = 4.0, 1.5


def weights(rng: np.random.Generator, theta: Array, beta: float) -> Array:
    """Of beta d neurons, after the step."""
    w = directions(rng, round(beta * len(theta)), len(theta))
    return after_a_giant_step(rng, w, theta, slope, np.sin, alpha0=ALPHA0, step=ETA / beta)


def draw(axes: Axes) -> None:
    """Lines: infinite dimension; points: networks of dimension 150."""
    for beta in (0.5, 1.0, 2.0):
        step = GiantStep(*PROBLEM).solve(alpha0=ALPHA0, eta=ETA, beta=beta)
        theory = SpikedRandomFeatures(*PROBLEM).solve(step=step, alpha=ALPHA, ridge=RIDGE)
        label = f"p/d = {beta:g}, r = {float(step.r):.2f}"
        curve(axes, theory.test_error, label, lambda rng, t, b=beta: weights(rng, t, b))
    finish(axes, float(theory.linear_floor), ylim=(0, 0.6))


if __name__ == "__main__":
    picture(draw)
