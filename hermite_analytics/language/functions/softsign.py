"""x/(1 + |x|)."""

from __future__ import annotations

from hermite_analytics.language.functions.record import Record

__all__ = ["RECORDS"]

RECORDS = (Record(names=("softsign",), build=lambda x: x / (1 + abs(x))),)
