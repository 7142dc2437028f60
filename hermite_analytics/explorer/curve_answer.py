"""The answer to `/api/curve/MODEL`: a learning curve, and how to have it elsewhere."""

from __future__ import annotations

import numpy as np

from hermite_analytics.explorer.abscissa import places
from hermite_analytics.explorer.curves import CURVES, Found
from hermite_analytics.explorer.exports import curve_exports, pgfplots
from hermite_analytics.explorer.messages import Given, Turn
from hermite_analytics.explorer.model import Model
from hermite_analytics.explorer.models import MODELS
from hermite_analytics.explorer.pointwise import in_pieces, takes_long

__all__ = ["curve_answer", "curve_document"]

_AXES = {"samples": "n", "steps": "t"}
_ANSWERED = ("converged", "infinite")
_PIECE = 1.0  # seconds


def curve_answer(values: Given, turn: Turn) -> dict[str, object]:
    """The document; `values` are the parameters of the endpoint, and the model's name.

    A curve whose points take long is answered in pieces: `missing` counts the points that are still to be
    solved, and who asks again gets more of them.
    """
    return curve_document(values, _PIECE)


def curve_document(values: Given, seconds: float) -> dict[str, object]:
    """The document; of a curve whose points take long, as much as `seconds` give, or are kept."""
    model = MODELS[str(values["model"])]
    given = {name: value for name, value in values.items() if name != "model"}
    logarithmic = given.get("spacing") == "log"
    x = _places(model, given, logarithmic)
    solve, missing = CURVES[model.name], 0
    if takes_long(given):
        found, missing = in_pieces(solve, values, x, seconds)
    else:
        found = solve(given, np.array(x))
    x = x if found.abscissa is None else list(found.abscissa)
    return {
        "model": model.name,
        "parameters": given,
        "abscissa": {"name": model.axis, "values": x, "logarithmic": logarithmic},
        "curves": {name: np.ravel(np.asarray(y)).tolist() for name, y in found.curves.items()},
        "levels": {name: float(y) for name, y in found.levels.items()},
        "facts": {name: float(y) for name, y in found.facts.items()},
        "marks": [{"at": place, "label": label} for place, label in found.marks],
        "missing": missing,
        "not_converged": sum(status not in _ANSWERED for status in found.statuses),
        "note": found.note,
        "source": found.source,
        "exports": _exports(model, given, x, found, logarithmic),
    }


def _places(model: Model, given: Given, logarithmic: bool) -> list[float]:
    """Of the points on the abscissa."""
    if model.counts_steps:
        return [float(step) for step in range(int(given[model.axis]) + 1)]
    low, high = (float(given[end.name]) for end in model.span[:2])
    return places(low, high, int(given["points"]), logarithmic=logarithmic)


def _exports(model: Model, given: Given, x: list[float], found: Found, logarithmic: bool) -> dict[str, str]:
    labels = {curve.name: curve.label for curve in model.curves}
    xlabel = _AXES.get(model.axis, r"\alpha = n/d")
    latex = pgfplots(x, found.curves, labels, xlabel=xlabel, logarithmic=logarithmic)
    return {**curve_exports(model.name, given, x), "latex": latex}
