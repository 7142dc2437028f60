"""Every script of the gallery draws its picture, and the one that is kept is small."""

from __future__ import annotations

import importlib
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

GALLERY = Path(__file__).resolve().parent.parent.parent / "docs" / "gallery"
SCRIPTS = sorted(p.stem for p in GALLERY.glob("*.py") if p.stem != "gallery_style")
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def folder_of_scripts(monkeypatch):
    monkeypatch.syspath_prepend(str(GALLERY))


def texts(path: Path) -> list[str]:
    return ["".join(e.itertext()).strip() for e in ElementTree.parse(path).iter(f"{SVG}text")]


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_picture_is_kept_and_small(name):
    kept = GALLERY / f"{name}.svg"
    assert kept.exists(), f"run python docs/gallery/{name}.py"
    assert 1000 < kept.stat().st_size < 60_000


@pytest.mark.slow
@pytest.mark.parametrize("name", SCRIPTS)
def test_the_script_draws_the_picture_that_is_kept(name, folder_of_scripts, tmp_path):
    """Same labels, titles and ticks; coordinates may differ in the last digit from machine to machine."""
    script = importlib.import_module(name)
    if name == "staircase_ladders":
        drawn = script.write(tmp_path)
    else:
        drawn = sys.modules["gallery_style"].picture(script.draw, tmp_path)
    assert texts(drawn) == texts(GALLERY / f"{name}.svg"), f"run python docs/gallery/{name}.py again"
