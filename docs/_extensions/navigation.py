"""The tree of pages beside each page: made once a folder, where all links read alike, and marked for each.

The theme would make and parse it anew for every page, which is most of what a build costs.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Any

from furo.navigation import get_navigation_tree

_ITEM = re.compile(r'<li class="|</li>')
_BOX = '<input aria-label="'


def marked(tree: str, address: str) -> str:
    """The tree with the page at an address, and all that it lies in, as the place where the reader is."""
    place = tree.find(f'<a class="reference internal" href="{address}"')
    if place < 0:
        return tree
    within: list[int] = []
    for item in _ITEM.finditer(tree, 0, place):
        if item[0] == "</li>":
            within.pop()
        else:
            within.append(item.end())
    changes = [(place + len('<a class="'), 0, "current "), (tree.index(address, place), len(address), "#")]
    for start in within:
        changes.append((start, 0, "current current-page " if start == within[-1] else "current "))
        box = tree.find(_BOX, start)
        following = tree.find("<li", start)
        if box >= 0 and (following < 0 or box < following):
            changes.append((box + len("<input "), 0, 'checked="" '))
    for start, length, text in sorted(changes, reverse=True):
        tree = tree[:start] + text + tree[start + length :]
    return tree


class _Trees:
    """The tree as seen from each folder."""

    def __init__(self) -> None:
        self.of: dict[PurePosixPath, str] = {}

    def take(self, app: Any, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
        """Before the theme: what would make a tree for this page is set aside."""
        context.pop("toctree", None)

    def put(self, app: Any, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
        """After the theme: the tree of the folder, marked for this page."""
        folder = PurePosixPath(page).parent
        if folder not in self.of:
            # a page that is in no tree: nothing is marked
            somewhere = str(folder / "no-page-of-this-name")
            listed = app.builder._get_local_toctree(
                somewhere, collapse=False, titles_only=True, maxdepth=-1, includehidden=True
            )
            self.of[folder] = get_navigation_tree(listed)
        address = app.builder.get_relative_uri(str(folder / "no-page-of-this-name"), page)
        context["furo_navigation_tree"] = marked(self.of[folder], address)


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    trees = _Trees()
    app.connect("html-page-context", trees.take, priority=400)
    app.connect("html-page-context", trees.put, priority=600)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
