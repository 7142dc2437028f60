"""Every script of the gallery and of the figures draws its picture, and the one that is kept is small."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
FOLDERS = ("gallery", "figures")
SHARED = {"gallery_style", "learning_curves", "networks"}
SCRIPTS = [
    pytest.param(path, id=path.stem)
    for folder in FOLDERS
    for path in sorted((DOCS / folder).glob("*.py"))
    if path.stem not in SHARED
]
# What these ask of the library others here ask too, for less: state evolution and AMP, DMFT, flows, steps.
DEAR = {
    "learning_time",
    "parity_overlap",
    "repeated_batch",
    "several_directions",
    "sgd_reuse",
    "staircase_overlap",
    "step_scaling",
    "trained_function",
}
DRAWN = sorted(SCRIPTS, key=lambda script: script.id in DEAR)
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def folder_of_scripts(monkeypatch):
    for folder in FOLDERS:
        monkeypatch.syspath_prepend(str(DOCS / folder))


def texts(path: Path) -> list[str]:
    return ["".join(e.itertext()).strip() for e in ElementTree.parse(path).iter(f"{SVG}text")]


@pytest.mark.parametrize("path", SCRIPTS)
def test_the_picture_is_kept_and_small(path):
    kept = path.with_suffix(".svg")
    assert kept.exists(), f"run python {path}"
    assert 1000 < kept.stat().st_size < 60_000


@pytest.mark.slow
@pytest.mark.draws(sum(script.id not in DEAR for script in DRAWN))
@pytest.mark.parametrize("path", DRAWN)
def test_the_script_draws_the_picture_that_is_kept(path, folder_of_scripts, tmp_path):
    """Same labels, titles and ticks; coordinates may differ in the last digit from machine to machine."""
    script = importlib.import_module(path.stem)
    if path.stem == "staircase_ladders":
        drawn = script.write(tmp_path)
    else:
        drawn = sys.modules["gallery_style"].picture(script.draw, tmp_path)
    assert texts(drawn) == texts(path.with_suffix(".svg")), f"run python {path} again"


def test_every_figure_has_a_page_that_shows_it():
    folder = DOCS / "figures"
    scripts = {path.stem for path in folder.glob("*.py")} - SHARED
    pages = {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.md")}
    assert pages.keys() - {"index"} == scripts
    for name in scripts:
        assert f"]({name}.svg)" in pages[name] and f"]({name}.py)" in pages[name], name


def test_greys_of_pictures_are_those_of_the_page():
    """What a script draws in black or grey is read on dark pages too; light grey on a map stays as it is."""
    pytest.importorskip("docutils", reason="the site is built by sphinx; make docs installs it")
    path = DOCS / "_extensions" / "drawn_figures.py"
    specification = importlib.util.spec_from_file_location("drawn_figures", path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    for folder in FOLDERS:
        for kept in (DOCS / folder).glob("*.svg"):
            left = re.findall(r"#(..)\1\1\b", module.drawn(kept, "a picture").replace("#fdfdfd", ""))
            assert not left, f"{kept.name}: #{left[0] * 3} has no colour of the page"
