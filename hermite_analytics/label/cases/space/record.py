"""Its place among the shapes of labels."""

from __future__ import annotations

from hermite_analytics.label.shape import Shape

__all__ = ["SPACE"]

SPACE = Shape(
    name="space",
    summary="three coordinates, smooth off planes and graphs, also through added noise: level surfaces",
    place=45,
    thresholds=("thresholds.three_coordinates:level_surfaces",),
)
