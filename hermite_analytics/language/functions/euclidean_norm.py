"""The Euclidean norm of its arguments."""

from __future__ import annotations

import sympy
from sympy import Expr

from hermite_analytics.language.functions.record import Record

__all__ = ["RECORDS"]


def _norm(*arguments: Expr) -> Expr:
    return sympy.sqrt(sympy.Add(*(a**2 for a in arguments)))


RECORDS = (Record(names=("norm",), elsewhere=("hypot",), arity=(1, None), build=_norm),)
