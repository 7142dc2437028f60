"""What the pictures of the gallery have in common, and how a script draws its own."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes

BLUE, ORANGE, GREEN, GREY = "#3057a4", "#b3541e", "#1d7d4f", "0.6"

_STYLE = {
    "svg.hashsalt": "gallery",
    "svg.fonttype": "none",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "axes.prop_cycle": mpl.cycler(color=[BLUE, ORANGE, GREEN, "#7a4fa3", "#555555"]),
}


def picture(draw: Callable[[Axes], None], folder: Path | None = None) -> Path:
    """Write the picture of a script beside it, or into another folder: same name, as SVG.

    The same library gives the same file, byte for byte: no date, no random identifiers.
    """
    mpl.use("svg")
    import matplotlib.pyplot as plt

    script = Path(sys.modules[draw.__module__].__file__ or "").resolve()
    out = (folder or script.parent) / f"{script.stem}.svg"
    with mpl.rc_context(_STYLE):
        figure, axes = plt.subplots(figsize=(6.0, 3.4), layout="constrained")
        draw(axes)
        figure.savefig(out, metadata={"Date": None})
        plt.close(figure)
    return out
