"""Weak recovery: trivial, easy and hard subspaces, and the thresholds of Bayes-AMP."""

from __future__ import annotations

from hermite_analytics.label.thresholds.recovery import RecoveryStage, WeakRecovery, weak_recovery

__all__ = ["RecoveryStage", "WeakRecovery", "weak_recovery"]
