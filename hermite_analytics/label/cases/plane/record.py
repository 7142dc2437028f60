"""Its place among the shapes of labels."""

from __future__ import annotations

from hermite_analytics.label.shape import Shape

__all__ = ["PLANE"]

PLANE = Shape(
    name="plane",
    summary="two coordinates, or one and the noise inside: level curves, regions, smooth laws",
    place=40,
    laws=("channel.general:level_curves", "channel.general:smooth_plane"),
    thresholds=(
        "thresholds.two_coordinates:smooth_law",
        "thresholds.two_coordinates:level_curves",
        "thresholds.two_coordinates:behind_noise",
    ),
)
