"""Figures that fit a column of a paper: fonts, widths, colours that all eyes tell apart, files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.rendering.files import figure_path, unwritable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.typing import RcKeyType

__all__ = ["COLOURS", "DASHES", "MARKERS", "STYLE", "colours", "legend", "logarithmic", "new_axes", "save"]

# M. Okabe, K. Ito: seven colours that the colour-blind tell apart; black is left for what is no line
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d1f")
DASHES = ("-", "--", "-.", ":")
MARKERS = ("o", "s", "^", "D")
_WIDTH, _HEIGHT = 3.375, 2.5  # inches: a column of two

STYLE: dict[RcKeyType, Any] = {
    "figure.figsize": (_WIDTH, _HEIGHT),
    "figure.dpi": 150,
    "savefig.dpi": 300,
    "font.family": "STIXGeneral",
    "mathtext.fontset": "stix",
    "font.size": 8,
    "axes.labelsize": 8,
    "axes.titlesize": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "legend.framealpha": 0.8,
    "legend.edgecolor": "none",
    "lines.linewidth": 1.1,
    "lines.markersize": 3.0,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "image.cmap": "viridis",
    "pdf.fonttype": 42,
    "svg.fonttype": "path",
    "svg.hashsalt": "hermite_analytics",
}
_FEW_DECADES = 300.0  # a range with numbers at 1, 2 and 5 of each decade; a wider one has powers of ten
_MOST_INSIDE = 4  # lines that a legend names within the axes
_ROW = 0.14  # inches
_NO_DATE = {".pdf": {"CreationDate": None}, ".svg": {"Date": None}, ".png": {}}


def colours(count: int) -> list[str]:
    """One a line: the seven, or a range from dark to light where there are more.

    Examples
    --------
    >>> colours(2)
    ['#0072b2', '#d55e00']
    """
    if count <= len(COLOURS):
        return list(COLOURS[:count])
    import matplotlib as mpl
    from matplotlib.colors import to_hex

    scale = mpl.colormaps["viridis"]
    return [to_hex(scale(0.95 * k / (count - 1))) for k in range(count)]


def new_axes(*, shown: bool) -> Axes:
    """Axes of a new figure: one that pyplot knows, and a notebook shows, or one that is only written."""
    if shown:
        import matplotlib.pyplot as plt

        axes: Axes = plt.subplots(layout="constrained")[1]
        return axes
    from matplotlib.figure import Figure

    return Figure(layout="constrained").add_subplot()


def logarithmic(axes: Axes, way: Literal["x", "y"], places: NDArray[np.float64]) -> None:
    """A logarithmic axis whose numbers do not run into each other."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis = axes.xaxis if way == "x" else axes.yaxis
    (axes.set_xscale if way == "x" else axes.set_yscale)("log")
    axis.set_minor_formatter(NullFormatter())
    if np.max(places) < _FEW_DECADES * np.min(places):
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
        axis.set_minor_locator(LogLocator(subs=tuple(range(1, 10))))


def legend(axes: Axes, *, own: bool) -> None:
    """The names of the lines; of many, in a figure of our own, above the axes and not on the lines."""
    count = len(axes.get_legend_handles_labels()[1])
    if not own or count <= _MOST_INSIDE:
        axes.legend()
        return
    figure = axes.get_figure(root=True)
    assert figure is not None  # they are drawn onto
    figure.set_figheight(_HEIGHT + _ROW * ((count + 1) // 2))
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)


def save(axes: Axes, path: str | Path) -> Path:
    """Write the figure of some axes; the same figure gives the same file.

    Raises
    ------
    InputError
        If the ending names no format, or the file cannot be written.
    """
    place = figure_path(path)
    figure = axes.get_figure(root=True)
    assert figure is not None  # they are drawn onto
    try:
        figure.savefig(place, metadata=_NO_DATE[place.suffix.lower()])
    except OSError as error:
        raise unwritable(place, error) from None
    return place
