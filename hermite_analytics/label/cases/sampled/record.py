"""Its place among the shapes of labels."""

from __future__ import annotations

from hermite_analytics.label.shape import Shape

__all__ = ["SAMPLED"]

SAMPLED = Shape(
    name="sampled",
    summary="any form: solved along lines, or sampled",
    place=50,
    laws=("channel.general:solved",),
    thresholds=("thresholds.two_coordinates:sampled",),
)
