"""A frame as HTML for notebooks: the numbers first, the rest folded."""

from __future__ import annotations

import html

from hermite_analytics.rendering.frame import Frame
from hermite_analytics.rendering.provenance import versions
from hermite_analytics.rendering.shown import Grid, grid_of
from hermite_analytics.rendering.text import middle_left_out

__all__ = ["formula_html", "html_of"]

_ROWS = 12
_COLUMNS = 12
_PAIRS = 16


def html_of(frame: Frame) -> str:
    """One element of at most 25 lines: a table, how it ended, and what can be unfolded."""
    grid = grid_of(frame)
    table = _pairs(frame, grid) if len(frame.rows) == 1 else _table(frame, grid)
    below = [*grid.summary, *frame.remarks[:1]]
    lines = [f"<div><strong>{html.escape(frame.title)}</strong>", *table]
    lines += [f"<p>{html.escape('; '.join(below))}</p>"] if below else []
    return "\n".join([*lines, _folded(frame, grid), "</div>"])


def formula_html(latex: str) -> str:
    """A formula of a result for notebooks, which prefer HTML and set what stands in its brackets."""
    return f"<div>\\[{html.escape(latex)}\\]</div>"


def _table(frame: Frame, grid: Grid) -> list[str]:
    names = grid.names[:_COLUMNS]
    head = "".join(_heading(frame, name) for name in names)
    rows = []
    for place in middle_left_out(len(grid.rows), _ROWS):
        cells = ["..." for _ in names]
        if place is not None:
            cells = [grid.rows[place][n].text if n in grid.rows[place] else "-" for n in names]
        rows.append("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>")
    return [f"<table><thead><tr>{head}</tr></thead><tbody>", *rows, "</tbody></table>"]


def _pairs(frame: Frame, grid: Grid) -> list[str]:
    names = [name for name in grid.names if name in grid.rows[0]][:_PAIRS]
    rows = [
        f"<tr>{_heading(frame, n)}<td style='text-align:left'>{html.escape(grid.rows[0][n].text)}</td></tr>"
        for n in names
    ]
    return ["<table><tbody>", *rows, "</tbody></table>"]


def _heading(frame: Frame, name: str) -> str:
    help_ = html.escape(frame.column(name).help)
    return f"<th title='{help_}'>{html.escape(name)}</th>" if help_ else f"<th>{html.escape(name)}</th>"


def _folded(frame: Frame, grid: Grid) -> str:
    """Parameters, sources and versions, in one line that unfolds."""
    shared = {name: cell.text for name, cell in grid.constant.items()}
    shared |= {name: str(value) for name, value in frame.fixed.items()}
    parts = [", ".join(f"{name} = {value}" for name, value in shared.items()), frame.sources]
    parts.append(", ".join(f"{name} {version}" for name, version in versions().items()))
    inside = "<br>".join(html.escape(part) for part in parts if part)
    return f"<details><summary>parameters, sources, versions</summary>{inside}</details>"
