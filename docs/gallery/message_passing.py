"""Message passing on data of dimension 400 (points) and its state evolution (line)."""

from __future__ import annotations

import numpy as np
from gallery_style import picture
from matplotlib.axes import Axes

from hermite_analytics.numeric import StateEvolution, simulate

SAMPLES = [0.5, 1.0, 2.0, 3.0]


def draw(axes: Axes) -> None:
    """The perceptron, labels sign(z)."""
    alpha = np.linspace(0.05, 3.2, 64)
    axes.plot(alpha, StateEvolution("sign(z1)").solve(alpha=alpha).overlap[:, 0, 0], label="state evolution")
    runs = [simulate("amp", target="sign(z1)", alpha=a, d=400, seeds=6).results["overlap"] for a in SAMPLES]
    means = [float(np.ravel(run.mean)[0]) for run in runs]
    errors = [2 * float(np.ravel(run.stderr)[0]) for run in runs]
    axes.errorbar(SAMPLES, means, yerr=errors, fmt="o", markersize=4, label="AMP, $d = 400$, 6 seeds")
    axes.set(
        xlabel=r"$\alpha = n / d$",
        ylabel="squared overlap with the direction",
        ylim=(0, 1),
        title=r"$y = \mathrm{sign}(z)$",
    )
    axes.legend()


if __name__ == "__main__":
    picture(draw)
