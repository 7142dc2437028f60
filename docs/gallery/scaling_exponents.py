"""Which of ridge, features and samples limits the error: exponents over the plane of their scalings."""

from __future__ import annotations

from gallery_style import picture
from matplotlib.axes import Axes

from hermite_analytics.numeric import ScalingLaw


def draw(axes: Axes) -> None:
    """The phase diagram, exact lines over the exponent."""
    ScalingLaw(2, 0.8).plot(axes)
    for coloured in (*axes.collections, *axes.images):
        coloured.set_rasterized(True)


if __name__ == "__main__":
    picture(draw)
