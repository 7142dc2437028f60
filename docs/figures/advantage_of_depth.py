"""A target with inner directions: samples that kernels, two layers and three layers need."""

from __future__ import annotations

from gallery_style import picture
from matplotlib.axes import Axes

from hermite_analytics.numeric import ThreeLayer


def draw(axes: Axes) -> None:
    """Inner degree 2, d^(1/2) inner directions."""
    ThreeLayer((2,), 0.5).solve().plot(axes)


if __name__ == "__main__":
    picture(draw)
