"""Which names a text may use."""

from __future__ import annotations

import sympy
from sympy import Expr

from hermite_analytics.language.functions import RECORDS, Record

__all__ = ["CONSTANTS", "FUNCTIONS"]

CONSTANTS: dict[str, Expr] = {"pi": sympy.pi, "E": sympy.E}
FUNCTIONS: dict[str, Record] = {name: record for record in RECORDS for name in record.names}
