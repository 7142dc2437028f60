"""Its place among the shapes of labels."""

from __future__ import annotations

from hermite_analytics.label.shape import Shape

__all__ = ["LINE"]

LINE = Shape(
    name="line",
    summary="one continuous coordinate, beside discrete ones or noise: its preimages",
    place=20,
    laws=(
        "channel.methods:with_noise",
        "channel.methods:one_coordinate",
    ),
    thresholds=("thresholds.numeric:one_coordinate",),
    along_axes=True,
)
