"""A step of order one: a singular value leaves the bulk of the weights, and the test error falls."""

from __future__ import annotations

import numpy as np
from gallery_style import GREY, picture
from matplotlib.axes import Axes

from hermite_analytics.numeric import SmallStep


def draw(axes: Axes) -> None:
    """Singular value, alignment and gain against the step."""
    eta = np.linspace(0, 8, 161)
    found = SmallStep("tanh(z)", "tanh(z1)").solve(eta=eta, alpha=4, beta=2, ridge=0.2, noise=0.09)
    axes.plot(eta, found.weights["singular_value"], label="largest singular value of $W$")
    axes.axhline(1 + np.sqrt(2), color=GREY, linestyle="--", label="edge of the bulk")
    axes.plot(eta, found.weights["alignment"], label="its squared cosine with the target")
    axes.plot(eta, found.risk_after / found.risk_before, label="test error after/before")
    axes.set(xlabel=r"step $\eta$", ylim=(0, None))
    axes.legend()


if __name__ == "__main__":
    picture(draw)
