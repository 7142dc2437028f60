"""Learning curves after one giant step, for several sizes of its batch."""

from __future__ import annotations

import numpy as np
from gallery_style import picture
from learning_curves import ALPHA, PROBLEM, RIDGE, curve, finish, slope
from matplotlib.axes import Axes
from networks import Array, after_a_giant_step, directions

from hermite_analytics.numeric import GiantStep, RandomFeatures, SpikedRandomFeatures

BETA, STEP = 0.5, 2.0


def weights(rng: np.random.Generator, theta: Array, alpha0: float) -> Array:
    """After a step on alpha0 d samples."""
    w = directions(rng, round(BETA * len(theta)), len(theta))
    return after_a_giant_step(rng, w, theta, slope, np.sin, alpha0=alpha0, step=STEP)


def draw(axes: Axes) -> None:
    """Lines: infinite dimension; points: networks of dimension 150."""
    start = RandomFeatures(*PROBLEM).solve(alpha=ALPHA, beta=BETA, ridge=RIDGE)
    axes.plot(ALPHA, start.test_error, color="0.4", label="at the start")
    for alpha0 in (0.5, 2.0, 8.0):
        step = GiantStep(*PROBLEM).solve(alpha0=alpha0, eta=STEP * BETA, beta=BETA)
        theory = SpikedRandomFeatures(*PROBLEM).solve(step=step, alpha=ALPHA, ridge=RIDGE)
        curve(axes, theory.test_error, rf"$n_0/d$ = {alpha0:g}", lambda rng, t, a=alpha0: weights(rng, t, a))
    finish(axes, float(theory.linear_floor), ylim=(0, 0.6))


if __name__ == "__main__":
    picture(draw)
