"""Pictures that scripts draw stand in the page itself, in its colours, light or dark; the code is below them.

A picture `NAME.svg` with a script `NAME.py` beside it gets the script, folded.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from docutils import nodes

# the colours of gallery_style, and black and white, as the page has them (site.css)
_COLOURS = {
    "#000000": "currentColor",
    "#262626": "currentColor",
    "#4c4c4c": "currentColor",
    "#ffffff": "var(--color-background-primary)",
    "#3057a4": "var(--drawn-first)",
    "#b3541e": "var(--drawn-second)",
    "#1d7d4f": "var(--drawn-third)",
    "#7a4fa3": "var(--drawn-fourth)",
    "#999999": "var(--drawn-quiet)",
    "#555555": "var(--drawn-quiet)",
    "#666666": "var(--drawn-quiet)",
    "#737373": "var(--drawn-quiet)",
    "#cccccc": "var(--drawn-quiet)",
    "#d9d9d9": "var(--drawn-quiet)",
}
_NAMES = {"white": "#ffffff", "black": "#000000"}


def drawn(path: Path, label: str) -> str:
    """The picture as an element of a page: no size of its own, names of its own, no ground behind it."""
    svg = path.read_text(encoding="utf-8")
    svg = svg[svg.index("<svg") :]
    prefix = path.stem
    svg = re.sub(r'\bid="', f'id="{prefix}-', svg)
    svg = re.sub(r'((?:xlink:)?href="|url\()#', rf"\1#{prefix}-", svg)
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'(fill|stroke)="(white|black)"', lambda m: f'{m[1]}="{_NAMES[m[2]]}"', svg)
    svg = re.sub(r'(<g id="[^"]*patch_1">\s*<path [^>]*style=")fill: #ffffff', r"\1fill: none", svg)
    svg = re.sub(r'(<g id="[^"]*patch_2">\s*<path [^>]*style=")fill: #ffffff', r"\1fill: none", svg)
    # text without a colour is black
    svg = re.sub(r"(#[0-9a-f]{6})\b", lambda m: _COLOURS.get(m[1], m[1]), svg)
    svg = re.sub(r'<svg([^>]*?) (?:width|height)="[^"]*"', r"<svg\1", svg)
    svg = re.sub(r'<svg([^>]*?) (?:width|height)="[^"]*"', r"<svg\1", svg)
    return svg.replace("<svg", f'<svg role="img" aria-label="{label}" fill="currentColor"', 1)


def _replace(app: Any, doctree: nodes.document, docname: str) -> None:
    if app.builder.format != "html":
        return
    for image in list(doctree.findall(nodes.image)):
        path = Path(app.srcdir) / image["uri"]
        script = path.with_suffix(".py")
        if path.suffix != ".svg" or not path.is_file():
            continue
        label = image.get("alt", "").replace('"', "&quot;")
        picture = nodes.raw("", f'<figure class="drawn">{drawn(path, label)}</figure>', format="html")
        new: list[nodes.Node] = [picture]
        if docname.startswith(("gallery/", "figures/")) and script.is_file():
            code = nodes.literal_block("", script.read_text(encoding="utf-8"), language="python")
            new += [
                nodes.raw("", f"<details><summary>{script.name}</summary>", format="html"),
                code,
                nodes.raw("", "</details>", format="html"),
            ]
        paragraph = image.parent
        if isinstance(paragraph, nodes.paragraph) and len(paragraph) == 1:
            paragraph.replace_self(new)
        else:
            image.replace_self(picture)


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("doctree-resolved", _replace, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
