"""Double descent of random features, and how the ridge heals it."""

from __future__ import annotations

import numpy as np
from gallery_style import picture
from matplotlib.axes import Axes

from hermite_analytics.numeric import RandomFeatures


def draw(axes: Axes) -> None:
    """Test error against the width at n = 2 d."""
    model = RandomFeatures("relu(z)", "tanh(2*z1)")
    beta = np.geomspace(0.2, 20, 300)
    for ridge in (1e-4, 1e-2, 1.0):
        axes.plot(
            beta,
            model.solve(alpha=2, beta=beta, ridge=ridge, noise=0.05).test_error,
            label=rf"$\lambda = {ridge:g}$",
        )
    axes.axvline(2, color="0.85", zorder=0)
    axes.set(
        xscale="log",
        xlabel=r"$\beta = p / d$",
        ylabel="test error",
        ylim=(0, 1.2),
        title=r"relu, target $\tanh(2 z)$, $n = 2 d$",
    )
    axes.legend()


if __name__ == "__main__":
    picture(draw)
