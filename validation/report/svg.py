"""matplotlib figures as inline SVG, whose colours follow the page's style sheet (and so its dark mode)."""

from __future__ import annotations

import hashlib
import html
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hermite_analytics.validation.statistics.decision import Status

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["BAND", "FIRST", "INK", "MUTED", "SECOND", "STATUS_COLOURS", "SvgFigure", "svg_figure"]

# matplotlib wants colours; these stand for variables of the style sheet, put in their place in the SVG.
INK, MUTED, LINE, FIRST, SECOND, BAND = "#010101", "#020202", "#030303", "#040404", "#050505", "#060606"
STATUS_COLOURS = {Status.PASSED: "#070707", Status.FAILED: "#080808", Status.INCONCLUSIVE: "#090909"}
_VARIABLES = {
    INK: "--ink",
    MUTED: "--muted",
    LINE: "--line",
    FIRST: "--first",
    SECOND: "--second",
    BAND: "--band",
    "#070707": "--passed",
    "#080808": "--failed",
    "#090909": "--inconclusive",
}
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
    "font.size": 8.5,
    "text.color": INK,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.titlesize": 9,
    "axes.titlelocation": "left",
    "axes.titlecolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.7,
    "axes.grid": True,
    "grid.color": LINE,
    "grid.linewidth": 0.5,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "legend.frameon": False,
    "lines.linewidth": 1.4,
    "lines.solid_capstyle": "round",
}


@dataclass(slots=True)
class SvgFigure:
    """A figure while it is drawn, and its SVG afterwards."""

    figure: Figure
    svg: str = ""


@contextmanager
def svg_figure(width: float, height: float, label: str, *, fitted: bool = True) -> Iterator[SvgFigure]:
    """Draw in the report's style; on leaving, `svg` holds the element, named `label` for screen readers.

    With `fitted`, margins are made to fit the labels, which doubles the time.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    # A fixed salt makes the file reproducible, a prefix makes its ids unique in the page.
    with rc_context(_STYLE), rc_context({"svg.hashsalt": label}):
        figure = Figure(figsize=(width, height), layout="constrained" if fitted else None)
        figure.patch.set_alpha(0)
        page = SvgFigure(figure)
        yield page
        for axes in figure.axes:
            axes.patch.set_alpha(0)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
        page.svg = _inline(text.getvalue(), label)


def _inline(svg: str, label: str) -> str:
    """An element to stand in a page: no prolog, no fixed size, unique ids, colours by variable."""
    svg = svg[svg.index("<svg") :]
    prefix = "s" + hashlib.sha256(label.encode()).hexdigest()[:10]
    svg = re.sub(r'\bid="', f'id="{prefix}-', svg)
    svg = re.sub(r'(href="|url\()#', rf"\1#{prefix}-", svg)
    for colour, variable in _VARIABLES.items():
        svg = svg.replace(colour, f"var({variable})")
    svg = re.sub(r'\s(?:width|height)="[\d.]+pt"', "", svg, count=2)
    return svg.replace("<svg", f'<svg role="img" aria-label="{html.escape(label)}"', 1)
