"""The weight of a target in each Hermite degree: where its information sits."""

from __future__ import annotations

import numpy as np
from gallery_style import picture
from matplotlib.axes import Axes

import hermite_analytics as ha

TARGETS = ("relu(z1)", "sign(z1*z2)", "He3(z1) + z1*z2")
DEGREE = 8


def weights(text: str) -> list[float]:
    """The squared norm of each degree as a share of E f^2."""
    expansion = ha.hermite(text, degree=DEGREE)
    norms = [float(expansion.norm_squared(k)) for k in range(DEGREE + 1)]
    return [x / float(expansion.second_moment) for x in norms]


def draw(axes: Axes) -> None:
    """Bars side by side."""
    places = np.arange(DEGREE + 1)
    for j, text in enumerate(TARGETS):
        axes.bar(places + 0.27 * (j - 1), weights(text), width=0.25, label=text)
    axes.set(xlabel="Hermite degree", ylabel=r"share of $\mathrm{E}\, f^2$", xticks=places)
    axes.legend()


if __name__ == "__main__":
    picture(draw)
