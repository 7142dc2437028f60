"""After one giant step: what no ridge, width or number of samples beats, and what is always reached."""

from __future__ import annotations

import numpy as np
from gallery_style import GREY, picture
from matplotlib.axes import Axes

from hermite_analytics.numeric import Bounds


def draw(axes: Axes) -> None:
    """Both bounds against the size of the spike."""
    r = np.linspace(0.03, 4, 160)
    bounds = Bounds("tanh(z)", "sin(z1)").solve(r=r)
    axes.fill_between(r, bounds.lower, bounds.upper, alpha=0.2)
    axes.plot(r, bounds.upper, label="upper")
    axes.plot(r, bounds.lower, label="lower")
    axes.axhline(bounds.linear_floor, color=GREY, linestyle="--", label="best linear predictor")
    axes.set(xlabel="size $r$ of the spike", ylabel="test error", yscale="log", title="tanh, target sin")
    axes.legend()


if __name__ == "__main__":
    picture(draw)
