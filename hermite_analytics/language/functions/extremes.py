"""The largest and the smallest of several."""

from __future__ import annotations

import sympy
from sympy import Expr

from hermite_analytics.language.functions.record import Growth, Record

__all__ = ["RECORDS"]


def _largest(*arguments: Expr) -> Expr:
    return _extreme(sympy.Max, arguments)


def _smallest(*arguments: Expr) -> Expr:
    return _extreme(sympy.Min, arguments)


def _extreme(kind: type[Expr], arguments: tuple[Expr, ...]) -> Expr:
    """Of different symbols without the comparison of all pairs, which takes seconds of twenty."""
    plain = all(a.is_Symbol for a in arguments) and len(set(arguments)) == len(arguments) > 1
    return kind(*arguments, evaluate=not plain)


RECORDS = (
    Record(
        function=sympy.Max,
        build=_largest,
        names=("max", "Max"),
        elsewhere=("maximum",),
        arity=(2, None),
        code="maximum",
        growth=Growth.LINEAR,
    ),
    Record(
        function=sympy.Min,
        build=_smallest,
        names=("min", "Min"),
        elsewhere=("minimum",),
        arity=(2, None),
        code="minimum",
        growth=Growth.LINEAR,
    ),
)
