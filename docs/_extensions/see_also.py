"""At the end of each name's page of the reference: the pages that say most about it."""

from __future__ import annotations

import functools
import re
from collections import Counter
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent.parent
MOST = 3
_CODE = re.compile(r"^```.*?^```|`[^`\n]+`|^>>> .*$|^\.\.\. .*$", re.MULTILINE | re.DOTALL)
_WORD = re.compile(r"[A-Za-z_]\w*")
_LEFT_OUT = ("reference", "notebooks", "report", "figures", "gallery", "_extensions")
_WITH_PAGES = ("class", "function", "exception", "method", "data")


@functools.cache
def mentions() -> dict[str, Counter[str]]:
    """How often each page has each word in code."""
    found = {}
    for path in sorted(DOCS.rglob("*.md")):
        relative = path.relative_to(DOCS)
        if relative.parts[0] not in _LEFT_OUT and path.name not in (
            "index.md",
            "contributing.md",
            "glossary.md",
        ):
            code = " ".join(_CODE.findall(path.read_text(encoding="utf-8")))
            found[str(relative.with_suffix(""))] = Counter(_WORD.findall(code))
    return found


def pages_about(name: str) -> list[str]:
    """The pages with most code about a name, at most three."""
    counts = {page: words[name] for page, words in mentions().items() if words[name]}
    return sorted(counts, key=lambda page: (-counts[page], page))[:MOST]


def _append(app: Any, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    short = name.removeprefix("hermite_analytics.").removeprefix("numeric.").removeprefix("validation.")
    if what not in _WITH_PAGES or "." in short:
        return
    if pages := pages_about(short):
        links = ", ".join(f":doc:`/{page}`" for page in pages)
        lines += ["", f".. seealso:: {links}", ""]


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", _append, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
