"""The site builds without a warning, asks for nothing from a network, and shows formulas."""

from __future__ import annotations

import html
import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
MISSING = [m for m in ("sphinx", "myst_nb", "furo") if importlib.util.find_spec(m) is None]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {MISSING}; make docs installs them"),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    out = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"]
    # a proxy that is not there: whatever asked for a network would fail
    nowhere = {"http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"}
    run = subprocess.run(
        [*command, "-d", str(out / "doctrees"), str(ROOT / "docs"), str(out / "html")],
        capture_output=True,
        text=True,
        env={**os.environ, **nowhere},
    )
    assert run.returncode == 0, run.stderr
    return out / "html"


def test_nothing_from_a_network(site):
    loaded = re.compile(r"<(?:script|img|iframe)[^>]*src=\"https?://|<link[^>]*href=\"https?://")
    for page in site.rglob("*.html"):
        assert not loaded.search(page.read_text(encoding="utf-8")), page.name


def test_formulas_are_mathml(site):
    page = (site / "notebooks" / "giant_step.html").read_text(encoding="utf-8")
    assert page.count("<math") > 10
    assert r"\begin" not in page and "<mi>&</mi>" not in page
    assert "<math" in (site / "notebooks" / "staircases.html").read_text(encoding="utf-8")


def test_no_formula_is_shown_as_typed(site):
    """Outside of code: no index or power in braces, no role that was not read, no name of LaTeX."""
    raw = re.compile(r"[_^]\{|:math:|\\[a-z]{3,}|\)_[a-z]\b")
    for page in site.rglob("*.html"):
        if page.name in {"search.html", "genindex.html"} or "_sources" in page.parts:
            continue
        text = page.read_text(encoding="utf-8")
        body = re.search(r"<article.*?</article>", text, re.DOTALL)
        shown = re.sub(
            r"<(math|pre|code|script|style|svg|dt)\b.*?</\1>", " ", body[0] if body else "", flags=re.DOTALL
        )
        found = raw.search(re.sub(r"<[^>]+>", "", shown))
        assert found is None, f"{page.name}: {found and found[0]}"


def test_every_page_with_a_formula_has_mathematics(site):
    for page in (ROOT / "docs").rglob("*.md"):
        formula = re.search(
            r"(?<!\\)\$[^$`\n]+\$",
            re.sub(r"```.*?```|`[^`]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL),
        )
        if formula:
            built = (site / page.relative_to(ROOT / "docs")).with_suffix(".html")
            assert "<math" in built.read_text(encoding="utf-8"), page.name
    for name in ("numeric.DMFT", "numeric.RandomFeatures", "conditional_coefficients", "staircase"):
        built = site / "reference" / "generated" / f"hermite_analytics.{name}.html"
        assert "<math" in built.read_text(encoding="utf-8"), name


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("phase retrieval", "state_evolution"),
        ("leaky relu", "language"),
        ("NTK", "theory"),
        ("double descent", "random_features"),
        ("custom loss", "random_features"),
        ("single-index model", "exponents"),
        ("csv", "howto/results"),
        ("pandas", "howto/results"),
        ("leap", "exponents"),
        ("information exponent", "exponents"),
        ("committee", "state_evolution"),
        ("state evolution", "state_evolution"),
        ("AMP", "amp"),
        ("feature learning", "giant_step"),
        ("GPU", "howto/use_a_gpu"),
        ("device", "howto/use_a_gpu"),
        ("time budget", "howto/sweep"),
        ("seconds", "howto/sweep"),
        ("executor", "howto/sweep"),
        ("dask", "howto/sweep"),
        ("DMFT", "dmft"),
        ("batch reuse", "sgd_simulation"),
        ("heavy tail", "validation"),
        ("optimal ridge", "random_features"),
        ("calibration", "random_features"),
        ("label noise", "conventions"),
        ("learning rate", "conventions"),
        ("test error", "howto/learning_curve"),
        ("phase diagram", "howto/sweep"),
    ],
)
def test_the_search_finds_the_right_page_first(site, words, page):
    """A main entry of exactly these words has the score 100; a title, at most 16, and text come after it."""
    text = (site / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(text[text.index("{") : text.rindex("}") + 1])
    entries = {entry.lower(): found for entry, found in index["indexentries"].items()}
    assert [
        (index["docnames"][where].startswith(page), main) for where, _, main in entries[words.lower()]
    ] == [(True, True)]


def test_pictures_have_the_colours_of_the_page(site):
    page = (site / "gallery" / "index.html").read_text(encoding="utf-8")
    scripts = {p.stem for p in (ROOT / "docs" / "gallery").glob("*.py")} - {"gallery_style"}
    assert page.count('<figure class="drawn">') == len(scripts)
    assert all(f"<summary>{name}.py</summary>" in page for name in scripts)
    assert "#ffffff" not in re.sub(r"<pre.*?</pre>", "", page, flags=re.DOTALL)


def test_public_names_have_pages(site):
    page = site / "reference" / "generated" / "hermite_analytics.numeric.StateEvolution.html"
    text = page.read_text(encoding="utf-8")
    assert 'id="hermite_analytics.numeric.StateEvolution.solve"' in text
    assert "Examples" in text and "Parameters" in text


def test_every_link_inside_leads_to_a_page_and_a_place(site):
    """Of all built pages, those of the reference too; links to other sites are not asked for."""
    pages = {path.resolve(): path.read_text(encoding="utf-8") for path in site.rglob("*.html")}
    places = {path: set(re.findall(r'\b(?:id|name)="([^"]+)"', text)) for path, text in pages.items()}
    wrong = []
    for page, text in pages.items():
        if "_static" in page.parts or page.name in ("search.html", "genindex.html"):
            continue
        for link in set(re.findall(r'<a\b[^>]*?href="([^"]+)"', text)):
            if re.match(r"[a-z]+:", link):
                continue
            name, _, anchor = unquote(html.unescape(link)).partition("#")
            found = (page.parent / name).resolve() if name else page
            if not found.exists():
                wrong.append(f"{page.name}: {link}")
            elif anchor and found in places and anchor not in places[found]:
                wrong.append(f"{page.name}: no place {link}")
    assert not wrong, wrong[:20]


def test_reference_pages_lead_to_the_pages_about_their_names(site):
    wanted = {"GiantStep": "giant_step", "StateEvolution": "state_evolution", "DMFT": "dmft"}
    for name, page in wanted.items():
        built = (site / "reference" / "generated" / f"hermite_analytics.numeric.{name}.html").read_text(
            encoding="utf-8"
        )
        assert re.search(rf'class="admonition seealso".*?{page}\.html', built, re.DOTALL), name
