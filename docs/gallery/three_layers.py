"""Targets of three layers: the samples that each scenario of training needs."""

from __future__ import annotations

from gallery_style import picture
from matplotlib.axes import Axes

from hermite_analytics.numeric import ThreeLayer


def draw(axes: Axes) -> None:
    """Inner degrees 2 and 5, d^(1/2) inner directions."""
    ThreeLayer((2, 5), 0.5).solve().plot(axes)


if __name__ == "__main__":
    picture(draw)
