"""The answers that are kept for the first page are those that workers give."""

from __future__ import annotations

import json

import pytest

from hermite_analytics.explorer import kept
from hermite_analytics.explorer.endpoints import ENDPOINTS
from hermite_analytics.explorer.parameters import read
from hermite_analytics.explorer.words import START

NEAR = 1e-9  # relative; solvers stop at 1e-10 or less


def same(one, other, where=""):
    """Compare documents; numbers may differ in their last digits on another computer."""
    assert type(one) is type(other), where
    if isinstance(one, dict):
        assert one.keys() == other.keys(), where
        for name in one:
            same(one[name], other[name], f"{where}/{name}")
    elif isinstance(one, list):
        assert len(one) == len(other), where
        for k, (first, second) in enumerate(zip(one, other, strict=True)):
            same(first, second, f"{where}/{k}")
    elif isinstance(one, float):
        assert one == pytest.approx(other, rel=NEAR, abs=1e-12), where
    elif "/exports/latex" not in where:  # holds the numbers once more, as text
        assert one == other, where


def test_they_are_what_is_computed():
    for fresh in kept.computed():
        answer = kept.kept(fresh["path"], fresh["asked"])
        assert answer is not None, f"{fresh['path']} is not kept; python -m hermite_analytics.explorer.kept"
        same(json.loads(answer), fresh["answer"], fresh["path"])


@pytest.mark.parametrize("path", kept.PATHS)
def test_the_page_asks_for_them_and_for_nothing_else(path):
    names = [parameter.name for parameter in ENDPOINTS[path].parameters]
    texts = {"target": START["curve_target" if path.startswith("curve") else "target"]}
    given = [(name, {**texts, "activation": START["activation"]}[name]) for name in names if name in
             ("target", "activation")]  # fmt: skip
    asked = {**ENDPOINTS[path].fixed, **read(given, ENDPOINTS[path].parameters)}
    assert kept.kept(path, asked) is not None
    assert kept.kept(path, {**asked, given[0][0]: "z1 + 1"}) is None
    assert kept.kept("explanation", asked) is None
