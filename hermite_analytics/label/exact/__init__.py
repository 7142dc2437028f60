"""What is exact of a label: pieces, zeros, preimages, cells, and the law of the indices given it."""

from __future__ import annotations

from hermite_analytics.label.exact.branch import Branch
from hermite_analytics.label.exact.node import ConditionalLaw

__all__ = ["Branch", "ConditionalLaw"]
