"""Which of ridge, features and samples limits the error: exponents over the plane of their scalings."""

from __future__ import annotations

from gallery_style import picture
from matplotlib.axes import Axes

from hermite_analytics.numeric import ScalingLaw

_LIGHT, _DARK = "#fdfdfd", "#2b1640"


def draw(axes: Axes) -> None:
    """The phase diagram, exact lines over the exponent."""
    ScalingLaw(2, 0.8).plot(axes)
    for coloured in (*axes.collections, *axes.images):
        coloured.set_rasterized(True)
    for line in axes.lines:  # on the map, and so light on pages of both kinds
        if line.get_color() in ("w", "white"):
            line.set_color(_LIGHT)
    axes.legend(
        loc="upper left", frameon=True, facecolor=_DARK, edgecolor="none", labelcolor=_LIGHT, fontsize=7
    )


if __name__ == "__main__":
    picture(draw)
