"""A first readout of two values instead of one: a richer basis, and a smaller error."""

from __future__ import annotations

import numpy as np
from gallery_style import GREY, picture
from matplotlib.axes import Axes
from networks import directions, mean_and_error, ridge_readout, with_a_spike

from hermite_analytics.numeric import SpikedRandomFeatures

PROBLEM = ("tanh(z)", "sin(z1)")
D, SEEDS, BETA, R, RIDGE = 300, 4, 0.5, 2.0, 0.01
SAMPLES = (0.5, 1.0, 2.0, 4.0)


def simulated(letters: tuple[float, ...], alpha: float, seed: int) -> float:
    """The test error of features whose spikes have these strengths in turn."""
    rng = np.random.default_rng(seed)
    p = round(BETA * D)
    theta = directions(rng, 1, D)[0]
    w = with_a_spike(rng, p, theta, r=R, letters=np.resize(letters, p))
    return ridge_readout(rng, w, theta, np.tanh, np.sin, alpha=alpha, ridge=RIDGE)[1]


def draw(axes: Axes) -> None:
    """Lines: infinite dimension; points: features of dimension 300."""
    alpha = np.geomspace(0.3, 5, 40)
    for letters in ((1.0,), (1.0, 0.25)):
        law = {u: 1 / len(letters) for u in letters}
        model = SpikedRandomFeatures(*PROBLEM, letters=law if len(letters) > 1 else None)
        theory = model.solve(alpha=alpha, ridge=RIDGE, r=R, c=1.0, gamma=1.0, beta=BETA)
        name = ", ".join(f"{u:g}" for u in letters)
        (line,) = axes.plot(alpha, theory.test_error, label=f"letters {name}")
        for x in SAMPLES:
            mean, error = mean_and_error([simulated(letters, x, seed) for seed in range(SEEDS)])
            axes.errorbar(x, mean, yerr=error, fmt="o", color=line.get_color(), markersize=4)
    axes.axhline(float(theory.linear_floor), color=GREY, linestyle="--", label="best linear predictor")
    axes.set(xscale="log", yscale="log", xlabel=r"$\alpha = n/d$", ylabel="test error")
    axes.set_xticks(SAMPLES, [f"{x:g}" for x in SAMPLES])
    axes.minorticks_off()
    axes.legend()


if __name__ == "__main__":
    picture(draw)
