"""Its place among the shapes of labels."""

from __future__ import annotations

from hermite_analytics.label.shape import Shape

__all__ = ["VALUES"]

VALUES = Shape(
    name="values",
    summary="coordinates that enter through finitely many values: the probabilities of boxes",
    place=10,
    laws=("channel.methods:boxes",),
    thresholds=("thresholds.discrete:by_finite_values", "thresholds.numeric:noisy_finite"),
    along_axes=True,
)
