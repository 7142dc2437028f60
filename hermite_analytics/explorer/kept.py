"""The answers to what the page asks first, kept beside it: they are there before any worker is.

    python -m hermite_analytics.explorer.kept

computes them anew and writes the file; a test compares both.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

__all__ = ["PATHS", "computed", "kept"]

PATHS = ("target", "learns", "activation", "coefficients", "curve/giant-step")
"""What the page asks as soon as it is there, with the inputs of `words.START`."""

_NAME = "kept.json"
_SECONDS = 60.0  # time budget of an answer that is to be kept


def kept(path: str, asked: Mapping[str, object]) -> bytes | None:
    """The answer to a question, if it is one of the first of the page; None otherwise."""
    found = _all().get(path)
    return found[1] if found is not None and found[0] == asked else None


def computed() -> list[dict[str, object]]:
    """The file's content: path, parameters and answer of each question."""
    from hermite_analytics.explorer.answers import ANSWERS, beginning
    from hermite_analytics.explorer.endpoints import ENDPOINTS
    from hermite_analytics.explorer.messages import Kind, Turn, answered

    found: list[dict[str, object]] = []
    for path in PATHS:
        asked = beginning(path)
        turn = Turn(seconds=_SECONDS, report=lambda known: None)
        reply = answered(ANSWERS[ENDPOINTS[path].question], asked, turn)
        if reply.kind != Kind.DONE:
            raise RuntimeError(reply.body.decode())
        found.append({"path": path, "asked": asked, "answer": json.loads(reply.body)})
    return found


@functools.cache
def _all() -> Mapping[str, tuple[Mapping[str, object], bytes]]:
    text = (files("hermite_analytics.explorer") / "static" / _NAME).read_text("utf-8")
    return {
        one["path"]: (one["asked"], json.dumps(one["answer"], separators=(",", ":")).encode())
        for one in json.loads(text)
    }


if __name__ == "__main__":
    rows = ",\n".join(json.dumps(one, separators=(",", ":"), ensure_ascii=False) for one in computed())
    (Path(__file__).parent / "static" / _NAME).write_text(f"[\n{rows}\n]\n", encoding="utf-8")
