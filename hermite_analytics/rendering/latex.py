"""A frame as a table of LaTeX in the manner of booktabs."""

from __future__ import annotations

from hermite_analytics.rendering.frame import Frame
from hermite_analytics.rendering.shown import grid_of
from hermite_analytics.rendering.symbols import latex_of_words

__all__ = ["latex_of"]


def latex_of(frame: Frame) -> str:
    """A `tabular` between rules of booktabs; what all rows share stands in comments above it."""
    grid = grid_of(frame)
    names = {name: _head(frame, name) for name in grid.names}
    if len(grid.rows) == 1:  # a name a line
        head = []
        body = [f"{names[name]} & {cell.latex}" for name, cell in grid.rows[0].items() if name in names]
    else:
        head = list(names.values())
        body = [" & ".join(row[n].latex if n in row else "--" for n in names) for row in grid.rows]
    shared = [f"{name} = {cell.text}" for name, cell in grid.constant.items()]
    shared += [f"{name} = {value}" for name, value in frame.fixed.items()]
    comments = [frame.title, ", ".join(shared), frame.sources, *grid.summary, *frame.remarks]
    return "\n".join(
        [
            *(f"% {' '.join(comment.split())}" for comment in comments if comment),
            "% needs \\usepackage{booktabs}",
            rf"\begin{{tabular}}{{{'l' * (len(head) or 2)}}}",
            r"\toprule",
            *([" & ".join(head) + r" \\", r"\midrule"] if head else []),
            *(f"{row} \\\\" for row in body),
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def _head(frame: Frame, name: str) -> str:
    column = frame.column(name)
    return f"${column.symbol}$" if column.symbol else latex_of_words(column.words)
