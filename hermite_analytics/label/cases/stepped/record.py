"""Its place among the shapes of labels."""

from __future__ import annotations

from hermite_analytics.label.shape import Shape

__all__ = ["STEPPED"]

STEPPED = Shape(
    name="stepped",
    summary="many values that one value decides on, such as floor(z1*z2): its level curves or surfaces",
    place=35,
    laws=("cases.stepped.case:stepped_label", "cases.stepped.case:stepped_space"),
    thresholds=(
        "thresholds.stepped:between_curves",
        "thresholds.stepped:between_points",
        "thresholds.three_coordinates:between_surfaces",
    ),
    takes_floors=True,
)
