"""The exponents of the degrees as curves: a row a scenario and degree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hermite_analytics.rendering import Column, Frame, Role

__all__ = ["by_degree"]


def by_degree(frame: Frame) -> Frame:
    """For each scenario when each degree of h is fitted."""
    named = ("epsilon", "scenario")
    rows = []
    for row in frame.rows:
        parts = row["parts"]
        assert isinstance(parts, Mapping)
        shared = {name: row[name] for name in named if name in row}
        rows += [shared | {"degree": int(key.rpartition("_")[2]), "exponent": x} for key, x in parts.items()]
    known = {
        "scenario": Column(name="scenario", role=Role.PARAMETER),
        "degree": Column(name="degree", role=Role.PARAMETER, symbol="k"),
        "exponent": Column(name="exponent", formula=r"\log n/\log d"),
    }
    return replace(frame, rows=tuple(rows), columns={**frame.columns, **known})
