"""The orders at which directions are seen through the label: generative exponent and grand staircase."""

from __future__ import annotations

from hermite_analytics.label.orders.generative import generative_exponent
from hermite_analytics.label.orders.grand_staircases import grand_staircase

__all__ = ["generative_exponent", "grand_staircase"]
