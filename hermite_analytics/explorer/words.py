"""The words of the page: what each number means, and inputs to begin with; they stand in words.json."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files

__all__ = ["DEFINITIONS", "EXAMPLES", "START"]

_WORDS = json.loads((files("hermite_analytics.explorer") / "static" / "words.json").read_text("utf-8"))

DEFINITIONS: Mapping[str, str] = _WORDS["definitions"]
"""One sentence or two for each number on the page."""

EXAMPLES: Mapping[str, list[dict[str, object]]] = _WORDS["examples"]
"""Inputs to click on, with a remark."""

START: Mapping[str, str] = _WORDS["start"]
"""What the page shows first."""
