"""Convex losses: proximal operators and Moreau envelopes, callable from compiled code."""

from __future__ import annotations

from hermite_analytics.numeric.losses.loss import Loss

__all__ = ["Loss"]
