"""Targets: functions of independent Gaussian inputs z1, z2, ..., with optional label noise xi."""

from __future__ import annotations

from hermite_analytics.target.given import TargetText
from hermite_analytics.target.target import Target

__all__ = ["Target", "TargetText"]
