"""Inverse questions: targets with the exponents, staircases and thresholds that are asked for, with proof."""

from __future__ import annotations

from hermite_analytics.designs.results import Design, Designs, Property, SearchReport
from hermite_analytics.designs.search import design

__all__ = ["Design", "Designs", "Property", "SearchReport", "design"]
