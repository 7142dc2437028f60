"""Mean, second moment and Hermite coefficients of 66 targets against a table of exact values."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
import sympy

import hermite_analytics as ha
from hermite_analytics.evidence import Evidence
from hermite_analytics.language.parser import parse

RECORDS = {
    r["id"]: r
    for r in json.loads((Path(__file__).parent / "data" / "exponents.json").read_text(encoding="utf-8"))
}


def same(quantity: ha.Quantity, text: str) -> None:
    """Equal to 28 digits where there is a closed form; enclosures to the digits of the table."""
    angle = sympy.Symbol("a", real=True)  # the language has no asin
    table = parse(text.replace("asin(2/3)", "a"), {"a": angle}.get, accepted="a")
    wanted = sympy.N(table.subs(angle, sympy.asin(sympy.Rational(2, 3))), 30)
    if "." in text:  # the table has digits only
        assert math.isclose(quantity.value, float(wanted), rel_tol=1e-14)
        assert quantity.evidence is Evidence.PROVED
        assert quantity.error <= 1e-15
        return
    assert quantity.zero is bool(wanted == 0)
    assert quantity.evidence is Evidence.EXACT or (quantity.zero and quantity.evidence is Evidence.PROVED)
    assert abs(sympy.N(quantity.exact, 30) - wanted) <= sympy.Float("1e-28") * max(1, abs(wanted))


@pytest.mark.cases(12)
@pytest.mark.parametrize("name", RECORDS)
def test_target(name):
    record = RECORDS[name]
    degree = max((sum(h["index"]) for h in record["hermite"]), default=2)
    expansion = ha.hermite(ha.Target(record["target"]), degree)
    assert len(expansion.variables) == record["dimension"]
    same(expansion.mean, record["mean"]["exact"])
    same(expansion.second_moment, record["second_moment"]["exact"])
    for entry in record["hermite"]:
        same(expansion[tuple(entry["index"])], entry["exact"])
    # the table lists some coefficients of each target; of the others it is decided whether they vanish
    assert all(q.zero is not None for q in expansion.values())
    norms = sum(expansion.norm_squared(k).value for k in range(degree + 1))
    assert norms <= expansion.second_moment.value * (1 + 1e-12)
