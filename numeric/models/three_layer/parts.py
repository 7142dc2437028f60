"""The exponents of the degrees as curves: a row a scenario and degree."""

from __future__ import annotations

from dataclasses import replace

from hermite_analytics.rendering import Column, Frame, Role

__all__ = ["by_degree"]


def by_degree(frame: Frame) -> Frame:
    """For each scenario when each degree of h is fitted."""
    named = ("epsilon", "scenario")
    rows = tuple(
        {name: row[name] for name in named if name in row}
        | {"degree": int(key.rpartition("_")[2]), "exponent": value}
        for row in frame.rows
        for key, value in row["parts"].items()
    )
    known = {
        "scenario": Column(name="scenario", role=Role.PARAMETER),
        "degree": Column(name="degree", role=Role.PARAMETER, symbol="k"),
        "exponent": Column(name="exponent", formula=r"\log n/\log d"),
    }
    return replace(frame, rows=rows, columns={**frame.columns, **known})
