"""The report of the suite `seeds` that is kept: of these claims, complete, and explained where it must be."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import jsonschema
import pytest

from hermite_analytics.schemas import schema
from hermite_analytics.validation import load_suite

FOLDER = Path(__file__).resolve().parent.parent.parent / "docs" / "report"
DOCUMENT = json.loads((FOLDER / "results.json").read_text(encoding="utf-8"))
PAGE = (FOLDER / "index.md").read_text(encoding="utf-8")


@pytest.fixture
def table(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    import table

    yield table
    sys.modules.pop("table")


def test_the_document_is_complete():
    jsonschema.Draft202012Validator(schema("validate")).validate(DOCUMENT)
    assert DOCUMENT["suite"] == "seeds" and DOCUMENT["complete"] and not DOCUMENT["stopped"]
    assert DOCUMENT["failed"] == sum(claim["status"] == "failed" for claim in DOCUMENT["claims"])


def test_it_is_about_the_claims_of_the_suite():
    suite = load_suite("seeds")
    claims = {study.claim_id(claim): claim for study in suite.studies for claim in study.claims}
    assert [claim["id"] for claim in DOCUMENT["claims"]] == list(claims), "run the suite again"
    for found in DOCUMENT["claims"]:
        claim = claims[found["id"]]
        assert (found["statement"], found["relation"]) == (claim.statement, claim.relation)
        assert [mutant["name"] for mutant in found["mutants"]] == list(claim.mutants)


def test_claims_that_did_not_pass_are_explained():
    explained = PAGE.split("<!-- table -->")[0]
    for claim in DOCUMENT["claims"]:
        if claim["status"] != "passed":
            assert f"`{claim['id']}`" in explained, claim["id"]


def test_the_page_shows_the_numbers_of_the_document(table):
    assert table.page(PAGE, DOCUMENT) == PAGE, "run python docs/report/table.py"
    counts = re.search(r"(\d+) claims: (\d+) passed, (\d+) failed, (\d+) inconclusive", PAGE)
    assert counts is not None
    assert [int(n) for n in counts.groups()] == [
        len(DOCUMENT["claims"]),
        *(DOCUMENT[name] for name in ("passed", "failed", "inconclusive")),
    ]


def test_the_report_is_that_of_the_document_and_asks_for_nothing():
    text = (FOLDER / "report.html").read_text(encoding="utf-8")
    for claim in DOCUMENT["claims"]:
        assert f'id="{claim["id"]}"' in text
    assert not re.search(r"(src|href)=[\"']?(https?:|//|/)", text)
    assert "/tmp/" not in text and "/home/" not in text


def test_the_report_is_small_and_every_link_in_it_leads_somewhere():
    page = FOLDER / "report.html"
    assert page.stat().st_size < 1_500_000
    text = page.read_text(encoding="utf-8")
    names = re.findall(r' id="([^"]+)"', text)
    assert len(names) == len(set(names))
    assert set(re.findall(r'href="#([^"]+)"', text)) <= set(names)
    assert set(re.findall(r"url\(#([^)]+)\)", text)) <= set(names)
    used = {name for svg in re.findall(r"<svg.*?</svg>", text) for name in re.findall(r'class="(g\d+)"', svg)}
    assert used <= set(re.findall(r"\.(g\d+)\{", text))


def test_a_first_screen_names_what_did_not_pass_and_what_is_farthest():
    text = (FOLDER / "report.html").read_text(encoding="utf-8")
    worst = re.search(r'<ol class="worst">(.*?)</ol>', text, re.DOTALL)[1]
    named = re.findall(r'href="#([^"]+)"', worst)
    status = {claim["id"]: claim["status"] for claim in DOCUMENT["claims"]}
    open_claims = [name for name, found in status.items() if found != "passed"]
    assert named[: len(open_claims)] == open_claims
    assert len(named) == max(5, len(open_claims)) and set(named) <= set(status)
