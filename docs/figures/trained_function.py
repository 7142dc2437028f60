"""The function along the target's direction that a network has learned, for several batches of its step."""

from __future__ import annotations

import numpy as np
from gallery_style import picture
from learning_curves import PROBLEM, RIDGE, slope
from matplotlib.axes import Axes
from networks import Array, after_a_giant_step, directions, ridge_readout

from hermite_analytics.numeric import GiantStep, SpikedRandomFeatures

BETA, STEP, ALPHA = 0.5, 2.0, 4.0
D, SEEDS, INPUTS = 400, 4, 1000
PLACES = np.linspace(-3, 3, 9)


def found(alpha0: float, seed: int) -> Array:
    """Means of one network's output over inputs with each projection on the target's direction."""
    rng = np.random.default_rng(seed)
    theta = directions(rng, 1, D)[0]
    w = directions(rng, round(BETA * D), D)
    if alpha0:
        w = after_a_giant_step(rng, w, theta, slope, np.sin, alpha0=alpha0, step=STEP)
    a, _ = ridge_readout(rng, w, theta, np.tanh, np.sin, alpha=ALPHA, ridge=RIDGE)
    across = rng.standard_normal((INPUTS, D))
    across -= np.outer(across @ theta, theta)
    outputs = [np.tanh((across + t * theta) @ w.T) @ a / len(w) ** 0.5 for t in PLACES]
    return np.mean(outputs, axis=1)


def draw(axes: Axes) -> None:
    """Lines: infinite dimension; points: networks of dimension 400."""
    t = np.linspace(-3.2, 3.2, 129)
    model = SpikedRandomFeatures(*PROBLEM)
    axes.plot(t, np.sin(t), color="0.4", label="target")
    for alpha0 in (0.0, 0.5, 2.0, 8.0):
        if alpha0:
            step = GiantStep(*PROBLEM).solve(alpha0=alpha0, eta=STEP * BETA, beta=BETA)
            theory = model.solve(step=step, alpha=ALPHA, ridge=RIDGE)
        else:
            theory = model.solve(r=0.0, c=1.0, gamma=0.0, beta=BETA, alpha=ALPHA, ridge=RIDGE)
        (line,) = axes.plot(t, model.learned(theory, t), label=rf"$n_0/d$ = {alpha0:g}")
        networks = [found(alpha0, seed) for seed in range(SEEDS)]
        error = 2 * np.std(networks, axis=0, ddof=1) / SEEDS**0.5
        axes.errorbar(
            PLACES, np.mean(networks, axis=0), yerr=error, fmt="o", color=line.get_color(), markersize=4
        )
    axes.set(xlabel=r"$\theta \cdot x$", ylabel="mean output", title="what the network has learned")
    axes.legend()


if __name__ == "__main__":
    picture(draw)
