"""The records of `data/expectations.json` through the public `expectation`."""

from __future__ import annotations

import pytest
import sympy

import hermite_analytics as ha
from hermite_analytics.errors import HermiteAnalyticsError
from tests.symbolic.test_known_expectations import RECORDS

DEFINED = {r["id"]: r for r in RECORDS if r["value"] is not None}
UNDEFINED = [r["expr"] for r in RECORDS if r["evidence"] == "undefined"]


@pytest.mark.parametrize("text", UNDEFINED)
def test_undefined_is_refused_with_a_reason(text):
    with pytest.raises((ha.UndefinedQuantity, ha.ParseError)) as refused:
        ha.expectation(text)
    assert isinstance(refused.value, HermiteAnalyticsError)
    assert len(str(refused.value)) > 30


@pytest.mark.cases(12)
@pytest.mark.parametrize("name", DEFINED)
def test_digits(name):
    record = DEFINED[name]
    value = ha.expectation(record["expr"]).evalf(25, record["parameters"])
    expected = sympy.Float(record["value"], 30)
    assert abs(value - expected) <= sympy.Float("1e-24") * max(1, abs(expected))
