"""A first readout of two values instead of one: a richer basis, and a smaller error."""

from __future__ import annotations

import numpy as np
from gallery_style import picture
from learning_curves import ALPHA, PROBLEM, RIDGE, curve, finish
from matplotlib.axes import Axes
from networks import Array, with_a_spike

from hermite_analytics.numeric import SpikedRandomFeatures

D, BETA, R = 300, 0.5, 2.0


def weights(rng: np.random.Generator, theta: Array, letters: tuple[float, ...]) -> Array:
    """With spikes that have these strengths in turn."""
    p = round(BETA * len(theta))
    return with_a_spike(rng, p, theta, r=R, letters=np.resize(letters, p))


def draw(axes: Axes) -> None:
    """Lines: infinite dimension; points: features of dimension 300."""
    for letters in ((1.0,), (1.0, 0.25)):
        law = {u: 1 / len(letters) for u in letters}
        model = SpikedRandomFeatures(*PROBLEM, letters=law if len(letters) > 1 else None)
        theory = model.solve(alpha=ALPHA, ridge=RIDGE, r=R, c=1.0, gamma=1.0, beta=BETA)
        label = "letters " + ", ".join(f"{u:g}" for u in letters)
        curve(axes, theory.test_error, label, lambda rng, t, u=letters: weights(rng, t, u), D)
    finish(axes, float(theory.linear_floor), yscale="log")


if __name__ == "__main__":
    picture(draw)
