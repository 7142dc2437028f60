"""145 expectations with closed forms, 30 digits, or the reason why there is none.

The values were computed by two independent quadratures at 30 digits or more (data/expectations.json).
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import sympy

from hermite_analytics.gaussian.closed_form import closed_form
from hermite_analytics.language.parser import parse
from hermite_analytics.symbols import variable

RECORDS = json.loads((Path(__file__).parent / "data" / "expectations.json").read_text(encoding="utf-8"))
BY_ID = {record["id"]: record for record in RECORDS}
CLOSED = [r["id"] for r in RECORDS if r["exact"] is not None]
OPEN = [r["id"] for r in RECORDS if r["exact"] is None and r["value"] is not None]


def read(record):
    """(expression, variables, values of the parameters)."""
    names = {
        name: sympy.Symbol(name, positive=True if name == "c" else None, real=True)
        for name in record["parameters"]
    }
    names |= {f"z{i}": variable(i) for i in range(1, 6)}
    text = record["expr"]
    if record["id"] == "e081":  # the language asks for a positive argument of sqrt; 1 - u^2 is one here
        text, root = text.replace("sqrt(1-u**2)", "w"), sympy.sqrt(1 - names["u"] ** 2)
        names["w"] = sympy.Symbol("w", real=True)
        expression = parse(text, names.get, accepted="variables").subs(names["w"], root)
    else:
        expression = parse(text, names.get, accepted="variables")
    variables = [variable(i) for i in range(1, 6) if expression.has(variable(i))]
    point = {names[name]: sympy.Rational(value) for name, value in record["parameters"].items()}
    return expression, variables, point


@pytest.mark.cases(12)
@pytest.mark.parametrize("name", CLOSED)
def test_closed_form(name):
    record = BY_ID[name]
    expression, variables, point = read(record)
    exact = closed_form(expression, variables)
    if exact is None:  # a parity that only these values of the parameters have
        exact = closed_form(expression.subs(point), variables)
    value = sympy.N(exact.subs(point), 40)
    expected = sympy.Float(record["value"], 40)
    assert abs(value - expected) <= sympy.Float("1e-27") * max(1, abs(expected))


@pytest.mark.parametrize("name", OPEN)
def test_no_closed_form_is_claimed(name):
    expression, variables, _ = read(BY_ID[name])
    assert closed_form(expression, variables) is None
