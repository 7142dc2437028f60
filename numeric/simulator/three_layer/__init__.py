"""Learning a target of three layers at finite size: with fixed features, two layers, three, or a spectrum."""

from __future__ import annotations

from hermite_analytics.numeric.simulator.three_layer.protocol import ThreeLayerProtocol

__all__ = ["ThreeLayerProtocol"]
