"""Which names a text may use."""

from __future__ import annotations

import sympy
from sympy import Expr

from hermite_analytics.language.functions import RECORDS, Record

__all__ = ["CONSTANTS", "FUNCTIONS", "MAX_VARIABLES"]

MAX_VARIABLES = 64  # coordinates are z1 to z64

CONSTANTS: dict[str, Expr] = {"pi": sympy.pi, "E": sympy.E}
FUNCTIONS: dict[str, Record] = {name: record for record in RECORDS for name in record.names}
