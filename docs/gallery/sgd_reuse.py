"""One-pass SGD does not see He3 with relu; looking at each sample twice does."""

from __future__ import annotations

import numpy as np
from gallery_style import picture
from matplotlib.axes import Axes

from hermite_analytics.numeric import SGDFlow


def draw(axes: Axes) -> None:
    """Flows from overlap 0."""
    times = np.linspace(0, 60, 121)
    for options in ({}, {"reuse": 0.1}, {"method": "batch-reuse"}):
        found = SGDFlow("relu", "He3(z1)", **options).solve(rate=0.05, overlap=0.0, times=times)
        found.plot(axes, label=found.parameters["method"])
    axes.set_title("relu, target He3, correlation loss")


if __name__ == "__main__":
    picture(draw)
