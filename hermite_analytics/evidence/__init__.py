"""What an answer rests on, and numbers that carry it."""

from __future__ import annotations

from hermite_analytics.evidence.evidence import Evidence
from hermite_analytics.evidence.quantity import Number, Quantity, number_of

__all__ = ["Evidence", "Number", "Quantity", "number_of"]
