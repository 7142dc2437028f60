"""The largest and the smallest of several."""

from __future__ import annotations

import sympy

from hermite_analytics.language.functions.record import Growth, Record

__all__ = ["RECORDS"]

RECORDS = (
    Record(
        function=sympy.Max,
        names=("max", "Max"),
        elsewhere=("maximum",),
        arity=(2, None),
        code="max",
        growth=Growth.LINEAR,
    ),
    Record(
        function=sympy.Min,
        names=("min", "Min"),
        elsewhere=("minimum",),
        arity=(2, None),
        code="min",
        growth=Growth.LINEAR,
    ),
)
