"""The words of papers (`vocabulary.toml`): a glossary, and entries of the search at the pages with them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList

FILE = Path(__file__).resolve().parent.parent / "vocabulary.toml"


def terms() -> list[dict[str, Any]]:
    """The words in the order of the alphabet: word, also, says, page, call."""
    found: list[dict[str, Any]] = tomllib.loads(FILE.read_text(encoding="utf-8"))["term"]
    return sorted(found, key=lambda term: str(term["word"]).lower())


def address(page: str) -> str:
    """`random_features#losses` as a link to a page."""
    document, _, heading = page.partition("#")
    return f"{document}.md#{heading}" if heading else f"{document}.md"


def title_of(page: str) -> str:
    """The heading of a page, or that of a section of it."""
    document, _, heading = page.partition("#")
    lines = (FILE.parent / f"{document}.md").read_text(encoding="utf-8").splitlines()
    titles = [line.lstrip("#").strip() for line in lines if line.startswith("#")]
    if heading:
        return next(title for title in titles if anchor(title) == heading)
    return titles[0]


def anchor(title: str) -> str:
    """A heading as links name it."""
    kept = "".join(sign for sign in title.lower() if sign.isalnum() or sign in "-_ ")
    return kept.replace(" ", "-")


class Vocabulary(Directive):
    """`{vocabulary}`: the glossary."""

    def run(self) -> list[nodes.Node]:
        lines = []
        for term in terms():
            also = f" ({', '.join(term['also'])})" if term.get("also") else ""
            where = f"[{title_of(term['page'])}]({address(term['page'])})"
            lines += [
                f"**{term['word']}**{also}",
                "",
                f": {term['says']} {where}.",
                "",
                f"  `{term['call']}`",
                "",
            ]
        content = nodes.container()
        self.state.nested_parse(StringList(lines, source=str(FILE)), self.content_offset, content)
        return [content]


def _entries(app: Any, document: str, source: list[str]) -> None:
    """Entries of the search below the heading that a word leads to."""
    lines = source[0].split("\n")
    for term in terms():
        page, _, heading = term["page"].partition("#")
        if page != document:
            continue
        words = (term["word"], *term.get("also", []))
        entries = [line for word in words for line in (f"```{{index}} ! single: {word}", "```")]
        headings = (i for i, line in enumerate(lines) if line.startswith("#"))
        place = next(i for i in headings if not heading or anchor(lines[i].lstrip("#").strip()) == heading)
        lines[place + 1 : place + 1] = ["", *entries, ""]
    source[0] = "\n".join(lines)


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_directive("vocabulary", Vocabulary)
    app.connect("source-read", _entries)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
