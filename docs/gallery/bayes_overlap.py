"""Bayes-optimal learning: a threshold, a jump, and a gap between algorithm and information."""

from __future__ import annotations

import numpy as np
from gallery_style import GREY, picture
from matplotlib.axes import Axes

from hermite_analytics.numeric import StateEvolution


def draw(axes: Axes) -> None:
    """z^2: what message passing finds, and what an informed start keeps."""
    model = StateEvolution("z1**2")
    alpha = np.linspace(0.3, 1.3, 101)
    axes.plot(alpha, model.solve(alpha=alpha).overlap[:, 0, 0], label="message passing")
    informed = model.solve(alpha=alpha, start="informed").overlap[:, 0, 0]
    axes.plot(alpha, informed, "--", label="informed start")
    found = model.thresholds()
    for value, name in ((found.weak_recovery, "weak"), (found.exact_recovery, "exact")):
        axes.axvline(value, color=GREY, linewidth=0.8)
        axes.annotate(f" {name}: {value:.4g}", (value, 0.6), color="0.4")
    axes.set(xlabel=r"$\alpha = n / d$", ylabel="squared overlap with the direction", title="$y = z^2$")
    axes.legend(loc="upper left")


if __name__ == "__main__":
    picture(draw)
