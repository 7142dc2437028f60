"""Loads what every worker needs, once: workers are forked from the process that has done it.

The first answer about a target imports most of it.
"""

from __future__ import annotations

from hermite_analytics.explorer.answers import WarmUps

__all__: list[str] = []

WarmUps(1.0).load("target")
