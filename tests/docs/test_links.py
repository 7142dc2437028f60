"""Every link inside the documentation leads somewhere, and every page can be reached."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def anchors(path: Path) -> set[str]:
    """Headings as GitHub and MyST name them."""
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    titles = re.findall(r"^#{1,3} (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page):
    text = re.sub(r"`[^`\n]*`", "", FENCE.sub("", page.read_text(encoding="utf-8")))
    for target in LINK.findall(text):
        if re.match(r"(https?|mailto):", target):
            continue
        path, _, anchor = target.partition("#")
        found = (page.parent / path).resolve() if path else page
        assert found.exists(), f"{name_of(page)} links to {target}"
        assert ROOT in found.parents, f"{name_of(page)} links out of the project: {target}"
        if anchor:
            assert anchor in anchors(found), f"{name_of(page)}: no heading #{anchor} in {path or 'this page'}"


def in_contents(index: Path) -> set[Path]:
    """The pages that the tables of contents of a page list, and those that these list."""
    listed: set[Path] = set()
    text = index.read_text(encoding="utf-8")
    for block in re.findall(r"```\{toctree\}\n(.*?)```", text, re.DOTALL):
        for line in block.splitlines():
            if not line.strip() or line.startswith(":"):
                continue
            matches = [p for p in index.parent.glob(f"{line}.*") if p.suffix in {".md", ".ipynb"}]
            assert matches, f"{name_of(index)} lists {line}"
            listed |= {p for p in matches if p != index}
    for page in sorted(listed):
        if page.suffix == ".md":
            listed |= in_contents(page)
    return listed


def test_every_page_is_in_the_contents():
    pages = {p for p in DOCS.rglob("*") if p.suffix in {".md", ".ipynb"} and "generated" not in p.parts}
    missing = pages - in_contents(DOCS / "index.md") - {DOCS / "index.md"}
    assert not missing, f"add to a table of contents of docs/index.md: {sorted(map(name_of, missing))}"


def test_the_gallery_shows_every_picture_and_names_its_script():
    text = (DOCS / "gallery" / "index.md").read_text(encoding="utf-8")
    scripts = {p.stem for p in (DOCS / "gallery").glob("*.py")} - {"gallery_style"}
    assert set(re.findall(r"\]\((\w+)\.svg\)", text)) == scripts
    assert set(re.findall(r"\]\((\w+)\.py\)", text)) == scripts


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_places_in_the_code_are_there(page):
    """`room/file.py` and `room/part/`, from the root of the project or of the package."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    for place in re.findall(r"`([a-z_]+/[a-z_0-9/]*(?:\.py|(?<=/)))`", text):
        if place.count("/") == 1 and place.endswith("/"):
            continue  # the name of a folder, of which the sentence says where it is
        there = [ROOT / place, ROOT / "hermite_analytics" / place]
        assert any(path.exists() for path in there), f"{name_of(page)} speaks of {place}"
