"""The answer to `/api/drawing/MODEL`: the learning curve as a PDF."""

from __future__ import annotations

import base64
import io
import math

from hermite_analytics.explorer.curve_answer import curve_document
from hermite_analytics.explorer.messages import Given, Turn
from hermite_analytics.explorer.models import MODELS

__all__ = ["drawing_answer"]


def drawing_answer(values: Given, turn: Turn) -> dict[str, object]:
    """The document; the file stands in it in base 64."""
    from matplotlib.figure import Figure

    found, model = curve_document(values, math.inf), MODELS[str(values["model"])]
    figure = Figure(figsize=(5.5, 3.4), layout="constrained")
    axes = figure.add_subplot()
    abscissa, curves, levels = found["abscissa"], found["curves"], found["levels"]
    assert isinstance(abscissa, dict) and isinstance(curves, dict) and isinstance(levels, dict)
    labels = {one.name: one.label for one in (*model.curves, *model.levels)}
    for name, y in curves.items():
        axes.plot(abscissa["values"], y, label=labels[name])
    for name, level in levels.items():
        axes.axhline(level, color="0.6", linestyle="--", label=labels[name])
    axes.set(xlabel=model.abscissa, ylabel=model.ordinate, title=model.title)
    axes.set_xscale("log" if abscissa["logarithmic"] else "linear")
    axes.legend(frameon=False)
    file = io.BytesIO()
    figure.savefig(file, format="pdf", metadata={"CreationDate": None})
    return {"model": model.name, "pdf": base64.b64encode(file.getvalue()).decode()}
