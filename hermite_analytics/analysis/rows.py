"""Documents of analyses as rows of a table: the answers that are numbers, staircases as their dimensions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hermite_analytics.rendering import Column, Frame, Role

__all__ = ["frame_of"]

_EXPONENTS = ("leap_index", "leap_complexity", "isotropic_leap", "generative_exponent")
_STAIRCASES = ("staircase", "leap_decomposition", "grand_staircase")
_SOURCES = "arXiv 2305.18270, 2302.11055, 2405.15480"


def frame_of(documents: Sequence[Mapping[str, Any]], *, title: str) -> Frame:
    """One row a document; of a target that could not be analysed its error."""
    return Frame(
        title=title,
        rows=tuple(_row(document) for document in documents),
        columns={
            "target": Column(name="target", role=Role.PARAMETER),
            "alpha_c": Column(name="alpha_c", symbol=r"\alpha_c"),
        },
        sources=_SOURCES,
    )


def _row(document: Mapping[str, Any]) -> dict[str, Any]:
    if "error" in document:
        return {"target": document["target"], "error": document["error"]}
    recovery = document["weak_recovery"]
    counts = {f"{n}_dimension": recovery[f"{n}_dimension"] for n in ("trivial", "easy", "hard")}
    return {
        "target": document["target"],
        **{name: document[name] for name in _EXPONENTS},
        "alpha_c": recovery["alpha_c"],
        **{name: "-".join(map(str, document[name]["dimensions"])) for name in _STAIRCASES},
        **counts,
        **{name: document[name] for name in ("mean", "second_moment", "dimension", "intrinsic_dimension")},
    }
