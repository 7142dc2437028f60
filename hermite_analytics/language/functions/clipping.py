"""Clipping to an interval, and hardtanh, which clips to [-1, 1]."""

from __future__ import annotations

import sympy
from sympy import Expr

from hermite_analytics.language.functions.integer_part import floor, staircase
from hermite_analytics.language.functions.record import Record

__all__ = ["RECORDS"]


def _clip(x: Expr, low: Expr, high: Expr) -> Expr:
    whole, rest = x.as_coeff_Add()
    if isinstance(rest, floor) and all(a.is_Integer for a in (whole, low, high)):
        return staircase(rest.args[0] + whole, low, high)
    return sympy.Min(sympy.Max(x, low), high)


def _crossed(x: Expr, low: Expr, high: Expr) -> str | None:
    return "clip(x, lo, hi) takes bounds lo <= hi" if (low > high) == True else None  # noqa: E712


RECORDS = (
    Record(
        names=("clip",),
        elsewhere=("clamp",),
        arity=(3, 3),
        constants=("lo", "hi"),
        example="clip(z, -1, 1)",
        build=_clip,
        refuses=_crossed,
    ),
    Record(names=("hardtanh",), build=lambda x: _clip(x, sympy.S.NegativeOne, sympy.S.One)),
)
