"""Gradient descent on the first layer at finite size: one pass (`sgd`), and data reuse (`reuse`)."""

from __future__ import annotations

from hermite_analytics.numeric.simulator.sgd.protocol import SGDProtocol
from hermite_analytics.numeric.simulator.sgd.reuse import ReuseProtocol

__all__ = ["ReuseProtocol", "SGDProtocol"]
