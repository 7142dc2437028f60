"""The eigenvalues of the features after a giant step: a bulk that is no Marchenko-Pastur law."""

from __future__ import annotations

from gallery_style import picture
from matplotlib.axes import Axes

from hermite_analytics.numeric import Spectrum


def draw(axes: Axes) -> None:
    """cos has an outlier of order one besides its bulk."""
    Spectrum("cos(z)").solve(r=0.4, c=0.1, alpha=60, beta=6).plot(axes)
    axes.set_yscale("log")  # the bulk near 0 is twenty times as high as the other
    axes.set_ylim(1e-3, 1e2)  # outside of the bulk rounding is left


if __name__ == "__main__":
    picture(draw)
