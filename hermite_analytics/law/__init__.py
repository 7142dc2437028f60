"""The law of the indices given the label: branches, conditional expectations, generative exponent."""

from __future__ import annotations

from hermite_analytics.law.branch import Branch
from hermite_analytics.law.generative import generative_exponent
from hermite_analytics.law.grand_staircases import grand_staircase
from hermite_analytics.law.node import ConditionalLaw

__all__ = ["Branch", "ConditionalLaw", "generative_exponent", "grand_staircase"]
