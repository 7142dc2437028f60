"""The report: one file that asks for nothing, valid, escaped, complete."""

import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from hermite_analytics.validation.runner import run_suite
from tests.validation.synthetic import every_kind

VOID = {"meta", "br", "hr", "img", "input", "link"}
NAMESPACES = {
    "http://www.w3.org/2000/svg",
    "http://www.w3.org/1999/xlink",
    "http://www.w3.org/1998/Math/MathML",
}


class Page(HTMLParser):
    """Tags, attributes and text of a page; a tag that does not close is an error."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes, self.words = [], set(), [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, tag

    def handle_data(self, data):
        self.words.append(data)


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    result = run_suite(every_kind(), tmp_path_factory.mktemp("run") / "a folder", workers=1)
    return result.report.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(text):
    return Page(text)


@pytest.mark.slow
def test_it_asks_for_nothing(text, page):
    assert not page.tags & {"link", "iframe", "img", "object", "embed", "image", "audio", "video"}
    # the one script filters and folds what is there: it has no source, and fetches nothing
    scripts = re.findall(r"<script([^>]*)>(.*?)</script>", text, re.DOTALL)
    assert len(scripts) == 1 and not scripts[0][0].strip()
    assert not re.search(r"fetch|XMLHttp|import|eval|document\.write|WebSocket|sendBeacon", scripts[0][1])
    assert set(re.findall(r"\b[a-z]+://[^\s\"'<>)]+", text)) <= NAMESPACES
    for name, value in page.attributes:
        if name in {"href", "xlink:href", "src", "srcset", "action", "data"}:
            assert value.startswith("#"), (name, value)
    assert not re.search(r"@import|url\((?!#)|javascript:", text)


@pytest.mark.slow
def test_ids_are_unique_and_references_meet_one(text, page):
    ids = [value for name, value in page.attributes if name == "id"]
    assert len(set(ids)) == len(ids)
    references = [v[1:] for name, v in page.attributes if name in {"href", "xlink:href"}]
    references += re.findall(r"url\(#([^)]+)\)", text)
    assert references and set(references) <= set(ids)


@pytest.mark.slow
def test_figures_and_formulas_are_well_formed(text):
    figures = re.findall(r"<svg.*?</svg>", text, re.DOTALL)
    assert len(figures) == 1 + 1 + 13  # overview, curve, one a claim
    for figure in figures:
        root = ElementTree.fromstring(figure)
        assert root.get("aria-label") and root.get("viewBox") and root.get("width") is None
    formulas = re.findall(r"<math.*?</math>", text, re.DOTALL)
    assert len(formulas) == 12
    for formula in formulas:
        ElementTree.fromstring(formula)


@pytest.mark.slow
def test_colours_are_variables_of_the_style_sheet(text):
    used = set(re.findall(r"var\((--[a-z]+)\)", text))
    assert {"--ink", "--passed", "--failed", "--inconclusive"} <= used
    assert used <= set(re.findall(r"(--[a-z]+):", text))
    assert not re.search(r"#0[1-9]0[1-9]0[1-9]", text)
    assert "prefers-color-scheme: dark" in text and "@media print" in text


def test_text_is_escaped(text, page):
    assert "<activation>" not in text and "for every &lt;activation&gt; &amp; target." in text
    assert "Curve &lt;b&gt;&amp;&lt;/b&gt;" in text
    assert any("for every <activation> & target." in words for words in page.words)


def test_every_claim_and_its_numbers_are_there(page):
    words = " ".join(" ".join(page.words).split())
    for name in ("first/error", "curve/error", "wrong/error", "bounds/low", "far/error"):
        assert words.count(name) >= 3  # summary, heading, overview
    assert "10 passed 1 failed 2 inconclusive" in words
    assert "1 of 1 rejected" in words and "0 of 1 rejected" in words and "not discriminating" in words
    assert "≥ 2" in words and "≤ 2" in words
    assert "the bias is a/d by construction" in words and "a synthetic law" in words
    assert "run(120, " in words  # the code that repeats the simulation
    assert "hermite-analytics validate synthetic --out" in words
    assert " nan" not in words.lower().replace("noise nan", "")


def test_no_name_of_host_or_user(text):
    import getpass
    import platform

    assert platform.node() not in text
    assert f"/home/{getpass.getuser()}" not in text
