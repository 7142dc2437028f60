"""Ridge regression with a power-law spectrum: the exact curve, and the exponent that it tends to."""

from __future__ import annotations

import numpy as np
from gallery_style import GREY, picture
from matplotlib.axes import Axes

from hermite_analytics.numeric import DeterministicEquivalent


def draw(axes: Axes) -> None:
    """Bias and variance against the number of samples, kernel and p = 200 features."""
    model = DeterministicEquivalent.power_law(1.5, 2.2)
    samples = np.geomspace(10, 1e5, 60).round()
    kernel = model.solve(samples=samples, features=np.inf, ridge=0.1, noise=0.01)
    features = model.solve(samples=samples, features=200, ridge=0.1, noise=0.01)
    axes.plot(samples, kernel.test_error, label="kernel")
    axes.plot(samples, features.test_error, label="200 features")
    axes.axvline(200, color=GREY, linewidth=0.8)
    axes.set(xscale="log", yscale="log", xlabel="$n$", ylabel="test error")
    axes.legend()


if __name__ == "__main__":
    picture(draw)
