"""Overlaps that a grid does not resolve: a point of its own kind, not a label that is refused."""

from __future__ import annotations

from hermite_analytics.errors import UnsupportedExpression

__all__ = ["UnresolvedOverlap"]


class UnresolvedOverlap(UnsupportedExpression):
    """Some overlaps are too close to 1 for the grid of a map, and not all of them are."""
