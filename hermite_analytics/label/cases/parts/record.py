"""Its place among the shapes of labels."""

from __future__ import annotations

from hermite_analytics.label.shape import Shape

__all__ = ["PARTS"]

PARTS = Shape(
    name="parts",
    summary="independent parts, and what has a law like theirs: Bessel functions, segments, convolution",
    place=30,
    thresholds=(
        "thresholds.numeric:quadratic_form",
        "thresholds.numeric:coordinate_product",
        "thresholds.piecewise_linear:piecewise_linear",
        "thresholds.even_parts:even_parts",
        "thresholds.numeric:independent_parts",
    ),
)
