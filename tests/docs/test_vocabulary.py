"""The words of papers lead to pages and headings that are there; every function has its row in the table."""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from pathlib import Path

import pytest

import hermite_analytics as ha
from hermite_analytics import numeric

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
SEARCHED = ["phase retrieval", "leaky relu", "NTK", "double descent", "custom loss", "single-index model"]
SEARCHED += ["csv", "pandas"]
# with the site's tests: its extensions need docutils, which only `make docs` installs
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("docutils") is None, reason="not installed: docutils"),
]


@pytest.fixture
def vocabulary(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS / "_extensions"))
    import vocabulary

    yield vocabulary
    sys.modules.pop("vocabulary")


@pytest.fixture
def table(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS / "_extensions"))
    import language_table

    yield language_table
    sys.modules.pop("language_table")


def test_words_lead_to_headings_and_calls(vocabulary):
    for term in vocabulary.terms():
        assert vocabulary.title_of(term["page"]), term["word"]
        name = re.match(r"(?:ha\.)?(\w+)", term["call"])[1]
        assert hasattr(ha, name) or hasattr(numeric, name) or name == "curve", term["call"]
        ast.parse(term["call"])


def test_no_word_leads_to_two_pages(vocabulary):
    words = [word.lower() for term in vocabulary.terms() for word in (term["word"], *term.get("also", []))]
    assert sorted(words) == sorted(set(words))
    assert {word.lower() for word in SEARCHED} <= set(words)


def test_every_function_of_the_language_has_a_row(table):
    rows = {record.names[0]: table.row(record) for record in table.listed()}
    assert len(rows) > 30
    assert rows["gelu"].definition == r"x \Phi\left(x\right)"
    assert rows["softsign"].facts[0] == "odd" and rows["cosh"].facts[0] == "even"
    assert rows["tanh"].closed == () and len(rows["relu"].closed) == 3
    assert rows["step"].facts == ("increasing", "in $[0, 1]$", "jumps")
    for name, row in rows.items():
        assert row.derivative, name
        assert row.markdown().replace(r"\|", "").count("|") == 6, name
