"""The site builds without a warning, asks for nothing from a network, and shows formulas."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

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


def test_public_names_have_pages(site):
    page = site / "reference" / "generated" / "hermite_analytics.numeric.StateEvolution.html"
    text = page.read_text(encoding="utf-8")
    assert 'id="hermite_analytics.numeric.StateEvolution.solve"' in text
    assert "Examples" in text and "Parameters" in text
